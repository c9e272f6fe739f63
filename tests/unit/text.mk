# unit tests of src/text

# A test that is linked with these may use alloc_fail.h.
ALLOC_FAIL_WRAP = -Wl,--wrap=malloc -Wl,--wrap=calloc -Wl,--wrap=realloc
# With those above: arena_fail.h.
ARENA_FAIL_WRAP = -Wl,--wrap=arena_alloc -Wl,--wrap=arena_calloc -Wl,--wrap=arena_strdup \
	-Wl,--wrap=arena_dup -Wl,--wrap=strdup -Wl,--wrap=realpath

EXTRA_DIST += tests/unit/check.h tests/unit/alloc_fail.h tests/unit/arena_fail.h

unit_tests += tests/unit/test_span
tests_unit_test_span_SOURCES = tests/unit/test_span.c
tests_unit_test_span_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_span_LDADD = $(TEXT_LIBS) $(CMOCKA_LIBS)

unit_tests += tests/unit/test_strbuf
tests_unit_test_strbuf_SOURCES = tests/unit/test_strbuf.c
tests_unit_test_strbuf_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_strbuf_LDFLAGS = $(AM_LDFLAGS) $(ALLOC_FAIL_WRAP)
tests_unit_test_strbuf_LDADD = $(TEXT_LIBS) $(CMOCKA_LIBS)

unit_tests += tests/unit/test_arena
tests_unit_test_arena_SOURCES = tests/unit/test_arena.c
tests_unit_test_arena_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_arena_LDFLAGS = $(AM_LDFLAGS) $(ALLOC_FAIL_WRAP)
tests_unit_test_arena_LDADD = $(TEXT_LIBS) $(CMOCKA_LIBS)

unit_tests += tests/unit/test_stencil
tests_unit_test_stencil_SOURCES = tests/unit/test_stencil.c
tests_unit_test_stencil_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_stencil_LDADD = $(TEXT_LIBS) $(CMOCKA_LIBS)

unit_tests += tests/unit/test_strmap
tests_unit_test_strmap_SOURCES = tests/unit/test_strmap.c
tests_unit_test_strmap_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_strmap_LDFLAGS = $(AM_LDFLAGS) $(ALLOC_FAIL_WRAP)
tests_unit_test_strmap_LDADD = $(TEXT_LIBS) $(CMOCKA_LIBS)

unit_tests += tests/unit/test_edit_distance
tests_unit_test_edit_distance_SOURCES = tests/unit/test_edit_distance.c
tests_unit_test_edit_distance_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_edit_distance_LDADD = $(TEXT_LIBS) $(CMOCKA_LIBS)

unit_tests += tests/unit/test_utf8
tests_unit_test_utf8_SOURCES = tests/unit/test_utf8.c
tests_unit_test_utf8_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_utf8_LDADD = $(TEXT_LIBS) $(CMOCKA_LIBS)
