/* recipient_token: RFC 8058 3.1, RULINGS 17. The tokens were computed with Python's hmac module. */
#include "spec/recipient_token.h"

#include "check.h"

#define FIRST_TOKEN "aSDUI3Zfrat91AqHJfYTziJVA0aiwcWMOF-WZYkDtEo"
#define OLD_TOKEN   "Ga-wJe53uQuZan3JiMfZ3DNB7fN3M7auWr7ffvQES5k"

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
        recipient_token_make(rows[i].key, span_cstr(rows[i].list_id), span_cstr(rows[i].address),
                             token);
        check_str("token", rows[i].token, token);
        check_int("octet behind the NUL", '#', token[RECIPIENT_TOKEN_LENGTH + 1]);
    }
    check_end();
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
        check_row(rows[i].token);
        check_bool("valid", rows[i].valid,
                   recipient_token_verify(keys, rows[i].keys, span_cstr(rows[i].list_id),
                                          span_cstr(rows[i].address), span_cstr(rows[i].token)));
    }
    check_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_make),
        cmocka_unit_test(test_verify),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
