# unit tests of src/libmilter
LIBMILTER_ROOM = src/libmilterroom.a $(SYSTEM_LIBS)

unit_tests += tests/unit/test_connection
tests_unit_test_connection_SOURCES = tests/unit/test_connection.c
tests_unit_test_connection_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_connection_LDADD = $(LIBMILTER_ROOM) $(CMOCKA_LIBS)
