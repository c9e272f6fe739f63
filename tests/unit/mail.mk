# unit tests of src/mail

unit_tests += tests/unit/test_field_name
tests_unit_test_field_name_SOURCES = tests/unit/test_field_name.c
tests_unit_test_field_name_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_field_name_LDADD = $(MAIL_LIBS) $(CMOCKA_LIBS)

unit_tests += tests/unit/test_header
tests_unit_test_header_SOURCES = tests/unit/test_header.c
tests_unit_test_header_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_header_LDADD = $(MAIL_LIBS) $(CMOCKA_LIBS)

unit_tests += tests/unit/test_fold
tests_unit_test_fold_SOURCES = tests/unit/test_fold.c
tests_unit_test_fold_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_fold_LDADD = $(MAIL_LIBS) $(CMOCKA_LIBS)

unit_tests += tests/unit/test_rfc5322
tests_unit_test_rfc5322_SOURCES = tests/unit/test_rfc5322.c
tests_unit_test_rfc5322_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_rfc5322_LDADD = $(MAIL_LIBS) $(CMOCKA_LIBS)

unit_tests += tests/unit/test_address
tests_unit_test_address_SOURCES = tests/unit/test_address.c
tests_unit_test_address_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_address_LDADD = $(MAIL_LIBS) $(CMOCKA_LIBS)

unit_tests += tests/unit/test_date
tests_unit_test_date_SOURCES = tests/unit/test_date.c
tests_unit_test_date_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_date_LDADD = $(MAIL_LIBS) $(CMOCKA_LIBS)

unit_tests += tests/unit/test_message
tests_unit_test_message_SOURCES = tests/unit/test_message.c
tests_unit_test_message_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_message_LDADD = $(MAIL_LIBS) $(CMOCKA_LIBS)

unit_tests += tests/unit/test_field_check
tests_unit_test_field_check_SOURCES = tests/unit/test_field_check.c
tests_unit_test_field_check_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_field_check_LDADD = $(MAIL_LIBS) $(CMOCKA_LIBS)
