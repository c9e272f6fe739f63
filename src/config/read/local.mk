noinst_LIBRARIES += src/libconfigread.a
src_libconfigread_a_SOURCES = \
	src/config/read/choices.h \
	src/config/read/faults.c \
	src/config/read/faults.h \
	src/config/read/files.c \
	src/config/read/files.h \
	src/config/read/remarks.h \
	src/config/read/parse.c \
	src/config/read/report.c \
	src/config/read/report.h \
	src/config/read/scan.c \
	src/config/read/scan.h \
	src/config/read/schema.c \
	src/config/read/schema.h \
	src/config/read/section.c \
	src/config/read/section.h \
	src/config/read/trust.c \
	src/config/read/trust.h \
	src/config/read/uri_hints.c
src_libconfigread_a_CPPFLAGS = $(AM_CPPFLAGS) $(CRYPTO_CFLAGS) $(CONFUSE_CFLAGS)
