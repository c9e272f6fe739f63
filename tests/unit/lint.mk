# unit tests of src/lint

unit_tests += tests/unit/test_lint
tests_unit_test_lint_SOURCES = tests/unit/test_lint.c
tests_unit_test_lint_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_lint_LDADD = $(LINT_LIBS) $(CMOCKA_LIBS)
