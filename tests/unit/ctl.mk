# unit tests of src/ctl

unit_tests += tests/unit/test_hash_set
tests_unit_test_hash_set_SOURCES = tests/unit/test_hash_set.c src/ctl/hash_set.c src/ctl/hash_set.h
tests_unit_test_hash_set_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_hash_set_LDFLAGS = $(AM_LDFLAGS) $(ALLOC_FAIL_WRAP)
tests_unit_test_hash_set_LDADD = $(SPEC_LIBS) $(CMOCKA_LIBS)
