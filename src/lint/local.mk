noinst_LIBRARIES += src/liblint.a
src_liblint_a_SOURCES = \
	src/lint/check_form.c \
	src/lint/check_form.h \
	src/lint/check_list_fields.c \
	src/lint/check_list_fields.h \
	src/lint/check_list_id.c \
	src/lint/check_list_id.h \
	src/lint/check_post.c \
	src/lint/check_post.h \
	src/lint/check_signatures.c \
	src/lint/check_signatures.h \
	src/lint/check_uri.c \
	src/lint/check_uri.h \
	src/lint/context.c \
	src/lint/context.h \
	src/lint/findings.c \
	src/lint/findings.h \
	src/lint/lint.c \
	src/lint/lint.h \
	src/lint/memo.c \
	src/lint/memo.h \
	src/lint/rules.c \
	src/lint/rules.h
src_liblint_a_CPPFLAGS = $(AM_CPPFLAGS) $(CRYPTO_CFLAGS)
