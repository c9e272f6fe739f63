# unit tests of src/text

EXTRA_DIST += tests/unit/check.h

unit_tests += tests/unit/test_span
tests_unit_test_span_SOURCES = tests/unit/test_span.c
tests_unit_test_span_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_span_LDADD = $(TEXT_LIBS) $(CMOCKA_LIBS)

unit_tests += tests/unit/test_strbuf
tests_unit_test_strbuf_SOURCES = tests/unit/test_strbuf.c
tests_unit_test_strbuf_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_strbuf_LDADD = $(TEXT_LIBS) $(CMOCKA_LIBS)

unit_tests += tests/unit/test_arena
tests_unit_test_arena_SOURCES = tests/unit/test_arena.c
tests_unit_test_arena_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_arena_LDADD = $(TEXT_LIBS) $(CMOCKA_LIBS)


unit_tests += tests/unit/test_strmap
tests_unit_test_strmap_SOURCES = tests/unit/test_strmap.c
tests_unit_test_strmap_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_strmap_LDADD = $(TEXT_LIBS) $(CMOCKA_LIBS)

unit_tests += tests/unit/test_edit_distance
tests_unit_test_edit_distance_SOURCES = tests/unit/test_edit_distance.c
tests_unit_test_edit_distance_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_edit_distance_LDADD = $(TEXT_LIBS) $(CMOCKA_LIBS)

unit_tests += tests/unit/test_utf8
tests_unit_test_utf8_SOURCES = tests/unit/test_utf8.c
tests_unit_test_utf8_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_utf8_LDADD = $(TEXT_LIBS) $(CMOCKA_LIBS)
