noinst_LIBRARIES += src/libconfigfiles.a
src_libconfigfiles_a_SOURCES = \
	src/config/files/file_walk.c \
	src/config/files/file_walk.h \
	src/config/files/find_files.c \
	src/config/files/find_files.h \
	src/config/files/fingerprint.c \
	src/config/files/fingerprint.h \
	src/config/files/key_file.c \
	src/config/files/key_file.h \
	src/config/files/read_file.c \
	src/config/files/read_file.h \
	src/config/files/watched.c \
	src/config/files/watched.h
src_libconfigfiles_a_CPPFLAGS = $(AM_CPPFLAGS) $(CRYPTO_CFLAGS)
