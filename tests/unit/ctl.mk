# unit tests of src/ctl

unit_tests += tests/unit/test_maildir
tests_unit_test_maildir_SOURCES = tests/unit/test_maildir.c
tests_unit_test_maildir_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_maildir_LDADD = $(CTL_LIBS) $(CMOCKA_LIBS)

unit_tests += tests/unit/test_paths
tests_unit_test_paths_SOURCES = tests/unit/test_paths.c
tests_unit_test_paths_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_paths_LDADD = $(CTL_LIBS) $(CMOCKA_LIBS)

