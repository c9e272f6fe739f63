noinst_LIBRARIES += src/liblint.a
src_liblint_a_SOURCES = src/lint/lint.c src/lint/lint.h src/lint/rules.h
src_liblint_a_CPPFLAGS = $(AM_CPPFLAGS) $(CRYPTO_CFLAGS)
