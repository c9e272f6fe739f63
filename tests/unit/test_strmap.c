/* Unit tests of text/strmap. */
#include "check.h"

#include "text/strmap.h"

#include <stdlib.h>

static void test_put_and_get(void **state)
{
    struct strmap m;
    int one = 1, two = 2;
    void *present = NULL;
    (void)state;
    strmap_init(&m, 42);
    assert_null(strmap_get(&m, span_cstr("a")));
    assert_true(strmap_put(&m, span_cstr("List.Example.ORG"), &one, &present));
    assert_null(present);
    /* LI-10: letter case does not count. */
    assert_ptr_equal(strmap_get(&m, span_cstr("list.EXAMPLE.org")), &one);
    assert_false(strmap_put(&m, span_cstr("LIST.example.org"), &two, &present));
    assert_ptr_equal(present, &one);
    assert_false(strmap_put(&m, span_cstr("list.example.org"), &two, NULL));
    assert_ptr_equal(strmap_get(&m, span_cstr("list.example.org")), &one);
    assert_null(strmap_get(&m, span_cstr("list.example.or")));
    assert_null(strmap_get(&m, span_cstr("list.example.org.")));
    assert_null(strmap_get(&m, span_cstr("")));
    assert_true(strmap_put(&m, span_of(NULL, 0), &two, NULL));
    assert_ptr_equal(strmap_get(&m, span_cstr("")), &two);
    assert_true(strmap_put(&m, CHECK_SPAN("a\0b"), &one, NULL));
    assert_null(strmap_get(&m, CHECK_SPAN("a\0c")));
    assert_int_equal(m.count, 3);
    strmap_free(&m);
}

enum { MANY = 100000, KEY_SIZE = 32 };

static struct span key_of(char *keys, int i)
{
    char *key = keys + (size_t)i * KEY_SIZE;
    return span_of(key, strlen(key));
}

/* Far under 1 kB for each of 100,000 lists, and no long runs of taken slots. */
static void test_many(void **state)
{
    struct strmap m;
    char *keys = malloc((size_t)MANY * KEY_SIZE);
    (void)state;
    assert_non_null(keys);
    strmap_init(&m, 7);
    for (int i = 0; i < MANY; i++) {
        snprintf(keys + (size_t)i * KEY_SIZE, KEY_SIZE, "list-%d.example.org", i);
        assert_true(strmap_put(&m, key_of(keys, i), keys + (size_t)i * KEY_SIZE, NULL));
    }
    assert_int_equal(m.count, MANY);
    assert_true(m.count <= m.capacity / 4 * 3);
    assert_true(m.capacity <= (size_t)4 * MANY);
    for (int i = 0; i < MANY; i++)
        assert_ptr_equal(strmap_get(&m, key_of(keys, i)), keys + (size_t)i * KEY_SIZE);
    for (int i = 0; i < MANY; i++) {
        char other[KEY_SIZE];
        snprintf(other, sizeof other, "list-%d.example.com", i);
        assert_null(strmap_get(&m, span_cstr(other)));
    }
    strmap_free(&m);
    free(keys);
}

/* Whatever is removed, in whatever order, the other keys stay. */
static void test_remove(void **state)
{
    enum { KEYS = 300 };
    static char keys[KEYS * KEY_SIZE];
    bool has[KEYS];
    unsigned random = 1;
    struct strmap m;
    (void)state;
    for (uint64_t seed = 0; seed < 50; seed++) {
        memset(has, 0, sizeof has);
        strmap_init(&m, seed);
        strmap_remove(&m, span_cstr("none"));
        for (int step = 0; step < 3000; step++) {
            random = random * 1103515245u + 12345u;
            int i = (int)(random >> 16) % (step < 1500 ? KEYS : KEYS / 20);
            char *key = keys + (size_t)i * KEY_SIZE;
            snprintf(key, KEY_SIZE, "k%d", i);
            if (has[i])
                strmap_remove(&m, key_of(keys, i));
            else
                assert_true(strmap_put(&m, key_of(keys, i), key, NULL));
            has[i] = !has[i];
        }
        for (int i = 0; i < KEYS; i++) {
            char *key = keys + (size_t)i * KEY_SIZE;
            snprintf(key, KEY_SIZE, "k%d", i);
            assert_ptr_equal(strmap_get(&m, key_of(keys, i)), has[i] ? key : NULL);
        }
        strmap_free(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_put_and_get),
        cmocka_unit_test(test_many),
        cmocka_unit_test(test_remove),

    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
