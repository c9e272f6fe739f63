noinst_LIBRARIES += src/libconfigsyntax.a
src_libconfigsyntax_a_SOURCES = \
	src/config/syntax/parse.c \
	src/config/syntax/parse.h \
	src/config/syntax/raw_section.c \
	src/config/syntax/raw_section.h \
	src/config/syntax/scan.c \
	src/config/syntax/scan.h \
	src/config/syntax/schema.c \
	src/config/syntax/schema.h
src_libconfigsyntax_a_CPPFLAGS = $(AM_CPPFLAGS) $(CONFUSE_CFLAGS)
