noinst_LIBRARIES += src/libconfigdelegation.a
src_libconfigdelegation_a_SOURCES = \
	src/config/delegation/delegate.c \
	src/config/delegation/delegate.h \
	src/config/delegation/delegated.c \
	src/config/delegation/delegated.h
src_libconfigdelegation_a_CPPFLAGS = $(AM_CPPFLAGS) $(CRYPTO_CFLAGS)
