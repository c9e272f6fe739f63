/* token: SU-24 to SU-26, RULINGS 45, 48; the known answers of archives */
#include "spec/token.h"

#include "check.h"
#include "values.h"

#define MID      "87myycy5eh.fsf@uwakimon.sk.tsukuba.ac.jp"
#define IETF_MID "CAADnVQ+V33Cms=x6HHTCbpKN386NGNa5Z8KeiTujvrefqZod_A@mail.gmail.com"

static struct variable_values message(const char *message_id, const char *label)
{
    struct variable_values values = {.set = 0};
    set(&values, VAR_LIST_LABEL, label);
    set(&values, VAR_ADDRESS, "list@example.org");
    set(&values, VAR_MESSAGE_ID, message_id);
    set(&values, VAR_DATE, "Wed, 04 Jul 2007 16:49:58 +0900");
    set(&values, VAR_FROM, "a@example.com");
    set(&values, VAR_TO, "b@example.com");
    set(&values, VAR_SUBJECT, "Hello");
    return values;
}

/* Completes the token. Returns false if it cannot be made. */
static bool build(struct token *t, const char *digest, const char *of)
{
    t->digest = digest;
    return check_str(
        "compile", NULL,
        template_compile(span_cstr(of), TEMPLATE_TEXT, VARS_TOKEN_OF, NULL, &arena, &t->of));
}

static void test_known_answers(void **state)
{
    static const struct {
        const char *mid, *digest, *of;
        struct token t;
        const char *value;
    } rows[] = {
        /* mailarchive.ietf.org */
        {IETF_MID,
         "sha1",
         "{message_id}{list_label}",
         {.encoding = TOKEN_BASE64URL},
         "5LnnKm093cGpOmDI9TnLQLBXyys"},
        /* go.mail-archive.com (SU-26) */
        {"12345",
         "sha1",
         "{message_id}{address}",
         {.encoding = TOKEN_BASE64URL, .padding = true},
         "TYC5RXtrO8He0zU5w8D0ePavPyc="},
        /* Sympa */
        {MID, "md5", "{message_id}", {.encoding = TOKEN_BASE64URL}, "0WUaHd4roVtzVGndiwqTSg"},
        /* Message-ID-Hash in another way */
        {MID, "sha1", "{message_id}", {.padding = true}, "JJIGKPKB6CVDX6B2CUG4IHAJRIQIOUTP"},
        /* SU-24: other digests */
        {MID,
         "sha256",
         "{message_id}",
         {.encoding = TOKEN_BASE32},
         "D5NLBRJFINWKWLGIWC753J3ZVTHM3GFOPOCZSNBLGFC2NE3S637Q"},
        {MID,
         "sha256",
         "{message_id}",
         {.encoding = TOKEN_BASE32, .padding = true},
         "D5NLBRJFINWKWLGIWC753J3ZVTHM3GFOPOCZSNBLGFC2NE3S637Q===="},
        {MID,
         "md5",
         "{message_id}",
         {.encoding = TOKEN_BASE32, .padding = true},
         "2FSRUHO6FOQVW42UNHOYWCUTJI======"},
        {MID,
         "sha3-256",
         "{message_id}",
         {.encoding = TOKEN_HEX},
         "68115eba8672ffb3dbdcfdd4213554b25d21fca0080a643eb0c6ba646c6ea82c"},
        {MID,
         "sha512",
         "{message_id}",
         {.encoding = TOKEN_HEX, .padding = true},
         "a20b470140f5a21334216ec5053794942f2aa2db872e184046ee65472521ef33"
         "961317764dc00f408f6c53d01455d435dba41cfac276084a1e11bcafb81913b5"},
        {MID,
         "sha3-512",
         "{message_id}",
         {.encoding = TOKEN_BASE64URL, .padding = true},
         "I16wVgtNlc-J_vjk7zIuCwNWrf_gtQraKC9KmqhxCoboQp4Wv9Kf4OkOyZwSUbf5xtEiofBfwUOKu3sbMPBX"
         "oQ=="},
        /* SU-25: over all fields; what is between and around the variables counts */
        {MID,
         "sha256",
         "{message_id}{date}{from}{to}{subject}",
         {.encoding = TOKEN_BASE64URL},
         "2Bp5aFv7GS49oXZV5RZlG1AP6KXKPevrVMfkPLVTMBo"},
        /* RULINGS 48: not escaped; RULINGS 45: the width is for what goes in */
        {"12345/x",
         "sha1",
         "{message_id:5}",
         {.padding = false},
         "RSZCG7IGPHFIRW3EMTVMMDNJMNCVCOLE"},
        {"", "sha1", "{message_id}", {.padding = false}, "3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ"},
    };
    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        struct variable_values values = message(rows[i].mid, "bpf");
        struct token t = rows[i].t;
        struct span value = {NULL, 0};
        check_row(rows[i].value);
        if (build(&t, rows[i].digest, rows[i].of)) {
            check_int("result", 0, token_value(&t, &values, &arena, &value));
            check_text("value", rows[i].value, value);
        }
    }
    check_end();
}

/* RULINGS 48, SU-25: what one text ends with, the next may begin with; {lf} keeps them apart */
static void test_separator(void **state)
{
    struct variable_values values = {.set = VAR_BIT(VAR_FROM) | VAR_BIT(VAR_SUBJECT)};
    struct token side_by_side = {.encoding = TOKEN_HEX}, apart = {.encoding = TOKEN_HEX};
    struct span first, second;
    (void)state;
    if (!build(&side_by_side, "sha256", "{from}{subject}") ||
        !build(&apart, "sha256", "{from}{lf}{subject}{lf}{lf:2}"))
        return;
    values.text[VAR_FROM] = span_cstr("A <a@x>");
    values.text[VAR_SUBJECT] = span_cstr("Hello");
    check_int("result", 0, token_value(&apart, &values, &arena, &first));
    check_text("SHA-256 of \"A <a@x>\", LF, \"Hello\", LF, LF",
               "603dff10b7b816859b41860755b968d26ee72d16124cfdfa3f32539d9bd370e3", first);
    check_int("result", 0, token_value(&side_by_side, &values, &arena, &second));
    values.text[VAR_FROM] = span_cstr("A <a@x>Hell");
    values.text[VAR_SUBJECT] = span_cstr("o");
    struct span of_another;
    check_int("result", 0, token_value(&side_by_side, &values, &arena, &of_another));
    check_bool("side by side: the same", true, span_eq(second, of_another));
    check_int("result", 0, token_value(&apart, &values, &arena, &of_another));
    check_bool("apart: another", false, span_eq(first, of_another));
    check_end();
}

/* RULINGS 48: nothing is escaped, whatever stands in a value */
static void test_not_escaped(void **state)
{
    struct variable_values values = message("a/b c\xe9?", "bpf");
    struct token t = {.encoding = TOKEN_HEX};
    struct token literal = {.encoding = TOKEN_HEX};
    struct span value, same;
    (void)state;
    check_row("a value with what a URI does not keep");
    if (build(&t, "sha1", "{message_id}") && build(&literal, "sha1", "a/b c\xe9?")) {
        check_int("result", 0, token_value(&t, &values, &arena, &value));
        check_int("result", 0, token_value(&literal, &values, &arena, &same));
        check_span("the same", same, value);
    }
    check_end();
}

/* RULINGS 48, 49: no token if a value is missing */
static void test_missing(void **state)
{
    static const struct {
        const char *of;
        enum variable missing;
        int result;
    } rows[] = {
        {"{message_id}", VAR_MESSAGE_ID, 1},
        {"{message_id}{subject}", VAR_SUBJECT, 1},
        {"{message_id}", VAR_SUBJECT, 0},
        {"{list_label}", VAR_MESSAGE_ID, 0},
    };
    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        struct variable_values values = message(MID, "bpf");
        struct token t = {.padding = false};
        struct span value = {NULL, 0};
        check_row(rows[i].of);
        values.set &= ~VAR_BIT(rows[i].missing);
        if (build(&t, "sha256", rows[i].of)) {
            check_int("result", rows[i].result, token_value(&t, &values, &arena, &value));
            check_bool("a value", rows[i].result == 0, value.p != NULL);
        }
    }
    check_end();
}

/* RULINGS 47, 48: what `of` may use */
static void test_of(void **state)
{
    static const struct {
        const char *of;
        int result;
    } rows[] = {
        {"{list_id}{list_label}{list_namespace}{address}{address_local}{address_domain}", 0},
        {"{message_id}{message_id_hash}{list_id_hash}{date}{from}{to}{subject}", 0},
        {"{archive}", 1},
        {"{sequence}", 1},
        {"{year}", 1},
        {"{month_name}", 1},
        {"{recipient}", 1},
        {"{recipient_token}", 1},
        {"{ietf}", 1},
    };
    const struct span names[] = {CHECK_SPAN("ietf")};
    const struct token_names tokens = {names, 1};
    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        struct template of;
        check_row(rows[i].of);
        check_bool("wrong", rows[i].result != 0,
                   template_compile(span_cstr(rows[i].of), TEMPLATE_TEXT, VARS_TOKEN_OF, &tokens,
                                    &arena, &of) != NULL);
    }
    check_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_known_answers, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_separator, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_not_escaped, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_missing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_of, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
