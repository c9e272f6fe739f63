/*
 * Unit tests of mail/field_name
 *
 * The names below are copied from the documents that define them, not from the table: a misspelt
 * "List-rchive" in the table must fail here.
 */
#include "check.h"

#include "mail/field_name.h"
#include "text/ascii.h"

static const struct {
    const char *text;
    enum field_name id;
} names[] = {
    /* RFC 5322 3.6 */
    {"Date", FIELD_DATE},
    {"From", FIELD_FROM},
    {"To", FIELD_TO},
    {"Cc", FIELD_CC},
    {"Message-ID", FIELD_MESSAGE_ID},
    {"In-Reply-To", FIELD_IN_REPLY_TO},
    {"References", FIELD_REFERENCES},
    {"Subject", FIELD_SUBJECT},
    {"Received", FIELD_RECEIVED},
    /* RFC 2045 5 */
    {"Content-Type", FIELD_CONTENT_TYPE},
    /* RULINGS 13; RFC 5536 3.2.2 */
    {"X-No-Archive", FIELD_X_NO_ARCHIVE},
    {"X-Archive", FIELD_X_ARCHIVE},
    {"Archive", FIELD_ARCHIVE},
    {"Restrict", FIELD_RESTRICT},
    /* RULINGS 126; RFC 2076 3.9 */
    {"Precedence", FIELD_PRECEDENCE},
    /* Stable URLs, final text: SU-07, SU-08, SU-16, SU-27 */
    {"Message-ID-Hash", FIELD_MESSAGE_ID_HASH},
    {"X-Message-ID-Hash", FIELD_X_MESSAGE_ID_HASH},
    {"X-Message-ID-Header", FIELD_X_MESSAGE_ID_HEADER},
    {"X-List-Sequence", FIELD_X_LIST_SEQUENCE},
    {"List-Sequence", FIELD_LIST_SEQUENCE},
    /* Stable URLs, revision 1: R1-08 */
    {"X-List-ID-Hash", FIELD_X_LIST_ID_HASH},
    {"X-List-Sequence-Number", FIELD_X_LIST_SEQUENCE_NUMBER},
    /* RULINGS 39: public-inbox's name for a further Message-ID */
    {"X-Alt-Message-ID", FIELD_X_ALT_MESSAGE_ID},
    /* RFC 5064 2.1 and 2.5: AT-01, AT-08 */
    {"Archived-At", FIELD_ARCHIVED_AT},
    {"X-Archived-At", FIELD_X_ARCHIVED_AT},
    /* RFC 2919 3: LI-05 */
    {"List-Id", FIELD_LIST_ID},
    /* RFC 2369 3.1 to 3.6: LH-01 */
    {"List-Help", FIELD_LIST_HELP},
    {"List-Unsubscribe", FIELD_LIST_UNSUBSCRIBE},
    {"List-Subscribe", FIELD_LIST_SUBSCRIBE},
    {"List-Post", FIELD_LIST_POST},
    {"List-Owner", FIELD_LIST_OWNER},
    {"List-Archive", FIELD_LIST_ARCHIVE},
    /* RFC 6376 3.5 */
    {"DKIM-Signature", FIELD_DKIM_SIGNATURE},
    /* RFC 8617 4.1 */
    {"ARC-Message-Signature", FIELD_ARC_MESSAGE_SIGNATURE},
    /* RFC 8058 3.1 */
    {"List-Unsubscribe-Post", FIELD_LIST_UNSUBSCRIBE_POST},
};

static void test_names_of_the_documents(void **state)
{
    bool seen[FIELD_NAME_COUNT] = {false};
    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(names); i++) {
        char upper[40], lower[40];
        size_t n = strlen(names[i].text);
        for (size_t at = 0; at < n; at++) {
            upper[at] = ascii_upper(names[i].text[at]);
            lower[at] = ascii_lower(names[i].text[at]);
        }
        check_row(names[i].text);
        check_str("spelling", names[i].text, field_name_text(names[i].id));
        check_int("as it stands", names[i].id, field_name_find(span_cstr(names[i].text)));
        check_int("upper case", names[i].id, field_name_find(span_of(upper, n)));
        check_int("lower case", names[i].id, field_name_find(span_of(lower, n)));
        check_int("one octet less", FIELD_OTHER, field_name_find(span_of(upper, n - 1)));
        seen[names[i].id] = true;
    }
    check_end();
    for (int i = FIELD_OTHER + 1; i < FIELD_NAME_COUNT; i++)
        if (!seen[i])
            fail_msg("no test of the name %s", field_name_text((enum field_name)i));
}

static void test_other_names(void **state)
{
    static const char *const others[] = {
        "",           "X",      "List-rchive", "List-I",   "List-Id ",  "List-Id:", "Froms",
        "Message_ID", "Sender", "List_Id",     "Reply-To", "X-List-Id", "Bcc",      "Message-ID\n"};
    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(others); i++) {
        check_row(others[i]);
        check_int("id", FIELD_OTHER, field_name_find(span_cstr(others[i])));
    }
    check_end();
    assert_int_equal(field_name_find(span_of(NULL, 0)), FIELD_OTHER);
    assert_string_equal(field_name_text(FIELD_OTHER), "");
}

/* RULINGS 115 */
static void test_resent(void **state)
{
    static const struct {
        const char *name;
        bool resent;
    } rows[] = {
        {"Resent-Message-ID", true}, {"resent-from", true}, {"RESENT-X", true},
        {"Resent-", true},           {"Resent", false},     {"X-Resent-From", false},
        {"Resend-To", false},        {"", false},
    };
    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        check_row(rows[i].name);
        check_bool("resent", rows[i].resent, field_name_is_resent(span_cstr(rows[i].name)));
    }
    check_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names_of_the_documents),
        cmocka_unit_test(test_other_names),
        cmocka_unit_test(test_resent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
