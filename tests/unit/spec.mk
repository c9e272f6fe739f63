# unit tests of src/spec

unit_tests += tests/unit/test_base_n
tests_unit_test_base_n_SOURCES = tests/unit/test_base_n.c
tests_unit_test_base_n_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_base_n_LDADD = $(SPEC_LIBS) $(CMOCKA_LIBS)

unit_tests += tests/unit/test_digest
tests_unit_test_digest_SOURCES = tests/unit/test_digest.c
tests_unit_test_digest_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_digest_LDADD = $(SPEC_LIBS) $(CMOCKA_LIBS)

unit_tests += tests/unit/test_message_id
tests_unit_test_message_id_SOURCES = tests/unit/test_message_id.c
tests_unit_test_message_id_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_message_id_LDADD = $(SPEC_LIBS) $(CMOCKA_LIBS)

unit_tests += tests/unit/test_list_id
tests_unit_test_list_id_SOURCES = tests/unit/test_list_id.c tests/unit/generated.h
tests_unit_test_list_id_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_list_id_LDADD = $(SPEC_LIBS) $(CMOCKA_LIBS)

unit_tests += tests/unit/test_archived_at
tests_unit_test_archived_at_SOURCES = tests/unit/test_archived_at.c
tests_unit_test_archived_at_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_archived_at_LDADD = $(SPEC_LIBS) $(CMOCKA_LIBS)

unit_tests += tests/unit/test_uri
tests_unit_test_uri_SOURCES = tests/unit/test_uri.c tests/unit/generated.h
tests_unit_test_uri_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_uri_LDADD = $(SPEC_LIBS) $(CMOCKA_LIBS)

unit_tests += tests/unit/test_uri_template
tests_unit_test_uri_template_SOURCES = tests/unit/test_uri_template.c tests/unit/values.h tests/unit/generated.h
tests_unit_test_uri_template_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_uri_template_LDADD = $(SPEC_LIBS) $(CMOCKA_LIBS)

unit_tests += tests/unit/test_list_fields
tests_unit_test_list_fields_SOURCES = tests/unit/test_list_fields.c tests/unit/generated.h
tests_unit_test_list_fields_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_list_fields_LDADD = $(SPEC_LIBS) $(CMOCKA_LIBS)

unit_tests += tests/unit/test_owned_fields
tests_unit_test_owned_fields_SOURCES = tests/unit/test_owned_fields.c
tests_unit_test_owned_fields_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_owned_fields_LDADD = $(SPEC_LIBS) $(CMOCKA_LIBS)

unit_tests += tests/unit/test_iri
tests_unit_test_iri_SOURCES = tests/unit/test_iri.c tests/unit/generated.h
tests_unit_test_iri_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_iri_LDADD = $(SPEC_LIBS) $(CMOCKA_LIBS)

unit_tests += tests/unit/test_mailbox
tests_unit_test_mailbox_SOURCES = tests/unit/test_mailbox.c
tests_unit_test_mailbox_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_mailbox_LDADD = $(SPEC_LIBS) $(CMOCKA_LIBS)

unit_tests += tests/unit/test_dkim_signature
tests_unit_test_dkim_signature_SOURCES = tests/unit/test_dkim_signature.c
tests_unit_test_dkim_signature_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_dkim_signature_LDADD = $(SPEC_LIBS) $(CMOCKA_LIBS)

unit_tests += tests/unit/test_token
tests_unit_test_token_SOURCES = tests/unit/test_token.c tests/unit/values.h
tests_unit_test_token_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_token_LDADD = $(SPEC_LIBS) $(CMOCKA_LIBS)

unit_tests += tests/unit/test_recipient_token
tests_unit_test_recipient_token_SOURCES = tests/unit/test_recipient_token.c
tests_unit_test_recipient_token_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_recipient_token_LDADD = $(SPEC_LIBS) $(CMOCKA_LIBS)
