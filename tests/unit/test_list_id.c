/* list_id: LI-01 to LI-08, LI-10, RULINGS 18, 25, 37, 38 */
#include "spec/list_id.h"

#include "check.h"

#define L50 "abcdefghijabcdefghijabcdefghijabcdefghijabcdefghij"
#define E19                                                                                        \
    "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9"             \
    "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9"
#define E22 E19 "\xc3\xa9\xc3\xa9\xc3\xa9"
/* E19 without its last character, E22 without its last, in Base 64 */
#define E18_64 "w6nDqcOpw6nDqcOpw6nDqcOpw6nDqcOpw6nDqcOpw6nDqcOp"
#define E21_64 E18_64 "w6nDqcOp"

/* LI-01, LI-02, RULINGS 25 */
static void test_grammar(void **state)
{
    static const struct {
        const char *id;
        const char *fault; /* a part of it; NULL: it is one */
    } rows[] = {
        {"announce.lists.example.org", NULL},
        {"a.b", NULL},
        {"0Jks9449.list-id.cmu.edu", NULL},
        {"lenas-jokes.da39efc25c530ad145d41b86f7420c3b.021999.localhost", NULL},
        {"a+b_c=d!#$%&'*/?^`{|}~.x", NULL},
        {L50 L50 L50 L50 L50 ".example", "more than 255"},
        {L50 L50 L50 L50 L50 ".org", NULL},              /* 254 */
        {L50 L50 L50 L50 L50 ".1234", NULL},             /* 255 */
        {L50 L50 L50 L50 L50 ".12345", "more than 255"}, /* 256 */
        {"", "empty"},
        {"announce", "no dot"},
        {".", "begins or ends"},
        {".a", "begins or ends"},
        {"a.", "begins or ends"},
        {"a..b", "two in a row"},
        {"a b.c", "character"},
        {" a.b", "character"},
        {"<a.b>", "character"},
        {"a@b.c", "character"},
        {"a.b\n", "character"},
        {"a.b,c", "character"},
        {"\"a\".b", "character"},
        {"gr\xc3\xbc\xc3\x9f"
         "e.example.org",
         "character"},
    };
    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        const char *fault = list_id_fault(span_cstr(rows[i].id));
        check_row(rows[i].id);
        if (rows[i].fault == NULL || fault == NULL)
            check_str("fault", rows[i].fault, fault);
        else
            check_bool(fault, true, strstr(fault, rows[i].fault) != NULL);
    }
    check_row("a NUL inside");
    check_bool("fault", true, list_id_fault(CHECK_SPAN("a\0b.c")) != NULL);
    check_end();
}

/* RULINGS 25 */
static void test_split_at_the_first_dot(void **state)
{
    static const struct {
        const char *id, *label, *name_space;
    } rows[] = {
        {"announce.lists.example.org", "announce", "lists.example.org"},
        {"a.b", "a", "b"},
        {"nodot", "nodot", ""},
        {"", "", ""},
    };
    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        check_row(rows[i].id);
        check_text("label", rows[i].label, list_id_label(span_cstr(rows[i].id)));
        check_text("name space", rows[i].name_space, list_id_namespace(span_cstr(rows[i].id)));
    }
    check_end();
}

/* LI-04: the first five are RFC 2919's own examples */
static void test_randomness(void **state)
{
    static const struct {
        const char *id;
        bool lacks;
    } rows[] = {
        {"lenas-jokes.da39efc25c530ad145d41b86f7420c3b.021999.localhost", false},
        {"da39efc25c530ad145d41b86f7420c3b.051998.localhost", false},
        {"da39efc25c530ad145d41b86f7420c3b.052000.localhost", false},
        {"lenas-jokes.021999.localhost", true},
        {"mylist.localhost", true},
        {"DA39EFC25C530AD145D41B86F7420C3B.052000.LocalHost", false},
        {"da39efc25c530ad145d41b86f7420c3b.localhost", true},
        {"da39efc25c530ad145d41b86f7420c3b.132000.localhost", true},
        {"da39efc25c530ad145d41b86f7420c3b.002000.localhost", true},
        {"da39efc25c530ad145d41b86f7420c3b.05200.localhost", true},
        {"da39efc25c530ad145d41b86f7420c3.052000.localhost", true},
        {"ga39efc25c530ad145d41b86f7420c3b.052000.localhost", true},
        {"da39efc25c530ad145d41b86f7420c3b052000.localhost", true},
        {"announce.lists.example.org", false},
        {"localhost.example.org", false},
        {"a.notlocalhost", false},
    };
    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        check_row(rows[i].id);
        check_bool("lacks it", rows[i].lacks, list_id_lacks_randomness(span_cstr(rows[i].id)));
    }
    check_end();
}

/* LI-06, RULINGS 18 */
static void test_reading(void **state)
{
    static const struct {
        const char *value;
        const char *id; /* NULL: none */
    } rows[] = {
        {" List Header Mailing List <list-header.nisto.com>", "list-header.nisto.com"},
        {"<commonspace-users.list-id.within.com>", "commonspace-users.list-id.within.com"},
        {"\"Lena's Personal Joke List\"\r\n <a.b.localhost>", "a.b.localhost"},
        {"\"An internal CMU List\" <0Jks9449.list-id.cmu.edu>", "0Jks9449.list-id.cmu.edu"},
        {"< a.b >", "a.b"},
        {"<a.\r\n b\t.c>", "a.b.c"},
        {"\"<not.this>\" <this.one>", "this.one"},
        {"\"a \\\" <not.this>\" <this.one>", "this.one"},
        {"(<not.this>) <this.one>", "this.one"},
        {"(a (b <not.this>) \\) <nor.this>) <this.one>", "this.one"},
        {"<first.one> <second.one>", "first.one"},
        {"<first.one> (comment", "first.one"},
        {"x > <a.b>", "a.b"},
        {"<a<b>", "a<b"},
        {"<\"a>b\">", "\"a"},
        {"a.b.c", NULL},
        {"", NULL},
        {"<>", NULL},
        {"< \t\r\n >", NULL},
        {"<a.b", NULL},
        {"<", NULL},
        {">", NULL},
        {"\"unclosed <a.b>", NULL},
        {"(unclosed <a.b>", NULL},
        {"((one) <a.b>", NULL},
        {"\"a\\\" <a.b>", NULL},
    };
    struct arena arena;
    (void)state;
    arena_init(&arena, 0);
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        struct span id = {NULL, 0};
        int found = list_id_read(span_cstr(rows[i].value), &arena, &id);
        check_row(rows[i].value);
        check_int("found", rows[i].id != NULL, found);
        if (rows[i].id != NULL && found == 1)
            check_text("id", rows[i].id, id);
    }
    arena_free(&arena);
    check_end();
}

/* LI-07, LI-08, RULINGS 37: the column of the bracket */
static void test_rendering(void **state)
{
    static const struct {
        const char *description, *id, *value;
    } rows[] = {
        {"", "a.b", "<a.b>"},
        {"   ", "a.b", "<a.b>"},
        {"", L50 L50 ".x", "<" L50 L50 ".x>"}, /* no phrase, no fold */
        {"Example announcements", "Announce.Example.org",
         "Example announcements <Announce.Example.org>"},
        {"Example, Inc.", "a.b", "\"Example, Inc.\" <a.b>"},
        {"R&D {x} a+b=c ~'!#$%^`|*/?_-", "a.b", "R&D {x} a+b=c ~'!#$%^`|*/?_- <a.b>"},
        {" two  blanks ", "a.b", "\"two  blanks\" <a.b>"},
        {"Lena's Personal Joke List", "a.b", "Lena's Personal Joke List <a.b>"},
        {"say \"hi\" \\ <x>", "a.b", "\"say \\\"hi\\\" \\\\ <x>\" <a.b>"},
        {"(comment)", "a.b", "\"(comment)\" <a.b>"},
        /* the first line has room for 39 bytes after "List-Id: ", the others for 45 */
        {E19 "a", "a.b", "=?UTF-8?B?" E18_64 "w6lh?=\n <a.b>"},
        {E19 "ab", "a.b", "=?UTF-8?B?" E18_64 "w6lh?=\n =?UTF-8?B?Yg==?= <a.b>"},
        {E19 "\xc3\xa9", "a.b", "=?UTF-8?B?" E18_64 "w6k=?=\n =?UTF-8?B?w6k=?= <a.b>"},
        {E19 "a" E22 "b", "a.b", "=?UTF-8?B?" E18_64 "w6lh?=\n =?UTF-8?B?" E21_64 "w6li?=\n <a.b>"},
        {E19 "a" E22 "bc", "a.b",
         "=?UTF-8?B?" E18_64 "w6lh?=\n =?UTF-8?B?" E21_64 "w6li?=\n =?UTF-8?B?Yw==?= <a.b>"},
        {"Ank\xc3\xbcndigungen", "a.b", "=?UTF-8?B?QW5rw7xuZGlndW5nZW4=?= <a.b>"},
        /* 9 + 50 + 1 + 18 = 78 */
        {L50, "1234567890.example", L50 "\n <1234567890.example>"},
        {L50, "123456789.example1", L50 "\n <123456789.example1>"},
        {L50, "12345678.example", L50 " <12345678.example>"},
        {L50, "123456789.example", L50 "\n <123456789.example>"},
        /* the words of a long phrase: 9 + 50 + 1 + 18 = 78, then 79, in either form */
        {L50 " 123456789012345678 x", "a.b", L50 " 123456789012345678\n x <a.b>"},
        {L50 " 1234567890123456789 x", "a.b", L50 "\n 1234567890123456789 x <a.b>"},
        {L50 " 12345678901234567 x", "a.b", L50 " 12345678901234567\n x <a.b>"},
        {L50 " 123456789012345, x", "a.b", "\"" L50 " 123456789012345,\n x\" <a.b>"},
        {L50 " 12345678901\", x", "a.b", "\"" L50 " 12345678901\\\", x\"\n <a.b>"},
        {L50 " 123456789012\", x", "a.b", "\"" L50 " 123456789012\\\",\n x\" <a.b>"},
        {L50 "   1234567890123456, x", "a.b", "\"" L50 "\n   1234567890123456, x\" <a.b>"},
        {L50 "1234567890123456789 x", "a.b", L50 "1234567890123456789\n x <a.b>"},
        {L50 L50 " " L50 " x", "a.b", L50 L50 "\n " L50 " x <a.b>"},
        /* RULINGS 37: what looks like an encoded word is none */
        {"=?UTF-8?Q?evil?=", "a.b", "\"=?UTF-8?Q?evil?=\" <a.b>"},
        {"The =?x?= a=?UTF-8?Q?evil?=b list", "a.b", "\"The =?x?= a=?UTF-8?Q?evil?=b list\" <a.b>"},
        {"=? a?= =?= ?=", "a.b", "=? a?= =?= ?= <a.b>"},
        /* the last line counts, not the first: 1 + 20 + 1 + 54 = 76 (RFC 2047 2) */
        {"\xe6\x97\xa5\xe6\x97\xa5\xe6\x97\xa5\xe6\x97\xa5\xe6\x97\xa5\xe6\x97\xa5\xe6\x97\xa5"
         "\xe6\x97\xa5\xe6\x97\xa5\xe6\x97\xa5\xe6\x97\xa5\xe6\x97\xa5\xe6\x97\xa5 abc",
         L50 ".1",
         "=?UTF-8?B?5pel5pel5pel5pel5pel5pel5pel5pel5pel5pel5pel5pel5pel?=\n "
         "=?UTF-8?B?IGFiYw==?= <" L50 ".1>"},
        {"\xe6\x97\xa5\xe6\x97\xa5\xe6\x97\xa5\xe6\x97\xa5\xe6\x97\xa5\xe6\x97\xa5\xe6\x97\xa5"
         "\xe6\x97\xa5\xe6\x97\xa5\xe6\x97\xa5\xe6\x97\xa5\xe6\x97\xa5\xe6\x97\xa5 abc",
         L50 ".12",
         "=?UTF-8?B?5pel5pel5pel5pel5pel5pel5pel5pel5pel5pel5pel5pel5pel?=\n "
         "=?UTF-8?B?IGFiYw==?=\n <" L50 ".12>"},
    };
    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        struct strbuf out = STRBUF_INIT;
        check_row(rows[i].description);
        strbuf_add_str(&out, "\nwhat was there");
        size_t before = out.len;
        list_id_render(&out, span_cstr(rows[i].description), span_cstr(rows[i].id));
        check_text("value", rows[i].value, span_sub(strbuf_span(&out), before, SIZE_MAX));
        strbuf_free(&out);
    }
    check_end();
}

/* LI-04, RFC 2919 2 and 5: what is made is an id, and one in "localhost" has what it needs */
static void test_make(void **state)
{
    static const struct {
        const char *name, *domain;
        int month, year;
        const char *id;
        bool good;
    } rows[] = {
        {"announce", "lists.example.org", 7, 2007, "announce.lists.example.org", true},
        {"lenas-jokes", "", 2, 1999,
         "lenas-jokes.da39efc25c530ad145d41b86f7420c3b.021999.localhost", true},
        {"a", "", 12, 2026, "a.da39efc25c530ad145d41b86f7420c3b.122026.localhost", true},
        {"a b", "", 1, 2026, "a b.da39efc25c530ad145d41b86f7420c3b.012026.localhost", false},
        {"", "example.org", 1, 2026, ".example.org", false},
        {"a", "example.org.", 1, 2026, "a.example.org.", false},
    };
    static const unsigned char random[LIST_ID_RANDOM_OCTETS] = {0xda, 0x39, 0xef, 0xc2, 0x5c, 0x53,
                                                                0x0a, 0xd1, 0x45, 0xd4, 0x1b, 0x86,
                                                                0xf7, 0x42, 0x0c, 0x3b};
    struct strbuf out = STRBUF_INIT;
    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        check_row(rows[i].id);
        strbuf_reset(&out);
        strbuf_add_str(&out, "x"); /* it is appended */
        list_id_make(&out, span_cstr(rows[i].name), span_cstr(rows[i].domain), random,
                     rows[i].month, rows[i].year);
        struct span id = span_sub(strbuf_span(&out), 1, SIZE_MAX);
        check_text("id", rows[i].id, id);
        check_bool("a list-id", rows[i].good, list_id_fault(id) == NULL);
        check_bool("lacks randomness", false, list_id_lacks_randomness(id));
    }
    strbuf_free(&out);
    check_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_grammar),    cmocka_unit_test(test_split_at_the_first_dot),
        cmocka_unit_test(test_randomness), cmocka_unit_test(test_reading),
        cmocka_unit_test(test_rendering),  cmocka_unit_test(test_make),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
