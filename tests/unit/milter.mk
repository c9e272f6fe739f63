# unit tests of src/milter: what knows nothing of libmilter

unit_tests += tests/unit/test_tally
tests_unit_test_tally_SOURCES = tests/unit/test_tally.c tests/unit/config_help.h
tests_unit_test_tally_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_tally_LDADD = src/libmilterside.a $(STORE_TEST_LIBS) $(CMOCKA_LIBS)
