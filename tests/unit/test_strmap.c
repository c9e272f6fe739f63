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

static void test_add_all(void **state)
{
    static char keys[100 * KEY_SIZE];
    struct strmap m, others;
    int value = 0, other = 0;
    (void)state;
    strmap_init(&m, 1);
    strmap_init(&others, 1);
    strmap_add_all(&m, &others);
    for (int i = 0; i < 100; i++) {
        snprintf(keys + (size_t)i * KEY_SIZE, KEY_SIZE, "k%d", i);
        assert_true(strmap_put(i < 60 ? &m : &others, key_of(keys, i), &value, NULL));
    }
    assert_true(strmap_put(&others, key_of(keys, 0), &other, NULL));
    strmap_add_all(&m, &others);
    assert_int_equal(m.count, 100);
    for (int i = 0; i < 100; i++)
        assert_ptr_equal(strmap_get(&m, key_of(keys, i)), &value);
    strmap_free(&m);
    strmap_free(&others);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_put_and_get),
        cmocka_unit_test(test_many),
        cmocka_unit_test(test_add_all),

    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
