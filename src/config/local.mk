# The rooms of the configuration, in the order in which a linker wants them.
config_libs = src/libconfig.a src/libconfiglists.a src/libconfigread.a

noinst_LIBRARIES += src/libconfig.a
src_libconfig_a_SOURCES = \
	src/config/delegate.c \
	src/config/key_file.c \
	src/config/load.c \
	src/config/load.h \
	src/config/main_file.c \
	src/config/main_file.h \
	src/config/settings.c \
	src/config/settings.h \
	src/config/store_kinds.c \
	src/config/store_kinds.h
src_libconfig_a_CPPFLAGS = $(AM_CPPFLAGS) $(CRYPTO_CFLAGS)
