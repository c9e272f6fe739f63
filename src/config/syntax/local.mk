noinst_LIBRARIES += src/libconfigsyntax.a
src_libconfigsyntax_a_SOURCES = \
	src/config/syntax/config_cut.c \
	src/config/syntax/config_cut.h \
	src/config/syntax/config_keys.c \
	src/config/syntax/config_keys.h \
	src/config/syntax/config_lex.c \
	src/config/syntax/config_lex.h \
	src/config/syntax/config_scan.c \
	src/config/syntax/config_scan.h \
	src/config/syntax/confuse_reader.c \
	src/config/syntax/confuse_reader.h \
	src/config/syntax/raw_section.c \
	src/config/syntax/raw_section.h \
	src/config/syntax/schema.c \
	src/config/syntax/schema.h \
	src/config/syntax/value_lines.c \
	src/config/syntax/value_lines.h
src_libconfigsyntax_a_CPPFLAGS = $(AM_CPPFLAGS) $(CONFUSE_CFLAGS)
