noinst_LIBRARIES += src/libconfigdelegation.a
src_libconfigdelegation_a_SOURCES = \
	src/config/delegation/delegate.c \
	src/config/delegation/delegate.h \
	src/config/delegation/delegated_files.c \
	src/config/delegation/delegated_files.h \
	src/config/delegation/delegation.c \
	src/config/delegation/delegation.h \
	src/config/delegation/previous.c \
	src/config/delegation/previous.h \
	src/config/delegation/trial.c \
	src/config/delegation/trial.h
src_libconfigdelegation_a_CPPFLAGS = $(AM_CPPFLAGS) $(CRYPTO_CFLAGS)
