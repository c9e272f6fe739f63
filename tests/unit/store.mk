# unit tests of src/store

unit_tests += tests/unit/test_store
tests_unit_test_store_SOURCES = tests/unit/test_store.c tests/unit/store_help.h
tests_unit_test_store_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_store_LDADD = $(STORE_TEST_LIBS) $(CMOCKA_LIBS)

unit_tests += tests/unit/test_store_front
tests_unit_test_store_front_SOURCES = tests/unit/test_store_front.c tests/unit/store_help.h \
	tests/store/fake_driver.c tests/store/fake_driver.h src/system/timeouts.c
tests_unit_test_store_front_CPPFLAGS = $(UNIT_CPPFLAGS) -DTIMEOUT_DIVISOR=10
tests_unit_test_store_front_LDADD = $(STORE_TEST_LIBS) $(CMOCKA_LIBS)

if HAVE_SQLITE
unit_tests += tests/unit/test_store_sqlite
tests_unit_test_store_sqlite_SOURCES = tests/unit/test_store_sqlite.c tests/unit/store_help.h
tests_unit_test_store_sqlite_CPPFLAGS = $(UNIT_CPPFLAGS) $(SQLITE_CFLAGS)
tests_unit_test_store_sqlite_LDADD = $(STORE_TEST_LIBS) $(CMOCKA_LIBS)
endif
