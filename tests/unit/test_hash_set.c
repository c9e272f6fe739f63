/* ctl/hash_set: each hash once, also that of zeros, which marks a free place. */
#include "ctl/archive/hash_set.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
