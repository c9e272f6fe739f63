/* archived_at: AT-03, AT-04, AT-06, RULINGS 13, 29 */
#include "spec/archived_at.h"

#include "check.h"

static void test_uri(void **state)
{
    static const struct {
        const char *value, *uri;
    } rows[] = {
        {" <https://a.example/1>", "https://a.example/1"},
        {"<https://a.example/\r\n 1\t>\r\n", "https://a.example/1"},
        {" < a : b > ", "a:b"},
        {"<>", ""},
        {"https://a.example/1", "https://a.example/1"},
        {"<https://a.example/1", "<https://a.example/1"},
        {"https://a.example/1>", "https://a.example/1>"},
        {"<<a:b>>", "<a:b>"},
        {"<a:b> (c)", "<a:b>(c)"},
        {"<", "<"},
        {"", ""},
    };
    struct arena arena;
    (void)state;
    arena_init(&arena, 0);
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        struct span uri = span_cstr("not set");
        check_row(rows[i].value);
        uri = archived_at_uri(span_cstr(rows[i].value), &arena);
        check_text("uri", rows[i].uri, uri);
    }
    arena_free(&arena);
    check_end();
}

/* RFC 2045 5.1 */
static void test_content_kind(void **state)
{
    static const struct {
        const char *type;
        enum content_kind kind;
    } rows[] = {
        {"message/partial; id=x; number=1", CONTENT_FIRST_FRAGMENT},
        {"message/partial;Number (c) = \"1\" ;total=2", CONTENT_FIRST_FRAGMENT},
        {"message/partial; id=\"a;number=1\"; number=12", CONTENT_FRAGMENT},
        {"message/partial; numbers=1; number", CONTENT_FRAGMENT},
        {"MESSAGE/Partial", CONTENT_FRAGMENT},
        {" (a) message (b) / (c) partial(d)", CONTENT_FRAGMENT},
        {"multipart/digest;boundary=x", CONTENT_DIGEST},
        {"multipart/digest (message/partial)", CONTENT_DIGEST},
        {"message/partials", CONTENT_OTHER},
        {"message/partial/x", CONTENT_FRAGMENT},
        {"message/rfc822", CONTENT_OTHER},
        {"multipart/partial", CONTENT_OTHER},
        {"multipart/mixed; x=\"message/partial\"", CONTENT_OTHER},
        {"message", CONTENT_OTHER},
        {"message partial", CONTENT_OTHER},
        {"(message/partial", CONTENT_OTHER},
        {"/partial", CONTENT_OTHER},
        {"", CONTENT_OTHER},
    };
    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        check_row(rows[i].type);
        check_int("kind", rows[i].kind, archived_at_content_kind(span_cstr(rows[i].type)));
    }
    check_row("no Content-Type");
    check_int("kind", CONTENT_OTHER, archived_at_content_kind(span_of(NULL, 0)));
    check_end();
}

static void add(struct header *header, const char *name, const char *value)
{
    header_add(header, span_cstr(name), span_cstr(value), 0);
}

static void test_wish(void **state)
{
    static const struct {
        const char *fields[6]; /* name, value, ... */
        enum field_name wish;
    } rows[] = {
        {{NULL}, FIELD_OTHER},
        {{"Subject", "X-No-Archive: yes"}, FIELD_OTHER},
        {{"X-No-Archive", " yes"}, FIELD_X_NO_ARCHIVE},
        {{"x-no-archive", ""}, FIELD_X_NO_ARCHIVE},
        {{"X-No-Archive", " no"}, FIELD_X_NO_ARCHIVE}, /* as Mailman does */
        {{"X-Archive", " No"}, FIELD_X_ARCHIVE},
        {{"Archive", " no; filename=x"}, FIELD_ARCHIVE},
        {{"Archive", "\r\n \"no\" (never)"}, FIELD_ARCHIVE},
        {{"Archive", " no(x)"}, FIELD_ARCHIVE},
        {{"Archive", " yes, not no"}, FIELD_OTHER},
        {{"Archive", " none"}, FIELD_OTHER},
        {{"Archive", " \"no"}, FIELD_OTHER},
        {{"X-Archive", " encrypt"}, FIELD_OTHER},
        {{"Archive", " yes", "Archive", " no"}, FIELD_ARCHIVE},
        {{"Restrict", " no-external-archive"}, FIELD_RESTRICT},
        {{"Restrict", " x, No-External-Archive; y"}, FIELD_RESTRICT},
        {{"Restrict", " no-external-\r\n archive"}, FIELD_OTHER},
        {{"Restrict", " no-external-archives"}, FIELD_OTHER},
        {{"Restrict", " no-external-archive-x"}, FIELD_OTHER},
        {{"Restrict", " xno-external-archive"}, FIELD_OTHER},
        {{"Restrict", " a_no-external-archive no-external-archive"}, FIELD_RESTRICT},
        {{"Restrict", " no"}, FIELD_OTHER},
        {{"Restrict", " no-external-archive", "X-Archive", " no"}, FIELD_X_ARCHIVE},
    };
    struct arena arena;
    struct header header;
    (void)state;
    arena_init(&arena, 0);
    header_init(&header);
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        enum field_name wish = FIELD_DATE;
        header_reset(&header);
        for (size_t k = 0; rows[i].fields[k] != NULL; k += 2)
            add(&header, rows[i].fields[k], rows[i].fields[k + 1]);
        check_row(rows[i].fields[0] != NULL ? rows[i].fields[1] : "none");
        wish = archived_at_wish(&header, &arena);
        check_int("wish", rows[i].wish, wish);
    }
    header_free(&header);
    arena_free(&arena);
    check_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_uri),
        cmocka_unit_test(test_content_kind),
        cmocka_unit_test(test_wish),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
