/* dkim_signature: RFC 6376 3.2, 3.5 */
#include "spec/dkim_signature.h"

#include "check.h"

static size_t dkim_signed_count(struct span value, enum field_name name)
{
    size_t counts[FIELD_NAME_COUNT];
    dkim_signed_counts(value, counts);
    return counts[name];
}

/* RFC 6376 3.5, its example, and 3.2 */
static void test_signed_count(void **state)
{
    static const struct {
        const char *value;
        enum field_name name;
        size_t count;
    } rows[] = {
        {"v=1; a=rsa-sha256; d=example.net; s=brisbane; c=simple; q=dns/txt; i=@eng.example.net; "
         "t=1117574938; x=1118006938; h=from:to:subject:date; "
         "z=From:foo@eng.example.net|To:joe@example.com; bh=MTIzNDU2Nzg5MDEyMzQ1Njc4OTAxMjM0; "
         "b=dzdVyOfAKCdLXdJOc9G2q8LoXSlEniSbav+yuU4zGeeruD00lszZVoG4ZHRNiYzR",
         FIELD_SUBJECT, 1},
        {"h=from:to:subject:date; z=List-Id:x", FIELD_LIST_ID, 0},
        /* names without regard to letter case, blanks around "=" and ":" and folds */
        {"a=x; h = From : list-ID\t:\r\n LIST-UNSUBSCRIBE : to ; b=", FIELD_LIST_ID, 1},
        {"h=List-Unsubscribe\n\t:List-Unsubscribe-Post", FIELD_LIST_UNSUBSCRIBE_POST, 1},
        {"h=List-Unsubscribe-Post", FIELD_LIST_UNSUBSCRIBE, 0},
        {" \th=Date", FIELD_DATE, 1},
        /* over-signed */
        {"h=from:subject:from:List-Id:From", FIELD_FROM, 3},
        {"h=from::list-id:", FIELD_LIST_ID, 1},
        {"h=:list-id", FIELD_LIST_ID, 1},
        /* the first h= counts */
        {"h=from; h=list-id", FIELD_LIST_ID, 0},
        {"h=; h=list-id", FIELD_LIST_ID, 0},
        {"h=list-id; h=from", FIELD_LIST_ID, 1},
        /* names of tags have a letter case, and are not parts of others */
        {"H=list-id", FIELD_LIST_ID, 0},
        {"bh=list-id; xh=list-id; hh=list-id", FIELD_LIST_ID, 0},
        {"b=h=list-id", FIELD_LIST_ID, 0},
        {"h list-id", FIELD_LIST_ID, 0},
        {"nonsense;; =x; h=list-id", FIELD_LIST_ID, 1},
        {"h=list-id=", FIELD_LIST_ID, 0},
        {"h=list id", FIELD_LIST_ID, 0},
        {"d=example.org", FIELD_LIST_ID, 0},
        {"", FIELD_LIST_ID, 0},
        {";", FIELD_LIST_ID, 0},
        /* a name that we do not know is not ours to break */
        {"h=reply-to:sender:", FIELD_OTHER, 0},
    };
    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        check_row(rows[i].value);
        check_int("count", (long long)rows[i].count,
                  (long long)dkim_signed_count(span_cstr(rows[i].value), rows[i].name));
    }
    check_end();
    assert_int_equal(0, dkim_signed_count(span_of(NULL, 0), FIELD_FROM));
}

static void test_domain(void **state)
{
    static const struct {
        const char *value, *domain;
    } rows[] = {
        {"v=1; d=example.net; s=x", "example.net"},
        {"d = \r\n\texample.net \t", "example.net"},
        {"i=@d=x; d=a.org; d=b.org", "a.org"},
        {"D=example.net", ""},
        {"d=", ""},
        {"d", ""},
        {"sd=x", ""},
        {"", ""},
    };
    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        struct span value = span_cstr(rows[i].value);
        struct span domain = dkim_domain(value);
        check_row(rows[i].value);
        check_text("d=", rows[i].domain, domain);
        check_bool("points into the value", true,
                   domain.p >= value.p && domain.p + domain.n <= value.p + value.n);
    }
    check_end();
    assert_int_equal(0, dkim_domain(span_of(NULL, 0)).n);
}

/* Nothing behind the end is read: each beginning, in memory of its own size. */
static void test_beginnings(void **state)
{
    static const char text[] = "v=1; d=example.net; h=from : list-id :subject; b=x";
    (void)state;
    for (size_t n = 0; n < sizeof text - 1; n++) {
        char *copy = test_malloc(n + 1);
        memcpy(copy + 1, text, n);
        size_t count = dkim_signed_count(span_of(copy + 1, n), FIELD_LIST_ID);
        size_t octets = dkim_domain(span_of(copy + 1, n)).n;
        test_free(copy);
        check_row_span(span_of(text, n));
        check_int("count", n >= strlen("v=1; d=example.net; h=from : list-id"), (long long)count);
        check_int("octets of d=", n < 7 ? 0 : n < 18 ? (long long)n - 7 : 11, (long long)octets);
    }
    check_end();
}

/* RULINGS 83 */
static void test_aligned(void **state)
{
    static const struct {
        const char *signer, *author;
        bool aligned;
    } rows[] = {
        {"example.org", "example.org", true},
        {"EXAMPLE.org", "example.ORG", true},
        {"example.org", "mail.example.org", true},
        {"a.b.example.org", "example.org", true},
        {"example.org", "badexample.org", false},
        {"example.org", "example.net", false},
        {"org", "example.org", false}, /* one label */
        {"org", "org", true},
        {"a.example.org", "b.example.org", false},
        {"", "example.org", false},
        {"example.org", "", false},
        {"", "", false},
        {".org", "example.org", false},
        {".example.org", "example.org", false}, /* no label before the dot */
    };
    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        check_row(rows[i].signer);
        check_int("aligned", rows[i].aligned,
                  dkim_is_aligned(span_cstr(rows[i].signer), span_cstr(rows[i].author)));
    }
    check_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_aligned),
        cmocka_unit_test(test_signed_count),
        cmocka_unit_test(test_domain),
        cmocka_unit_test(test_beginnings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
