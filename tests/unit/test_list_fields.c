/* list_fields: LH-03, LH-06, LH-07, LH-13, LH-16 to LH-18, RULINGS 35, 36, 85 */
#include "spec/list_fields.h"

#include "mail/field_check.h"

#include "check.h"

#define MAX_ITEMS 8

/* RULINGS 35, 85, LH-06, LH-07, LH-17 */
static void test_split(void **state)
{
    static const struct {
        const char *text, *uri, *comment;
        bool is_no;
        const char *fault; /* a part of it; NULL: none */
    } rows[] = {
        {"mailto:a@b", "mailto:a@b", "", false, NULL},
        {"mailto:a@b (Postings are Moderated)", "mailto:a@b", "(Postings are Moderated)", false,
         NULL},
        {"  mailto:a@b \t (x) ", "mailto:a@b", "(x)", false, NULL},
        {"mailto:a@b (a (b) \\) c)", "mailto:a@b", "(a (b) \\) c)", false, NULL},
        {"https://h/(x)", "https://h/(x)", "", false, NULL},
        {"NO", "", "", true, NULL},
        {"no", "", "", true, NULL},
        {"No (posting not allowed on this list)", "", "(posting not allowed on this list)", true,
         NULL},
        {"NOT", "NOT", "", false, NULL},
        {"", "", "", false, NULL},
        {"mailto:a@b text", "mailto:a@b", "text", false, "no comment"},
        {"mailto:a@b, mailto:c@d", "mailto:a@b,", "mailto:c@d", false, "no comment"},
        {"mailto:a@b (x", "mailto:a@b", "(x", false, "not balanced"},
        {"mailto:a@b ((x)", "mailto:a@b", "((x)", false, "not balanced"},
        {"mailto:a@b (x\\)", "mailto:a@b", "(x\\)", false, "not balanced"},
        {"mailto:a@b (x))", "mailto:a@b", "(x))", false, "after its comment"},
        {"mailto:a@b (x) y", "mailto:a@b", "(x) y", false, "after its comment"},
        {"mailto:a@b (x) (y)", "mailto:a@b", "(x) (y)", false, "after its comment"},
        {"mailto:a@b (gr\xc3\xbcn)", "mailto:a@b", "(gr\xc3\xbcn)", false, "not ASCII"},
        {"\"x\" mailto:a@b", "\"x\"", "mailto:a@b", false, "no comment"},
        {"mailto:a@b (x\ny)", "mailto:a@b", "(x\ny)", false, "control"},
        {"mailto:a@b (x\ty)", "mailto:a@b", "(x\ty)", false, "control"},
        {"mailto:a@b (x\x7f)", "mailto:a@b", "(x\x7f)", false, "control"},
        {"NO x", "", "x", true, "no comment"},
    };
    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        struct list_item item;
        const char *fault = list_item_split(span_cstr(rows[i].text), &item);
        check_row(rows[i].text);
        check_text("uri", rows[i].uri, item.uri);
        check_text("before", "", item.before);
        check_text("comment", rows[i].comment, item.comment);
        check_bool("is NO", rows[i].is_no, item.is_no);
        if (rows[i].fault == NULL || fault == NULL)
            check_str("fault", rows[i].fault, fault);
        else
            check_bool(fault, true, strstr(fault, rows[i].fault) != NULL);
    }
    check_end();
}

/* LH-17, RULINGS 85: as RFC 2369 3.2 and 3.3 print it */
static void test_split_before(void **state)
{
    static const struct {
        const char *text, *before, *uri, *comment;
        const char *fault; /* a part of it; NULL: none */
    } rows[] = {
        {"(Use this command) mailto:a@b", "(Use this command)", "mailto:a@b", "", NULL},
        {" (a (b) \\) c)\tmailto:a@b  (d) ", "(a (b) \\) c)", "mailto:a@b", "(d)", NULL},
        {"(x)mailto:a@b", "(x)", "mailto:a@b", "", NULL},
        {"(x) NO (y)", "(x)", "", "(y)", NULL},
        {"(gr\xc3\xbcn) x:y", "(gr\xc3\xbcn)", "x:y", "", "not ASCII"}, /* RULINGS 108 */
        {"(x)", "(x)", "", "", NULL},
        {"(x) (y) mailto:a@b", "(x)", "(y)", "mailto:a@b", "no comment"},
        {"(x", "(x", "", "", "not balanced"},
        {"(x mailto:a@b", "(x mailto:a@b", "", "", "not balanced"},
        {"(x) y) mailto:a@b", "(x)", "y)", "mailto:a@b", "no comment"},
        {"(x\ty) x:y", "(x\ty)", "x:y", "", "control"},
    };
    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        struct list_item item;
        const char *fault = list_item_split(span_cstr(rows[i].text), &item);
        check_row(rows[i].text);
        check_text("before", rows[i].before, item.before);
        check_text("uri", rows[i].uri, item.uri);
        check_text("comment", rows[i].comment, item.comment);
        if (rows[i].fault == NULL || fault == NULL)
            check_str("fault", rows[i].fault, fault);
        else
            check_bool(fault, true, strstr(fault, rows[i].fault) != NULL);
    }
    check_end();
}

/* LH-03, LH-06, LH-07, LH-16 to LH-18, RULINGS 36, 85 */
static void test_render(void **state)
{
    static const struct {
        const char *name;
        const char *items[4];
        const char *value;
    } rows[] = {
        {"List-Help", {"mailto:a@b"}, "<mailto:a@b>"},
        {"List-Help", {"mailto:a@b (x)", "https://h/"}, "<mailto:a@b> (x), <https://h/>"},
        {"List-Post", {"NO"}, "NO"},
        {"List-Post", {"no (no posts)"}, "NO (no posts)"},
        {"List-Help", {NULL}, ""},
        /* comments in front */
        {"List-Help",
         {"(Use this) mailto:a@b", "(or that) https://h/ (x)"},
         "(Use this) <mailto:a@b>, (or that) <https://h/> (x)"},
        {"List-Post", {"(x) NO (y)"}, "(x) NO (y)"},
        /* 9 + 2 + 67 = 78 columns */
        {"List-Help",
         {"mailto:aaaaaaaaaaaaaaaaaaaaaaaaa@b", "https://h/aaaaaaaaaaaaaaaaa"},
         "<mailto:aaaaaaaaaaaaaaaaaaaaaaaaa@b>, <https://h/aaaaaaaaaaaaaaaaa>"},
        /* 79 */
        {"List-Help",
         {"mailto:aaaaaaaaaaaaaaaaaaaaaaaaa@b", "https://h/aaaaaaaaaaaaaaaaaa"},
         "<mailto:aaaaaaaaaaaaaaaaaaaaaaaaa@b>,\n <https://h/aaaaaaaaaaaaaaaaaa>"},
        /* the comma counts: with it the second item would end in column 79 */
        {"List-Help",
         {"mailto:aaaaaaaaaaaaaaaaaaaaaaaaa@b", "https://h/aaaaaaaaaaaaaaaaa", "x:y"},
         "<mailto:aaaaaaaaaaaaaaaaaaaaaaaaa@b>,\n <https://h/aaaaaaaaaaaaaaaaa>, <x:y>"},
        {"List-Help",
         {"mailto:aaaaaaaaaaaaaaaaaaaaaaaaa@b", "https://h/aaaaaaaaaaaaaaaa", "x:y"},
         "<mailto:aaaaaaaaaaaaaaaaaaaaaaaaa@b>, <https://h/aaaaaaaaaaaaaaaa>,\n <x:y>"},
        /* the name counts */
        {"List-Unsubscribe",
         {"mailto:aaaaaaaaaaaaaaaaaaaaaaaaa@b", "https://h/aaaaaaaaaaa"},
         "<mailto:aaaaaaaaaaaaaaaaaaaaaaaaa@b>,\n <https://h/aaaaaaaaaaa>"},
        {"List-Unsubscribe",
         {"mailto:aaaaaaaaaaaaaaaaaaaaaaaaa@b", "https://h/aaaaaaaaaa"},
         "<mailto:aaaaaaaaaaaaaaaaaaaaaaaaa@b>, <https://h/aaaaaaaaaa>"},
        /* a long first item is not folded: there is no comma before it */
        {"List-Help",
         {"https://h/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
          "x:y", "x:z"},
         "<https://h/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa>,\n"
         " <x:y>, <x:z>"},
    };
    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        struct list_item items[4];
        struct strbuf out = STRBUF_INIT;
        size_t count = 0;
        check_row(rows[i].value);
        for (; count < 4 && rows[i].items[count] != NULL; count++)
            check_str("split", NULL,
                      list_item_split(span_cstr(rows[i].items[count]), &items[count]));
        list_field_render(&out, span_cstr(rows[i].name), items, count);
        check_text("value", rows[i].value, strbuf_span(&out));
        strbuf_free(&out);
    }
    check_end();
}

/* LH-13 */
static void test_reading(void **state)
{
    static const struct {
        const char *value;
        const char *uris[4];
    } rows[] = {
        {"<mailto:a@b>", {"mailto:a@b"}},
        {" <mailto:a@b>", {"mailto:a@b"}},
        {"(a comment) <mailto:a@b> (x), (y (z))\t<https://h/> ", {"mailto:a@b", "https://h/"}},
        {"<mailto:a@b>,<https://h/>", {"mailto:a@b", "https://h/"}},
        {"< mailto:a@b\t>, <https://h/ a b>", {"mailto:a@b", "https://h/ab"}},
        {"<mailto:a@b> junk, <https://h/>", {"mailto:a@b"}},
        {"<mailto:a@b>; <https://h/>", {"mailto:a@b"}},
        {"<mailto:a@b>, junk, <https://h/>", {"mailto:a@b"}},
        {"<mailto:a@b>,, <https://h/>", {"mailto:a@b"}},
        {"<mailto:a@b>, <https://h/", {"mailto:a@b"}},
        {"<mailto:a@b> <https://h/>", {"mailto:a@b"}},
        {"<mailto:a@b>,", {"mailto:a@b"}},
        {"<mailto:a@b> (unclosed, <https://h/>", {"mailto:a@b"}},
        {"<https://h/(>, <x:y>", {"https://h/(", "x:y"}},
        {"mailto:a@b", {NULL}},
        {", <mailto:a@b>", {NULL}},
        {"x <mailto:a@b>", {NULL}},
        {"\"x\" <mailto:a@b>", {NULL}},
        {"NO", {NULL}},
        {"NO (posting not allowed on this list)", {NULL}},
        {"(unclosed <mailto:a@b>", {NULL}},
        {"<mailto:a@b", {NULL}},
        {"", {NULL}},
    };
    struct arena arena;
    (void)state;
    arena_init(&arena, 0);
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        struct cursor c = cursor_of(span_cstr(rows[i].value));
        bool first = true;
        struct span uri = {NULL, 0};
        check_row(rows[i].value);
        for (size_t k = 0; k < 4 && rows[i].uris[k] != NULL; k++) {
            check_int("found", 1, list_field_next_uri(&c, &first, &arena, &uri));
            check_text("uri", rows[i].uris[k], uri);
        }
        check_int("no further one", 0, list_field_next_uri(&c, &first, &arena, &uri));
        check_int("none after the end", 0, list_field_next_uri(&c, &first, &arena, &uri));
    }
    arena_free(&arena);
    check_end();
}

/* LH-13, RFC 2369 2: the number of URIs, and the text after them that is ignored */
static void test_ends(void **state)
{
    static const struct {
        const char *value;
        int count;
        const char *ignored;
    } rows[] = {
        {"<a:b>", 1, ""},
        {"<a:b>, <c:d>", 2, ""},
        {" (x) <a:b> (y (z)) , (c)<c:d>(d) ", 2, ""},
        {"<>", 1, ""},
        {"", 0, ""},
        {"mailto:a@b", 0, "mailto:a@b"},
        {"NO", 0, "NO"},
        {"(x)", 0, "(x)"},
        {",<a:b>", 0, ",<a:b>"},
        {"<a:b>,", 1, ""},
        {"<a:b>, (x)", 1, ""},
        {"<a:b>,,<c:d>", 1, ",,<c:d>"},
        {"<a:b>, c:d", 1, ", c:d"},
        {"(x <a:b>", 0, "(x <a:b>"},
        {"<a:b> (x", 1, " (x"},
        {"<a:b>, (x <c:d>", 1, ", (x <c:d>"},
        {"<a:b", 0, "<a:b"},
        {"<a:b>, <c:d", 1, ", <c:d"},
        {"<a:b> <c:d>", 1, " <c:d>"},
        {"<a:b> x, <c:d>", 1, " x, <c:d>"},
        {"<a:b>, <c:d>; <e:f>", 2, "; <e:f>"},
    };
    struct arena arena;
    (void)state;
    arena_init(&arena, 0);
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        struct cursor c = cursor_of(span_cstr(rows[i].value));
        struct span uri;
        bool first = true;
        int count = 0;
        check_row(rows[i].value);
        while (list_field_next_uri(&c, &first, &arena, &uri))
            count++;
        check_int("URIs", rows[i].count, count);
        check_span("ignored", span_cstr(rows[i].ignored), cursor_rest(&c));
    }
    arena_free(&arena);
    check_end();
}

/* LH-07 */
static void test_no(void **state)
{
    static const struct {
        const char *value;
        bool is_no;
    } rows[] = {
        {"NO", true},      {"no", true},          {" (x) No (closed (for all)) ", true},
        {"", false},       {"N", false},          {"NOT", false},
        {"NO x", false},   {"NO (x", false},      {"(x NO", false},
        {"\"NO\"", false}, {"<NO>", false},       {"NO, <mailto:a@b>", false},
        {"NO NO", false},  {"<mailto:a>", false}, {"NO.", false},
    };
    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        check_row(rows[i].value);
        check_bool("is NO", rows[i].is_no, list_field_is_no(span_cstr(rows[i].value)));
    }
    check_end();
}

/* RFC 8058 3.1 */
static void test_one_click(void **state)
{
    static const struct {
        const char *uris[4];
        bool allowed;
    } rows[] = {
        {{NULL}, false},
        {{"mailto:a@b"}, false},
        {{"https://a/"}, true},
        {{"mailto:a@b", "HTTPS://a/", "ftp://a/"}, true},
        {{"http://a/"}, false},
        {{"https://a/", "http://a/"}, false},
        {{"https://a/", "https://b/"}, false},
        {{"httpsx://a/"}, false},
    };
    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        struct web_items web = {0, 0};
        check_row(rows[i].uris[0] != NULL ? rows[i].uris[0] : "none");
        for (size_t k = 0; rows[i].uris[k] != NULL; k++)
            web_items_count(&web, span_cstr(rows[i].uris[k]));
        check_bool("allowed", rows[i].allowed, web_items_allow_one_click(&web));
    }
    check_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_split),     cmocka_unit_test(test_split_before),
        cmocka_unit_test(test_render),    cmocka_unit_test(test_reading),
        cmocka_unit_test(test_ends),      cmocka_unit_test(test_no),
        cmocka_unit_test(test_one_click),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
