/* ctl/hash_set: each hash once, also that of zeros, which marks a free place. */
#include "ctl/archive/hash_set.h"

#include "alloc_fail.h"
#include "check.h"

#define MANY 5000

/* 32 letters of Base 32 for the number. */
static void make_hash(unsigned n, char hash[MESSAGE_ID_HASH_LENGTH + 1])
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

    for (size_t i = 0; i < MESSAGE_ID_HASH_LENGTH; i++) {
        hash[i] = letters[n % 32];
        n /= 32;
    }
    hash[MESSAGE_ID_HASH_LENGTH] = '\0';
}

static void test_each_once(void **state)
{
    char hash[MESSAGE_ID_HASH_LENGTH + 1];
    struct hash_set s;

    (void)state;
    hash_set_init(&s);
    for (int again = 0; again < 2; again++) {
        for (unsigned n = 0; n < MANY; n++) {
            make_hash(n, hash);
            check_row(hash);
            check_int(again ? "it is there" : "added", again, hash_set_add(&s, hash));
        }
    }
    hash_set_free(&s);
    check_end();
}

/* A request that is refused: -1, and what was there is still there. */
static void test_out_of_memory(void **state)
{
    char hash[MESSAGE_ID_HASH_LENGTH + 1];
    struct hash_set s;
    unsigned refused = 0;

    (void)state;
    hash_set_init(&s);
    for (unsigned n = 1; n < MANY; n++) {
        int result;

        make_hash(n, hash);
        check_row(hash);
        alloc_fail_at(1);
        result = hash_set_add(&s, hash);
        check_int("result", alloc_failed() ? -1 : 0, result);
        alloc_fail_at(0);
        if (result != 0) {
            refused++;
            check_int("the second time", 0, hash_set_add(&s, hash));
        }
    }
    check_bool("some were refused", true, refused > 3);
    for (unsigned n = 1; n < MANY; n++) {
        make_hash(n, hash);
        check_row(hash);
        check_int("it is there", 1, hash_set_add(&s, hash));
    }
    hash_set_free(&s);
    check_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_each_once),
                                       cmocka_unit_test(test_out_of_memory)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
