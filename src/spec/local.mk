noinst_LIBRARIES += src/libspec.a
src_libspec_a_SOURCES = \
	src/spec/archived_at.c src/spec/archived_at.h \
	src/spec/base_n.c src/spec/base_n.h \
	src/spec/digest.c src/spec/digest.h \
	src/spec/dkim_signature.c src/spec/dkim_signature.h \
	src/spec/iri.c src/spec/iri.h \
	src/spec/list_fields.c src/spec/list_fields.h \
	src/spec/list_id.c src/spec/list_id.h \
	src/spec/mailbox.c src/spec/mailbox.h \
	src/spec/message_id.c src/spec/message_id.h \
	src/spec/owned_fields.c src/spec/owned_fields.h \
	src/spec/recipient_token.c src/spec/recipient_token.h \
	src/spec/token.c src/spec/token.h \
	src/spec/uri.c src/spec/uri.h \
	src/spec/uri_template.c src/spec/uri_template.h \
	src/spec/variables.c src/spec/variables.h
src_libspec_a_CPPFLAGS = $(AM_CPPFLAGS) $(CRYPTO_CFLAGS) $(LIBIDN2_CFLAGS)
