/* Unit tests of text/arena. */
#include "check.h"

#include "text/arena.h"

#include <string.h>

#include <stdalign.h>
#include <stdlib.h>

/* Objects and texts of all sizes, in turn: nothing overlaps, objects are aligned. */
static void test_nothing_overlaps(void **state)
{
    enum { PIECES = 600 };
    static unsigned char *pieces[PIECES];
    static size_t sizes[PIECES];
    struct arena a;
    (void)state;
    arena_init(&a, 512);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < PIECES; i++) {
            sizes[i] = i % 50 == 49 ? 2000 : (size_t)(i * 7 % 90);
            if (i % 3 == 0) {
                char text[2001];
                memset(text, i % 251, sizeof text);
                pieces[i] = (unsigned char *)arena_strdup(&a, span_of(text, sizes[i]));
                assert_non_null(pieces[i]);
                assert_int_equal(pieces[i][sizes[i]], 0);
            } else {
                pieces[i] = arena_alloc(&a, sizes[i]);
                assert_non_null(pieces[i]);
                assert_int_equal((uintptr_t)pieces[i] % alignof(max_align_t), 0);
                memset(pieces[i], i % 251, sizes[i]);
            }
        }
        for (int i = 0; i < PIECES; i++)
            for (size_t at = 0; at < sizes[i]; at++)
                if (pieces[i][at] != i % 251)
                    fail_msg("round %d: piece %d was overwritten at %zu", round, i, at);
        arena_reset(&a);
        assert_int_equal(a.used, 0);
    }
    arena_free(&a);
}

static void test_empty_pieces(void **state)
{
    struct arena a;
    (void)state;
    arena_init(&a, 0);
    assert_null(a.chunks);
    assert_non_null(arena_alloc(&a, 0));
    assert_non_null(arena_calloc(&a, 0, 8));
    assert_non_null(arena_calloc(&a, 8, 0));
    assert_string_equal(arena_strdup(&a, span_of(NULL, 0)), "");
    struct span s = arena_dup(&a, span_cstr(""));
    assert_non_null(s.p);
    assert_int_equal(s.n, 0);
    s = arena_dup(&a, CHECK_SPAN("a\0b"));
    assert_true(span_eq(s, CHECK_SPAN("a\0b")));
    arena_free(&a);
}

static void test_zeroed(void **state)
{
    struct arena a;
    (void)state;
    arena_init(&a, 0);
    memset(arena_alloc(&a, 1000), 0xFF, 1000);
    arena_reset(&a);
    const unsigned char *p = arena_calloc(&a, 10, 100);
    assert_non_null(p);
    for (int i = 0; i < 1000; i++)
        assert_int_equal(p[i], 0);
    arena_free(&a);
}

/* Texts are packed. */
static void test_reuse(void **state)
{
    struct arena a;
    (void)state;
    arena_init(&a, 4096);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 1000; i++)
            assert_non_null(arena_strdup(&a, span_cstr("abc")));
        assert_int_equal(a.used, 4000);
        arena_reset(&a);
    }
    arena_free(&a);
}

/* A large piece does not stay for the life of a connection when a usual chunk can. */
static void test_reset_keeps_the_usual_chunk(void **state)
{
    struct arena a;
    (void)state;
    arena_init(&a, 4096);
    assert_non_null(arena_alloc(&a, 16));
    assert_non_null(arena_alloc(&a, 1000000));
    arena_reset(&a);
    assert_non_null(arena_alloc(&a, 3000));
    assert_true(a.used < 4096);
    arena_free(&a);
}

/* What was taken before the mark stays, whatever came after it. */
static void test_rewind(void **state)
{
    static const size_t sizes[] = {10, 3000, 100000};
    (void)state;
    for (size_t first = 0; first < 4; first++)
        for (size_t second = 0; second < 3; second++) {
            struct arena a;
            arena_init(&a, 4096);
            const char *kept = first == 3 ? "" : arena_strdup(&a, span_cstr("kept"));
            if (first < 3)
                assert_non_null(arena_alloc(&a, sizes[first]));
            size_t used = a.used;
            struct arena mark = a;
            for (int i = 0; i < 5; i++) {
                char *text = arena_alloc(&a, sizes[second]);
                assert_non_null(text);
                memset(text, 'x', sizes[second]);
                assert_non_null(arena_strdup(&a, span_cstr("xxxx")));
            }
            arena_rewind(&a, &mark);
            assert_int_equal(a.used, used);
            assert_string_equal(kept, first == 3 ? "" : "kept");
            char *again = arena_strdup(&a, span_cstr("again"));
            assert_non_null(again);
            assert_string_equal(kept, first == 3 ? "" : "kept");
            arena_free(&a);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing_overlaps),
        cmocka_unit_test(test_empty_pieces),
        cmocka_unit_test(test_zeroed),
        cmocka_unit_test(test_reuse),
        cmocka_unit_test(test_reset_keeps_the_usual_chunk),
        cmocka_unit_test(test_rewind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
