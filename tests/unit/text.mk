# unit tests of src/text

EXTRA_DIST += tests/unit/check.h

unit_tests += tests/unit/test_span
tests_unit_test_span_SOURCES = tests/unit/test_span.c
tests_unit_test_span_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_span_LDADD = $(TEXT_LIBS) $(CMOCKA_LIBS)

unit_tests += tests/unit/test_memory
tests_unit_test_memory_SOURCES = tests/unit/test_memory.c
tests_unit_test_memory_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_memory_LDADD = $(TEXT_LIBS) $(CMOCKA_LIBS)
