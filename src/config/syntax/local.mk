noinst_LIBRARIES += src/libconfigsyntax.a
src_libconfigsyntax_a_SOURCES = \
	src/config/syntax/confuse_reader.c \
	src/config/syntax/confuse_reader.h \
	src/config/syntax/form_faults.c \
	src/config/syntax/form_faults.h \
	src/config/syntax/raw_section.c \
	src/config/syntax/raw_section.h \
	src/config/syntax/schema.c \
	src/config/syntax/schema.h \
	src/config/syntax/sections.c \
	src/config/syntax/sections.h \
	src/config/syntax/statements.c \
	src/config/syntax/statements.h
src_libconfigsyntax_a_CPPFLAGS = $(AM_CPPFLAGS) $(CONFUSE_CFLAGS)
