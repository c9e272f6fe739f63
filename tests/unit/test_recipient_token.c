/* recipient_token: RFC 8058 3.1, RULINGS 17. The tokens were computed with Python's hmac module. */
#include "spec/recipient_token.h"

#include "check.h"

#define FIRST_TOKEN "aSDUI3Zfrat91AqHJfYTziJVA0aiwcWMOF-WZYkDtEo"
#define OLD_TOKEN   "Ga-wJe53uQuZan3JiMfZ3DNB7fN3M7auWr7ffvQES5k"

static struct hmac *sha256;
static struct arena arena;

static int set_up(void **state)
{
    (void)state;
    arena_init(&arena, 0);
    sha256 = hmac_new("sha256");
    return sha256 == NULL ? -1 : 0;
}

static int tear_down(void **state)
{
    (void)state;
    hmac_free(sha256);
    arena_free(&arena);
    return 0;
}

static void test_make(void **state)
{
    static const struct {
        struct span key;
        const char *list_id, *address, *token;
    } rows[] = {
        {CHECK_LITERAL("first key"), "announce.lists.example.org", "joe@example.net", FIRST_TOKEN},
        {CHECK_LITERAL("first key"), "Announce.LISTS.example.org", "Joe@Example.NET", FIRST_TOKEN},
        {CHECK_LITERAL("old key"), "announce.lists.example.org", "joe@example.net", OLD_TOKEN},
        {CHECK_LITERAL("\xff\0 k"), "a.b", "", "C2WGDlcG0nwBCh6J5T7H6vpy9-zlBCcT4YVXhvSg-t8"},
    };

    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        char token[RECIPIENT_TOKEN_LENGTH + 2];

        memset(token, '#', sizeof token);
        check_row(rows[i].address);
        check_int("result", 0,
                  recipient_token_make(sha256, rows[i].key, span_cstr(rows[i].list_id),
                                       span_cstr(rows[i].address), &arena, token));
        check_str("token", rows[i].token, token);
        check_int("octet behind the NUL", '#', token[RECIPIENT_TOKEN_LENGTH + 1]);
    }
    check_end();
}

/* A longer digest does not fit: an error, not a write past the end. No key, no token. */
static void test_what_cannot_be(void **state)
{
    struct hmac *sha512 = hmac_new("sha512");
    char token[RECIPIENT_TOKEN_LENGTH + 1];

    (void)state;
    assert_non_null(sha512);
    assert_int_equal(-1, recipient_token_make(sha512, CHECK_SPAN("k"), CHECK_SPAN("a.b"),
                                              CHECK_SPAN("c"), &arena, token));
    assert_int_equal(-1, recipient_token_make(sha256, span_of(NULL, 0), CHECK_SPAN("a.b"),
                                              CHECK_SPAN("c"), &arena, token));
    hmac_free(sha512);
}

/* RULINGS 17: the first key signs, all verify */
static void test_verify(void **state)
{
    static const struct {
        const char *list_id, *address, *token;
        size_t keys;
        bool valid;
    } rows[] = {
        {"announce.lists.example.org", "joe@example.net", FIRST_TOKEN, 3, true},
        {"ANNOUNCE.lists.example.org", "JOE@example.net", FIRST_TOKEN, 3, true},
        {"announce.lists.example.org", "joe@example.net", OLD_TOKEN, 3, true},
        {"announce.lists.example.org", "joe@example.net", OLD_TOKEN, 2, false},
        {"announce.lists.example.org", "joe@example.net", FIRST_TOKEN, 0, false},
        {"announce.lists.example.org", "jim@example.net", FIRST_TOKEN, 3, false},
        {"announc.lists.example.org", "joe@example.net", FIRST_TOKEN, 3, false},
        /* the line feed keeps list and address apart */
        {"announce.lists.example.or", "gjoe@example.net", FIRST_TOKEN, 3, false},
        /* its own letter case matters; so do the first and the last octet */
        {"announce.lists.example.org", "joe@example.net",
         "ASDUI3Zfrat91AqHJfYTziJVA0aiwcWMOF-WZYkDtEo", 3, false},
        {"announce.lists.example.org", "joe@example.net",
         "aSDUI3Zfrat91AqHJfYTziJVA0aiwcWMOF-WZYkDtEp", 3, false},
        {"announce.lists.example.org", "joe@example.net",
         "aSDUI3Zfrat91AqHJfYTziJVA0aiwcWMOF-WZYkDtE", 3, false},
        {"announce.lists.example.org", "joe@example.net", FIRST_TOKEN "=", 3, false},
        {"announce.lists.example.org", "joe@example.net", "", 3, false},
    };
    const struct span keys[] = {CHECK_SPAN("first key"), CHECK_SPAN("another"),
                                CHECK_SPAN("old key")};

    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        bool valid = !rows[i].valid;

        check_row(rows[i].token);
        check_int("result", 0,
                  recipient_token_verify(sha256, keys, rows[i].keys, span_cstr(rows[i].list_id),
                                         span_cstr(rows[i].address), span_cstr(rows[i].token),
                                         &arena, &valid));
        check_bool("valid", rows[i].valid, valid);
    }
    check_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_make, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_what_cannot_be, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_verify, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
