# unit tests of src/ctl

unit_tests += tests/unit/test_alias_file
tests_unit_test_alias_file_SOURCES = tests/unit/test_alias_file.c
tests_unit_test_alias_file_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_alias_file_LDADD = src/libctl.a $(CONFIG_LIBS) $(CMOCKA_LIBS)

unit_tests += tests/unit/test_doctor_texts
tests_unit_test_doctor_texts_SOURCES = tests/unit/test_doctor_texts.c
tests_unit_test_doctor_texts_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_doctor_texts_LDADD = src/libctl.a $(CONFIG_LIBS) $(CMOCKA_LIBS)

unit_tests += tests/unit/test_maildir
tests_unit_test_maildir_SOURCES = tests/unit/test_maildir.c
tests_unit_test_maildir_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_maildir_LDADD = $(CTL_LIBS) $(CMOCKA_LIBS)

unit_tests += tests/unit/test_daemon_status
tests_unit_test_daemon_status_SOURCES = tests/unit/test_daemon_status.c
tests_unit_test_daemon_status_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_daemon_status_LDADD = $(CTL_LIBS) $(CMOCKA_LIBS)

unit_tests += tests/unit/test_run_program
tests_unit_test_run_program_SOURCES = tests/unit/test_run_program.c
tests_unit_test_run_program_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_run_program_LDADD = src/libctl.a $(CONFIG_LIBS) $(CMOCKA_LIBS)
