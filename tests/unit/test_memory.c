/* text/: strbuf, arena and strmap */
#include "check.h"

#include "text/arena.h"
#include "text/strbuf.h"
#include "text/strmap.h"

#include <stdalign.h>
#include <stdlib.h>
#if ARENA_OBJECTS_ALONE
#include <sanitizer/asan_interface.h>
#endif

static void test_strbuf(void **state)
{
    struct strbuf b = STRBUF_INIT;
    (void)state;
    assert_string_equal(strbuf_str(&b), "");
    strbuf_add(&b, NULL, 0);
    strbuf_add_str(&b, "ab");
    strbuf_add_char(&b, '\0');
    strbuf_add_span(&b, CHECK_SPAN("c\0d"));
    strbuf_addf(&b, "%s-%03d", "x", 7);
    assert_true(span_eq(strbuf_span(&b), CHECK_SPAN("ab\0c\0dx-007")));
    strbuf_truncate(&b, 99);
    assert_int_equal(b.len, 11);
    strbuf_truncate(&b, 1);
    assert_string_equal(strbuf_str(&b), "a");
    strbuf_reset(&b);
    assert_string_equal(strbuf_str(&b), "");
    strbuf_reset(&b);
    for (size_t length = 0; length < 300; length++) { /* past the places where it grows */
        assert_int_equal(b.len, length);
        strbuf_addf(&b, "%*s", (int)length, "");
        strbuf_truncate(&b, length);
        strbuf_add_char(&b, 'x');
    }
    assert_int_equal(strlen(strbuf_str(&b)), 300);
    strbuf_free(&b);
    assert_null(b.data);
}

/* Objects and texts of all sizes, in turn: nothing overlaps, objects are aligned. */
static void test_arena(void **state)
{
    enum { PIECES = 600 };
    static unsigned char *pieces[PIECES];
    static size_t sizes[PIECES];
    struct arena a;
    (void)state;
    arena_init(&a, 512);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < PIECES; i++) {
            char text[2001];
            sizes[i] = i % 50 == 49 ? 2000 : (size_t)(i * 7 % 90);
            memset(text, i % 251, sizeof text);
            pieces[i] = i % 3 == 0 ? (unsigned char *)arena_strdup(&a, span_of(text, sizes[i]))
                                   : arena_alloc(&a, sizes[i]);
            if (i % 3 == 0)
                assert_int_equal(pieces[i][sizes[i]], 0);
            else
                assert_int_equal((uintptr_t)pieces[i] % alignof(max_align_t), 0);
            memset(pieces[i], i % 251, sizes[i]);
        }
        for (int i = 0; i < PIECES; i++)
            for (size_t at = 0; at < sizes[i]; at++)
                if (pieces[i][at] != i % 251)
                    fail_msg("round %d: piece %d was overwritten at %zu", round, i, at);
        arena_reset(&a);
        assert_int_equal(a.used, 0);
    }
    const unsigned char *zeros = arena_calloc(&a, 10, 100);
    for (int i = 0; i < 1000; i++)
        assert_int_equal(zeros[i], 0);
    assert_string_equal(arena_strdup(&a, span_of(NULL, 0)), "");
    assert_true(span_eq(arena_dup(&a, CHECK_SPAN("a\0b")), CHECK_SPAN("a\0b")));
    arena_free(&a);
}

/* A large piece does not stay for the life of a connection when a usual chunk can. */
static void test_arena_reset(void **state)
{
    struct arena a;
    (void)state;
    arena_init(&a, 4096);
    const char *usual = arena_alloc(&a, 16);
    assert_non_null(arena_alloc(&a, 1000000));
    arena_reset(&a);
    if (!ARENA_OBJECTS_ALONE)
        assert_ptr_equal(arena_alloc(&a, 3000), usual);
    arena_free(&a);
}

/* The address sanitizer sees an access behind an object, and to one that is no longer there.
 * Without it, objects share a chunk. */
static void test_arena_objects(void **state)
{
    struct arena a;
    (void)state;
    arena_init(&a, 4096);
    char *first = arena_strdup(&a, span_cstr("one"));
    const char *next = arena_strdup(&a, span_cstr("two"));
#if ARENA_OBJECTS_ALONE
    assert_true(next < first || next > first + 4);
    assert_false(__asan_address_is_poisoned(first + 3));
    assert_true(__asan_address_is_poisoned(first + 4));
    arena_reset(&a);
    assert_true(__asan_address_is_poisoned(first));
#else
    assert_ptr_equal(next, first + 4);
#endif
    arena_free(&a);
}

/* A piece from before the mark stays, whatever comes after it. */
static void test_arena_rewind(void **state)
{
    static const size_t sizes[] = {10, 3000, 100000};
    (void)state;
    for (size_t first = 0; first < 3; first++)
        for (size_t second = 0; second < 3; second++) {
            struct arena a;
            arena_init(&a, 4096);
            const char *kept = arena_strdup(&a, span_cstr("kept"));
            assert_non_null(arena_alloc(&a, sizes[first]));
            struct arena mark = a;
            for (int i = 0; i < 5; i++)
                memset(arena_alloc(&a, sizes[second]), 'x', sizes[second]);
            arena_rewind(&a, &mark);
            assert_string_equal(arena_strdup(&a, span_cstr("again")), "again");
            assert_string_equal(kept, "kept");
            arena_free(&a);
        }
}

static void test_strmap(void **state)
{
    struct strmap m;
    int one = 1, two = 2;
    void *present = NULL;
    (void)state;
    strmap_init(&m, 42);
    assert_true(strmap_put(&m, span_cstr("List.Example.ORG"), &one, &present));
    assert_null(present);
    /* LI-10: letter case does not count. */
    assert_ptr_equal(strmap_get(&m, span_cstr("list.EXAMPLE.org")), &one);
    assert_false(strmap_put(&m, span_cstr("LIST.example.org"), &two, &present));
    assert_ptr_equal(present, &one);
    assert_null(strmap_get(&m, span_cstr("list.example.or")));
    assert_true(strmap_put(&m, span_of(NULL, 0), &two, NULL));
    assert_ptr_equal(strmap_get(&m, span_cstr("")), &two);
    assert_true(strmap_put(&m, CHECK_SPAN("a\0b"), &one, NULL));
    assert_null(strmap_get(&m, CHECK_SPAN("a\0c")));
    strmap_free(&m);
}

/* Keys of two maps, some in both: the first map keeps its own, in less than 4 slots a key. */
static void test_strmap_many(void **state)
{
    enum { KEYS = 20000 };
    static char keys[KEYS][16];
    char other[] = "";
    struct strmap m, from;
    (void)state;
    strmap_init(&m, 7);
    strmap_init(&from, 7);
    strmap_join(&m, &from); /* of nothing */
    for (int i = 0; i < KEYS; i++) {
        snprintf(keys[i], sizeof keys[i], "k%d", i);
        if (i % 3 != 0)
            assert_true(strmap_put(&m, span_cstr(keys[i]), keys[i], NULL));
        if (i % 2 == 0)
            assert_true(strmap_put(&from, span_cstr(keys[i]), other, NULL));
    }
    strmap_join(&m, &from);
    strmap_free(&from);
    assert_true(m.capacity <= (size_t)4 * KEYS);
    for (int i = 0; i < KEYS; i++)
        assert_ptr_equal(strmap_get(&m, span_cstr(keys[i])), i % 3 != 0   ? keys[i]
                                                             : i % 2 == 0 ? other
                                                                          : NULL);
    strmap_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_strbuf),        cmocka_unit_test(test_arena),
        cmocka_unit_test(test_arena_reset),   cmocka_unit_test(test_arena_rewind),
        cmocka_unit_test(test_arena_objects), cmocka_unit_test(test_strmap),
        cmocka_unit_test(test_strmap_many)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
