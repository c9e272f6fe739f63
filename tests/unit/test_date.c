/* Unit tests of mail/date. */
#include "check.h"

#include "mail/date.h"

/* RULINGS 46; RFC 5322 3.3 and 4.3. day: "YYYY-MM-DD", NULL: not a date. */
static const struct {
    const char *text, *day;
} rows[] = {
    {"Wed, 04 Jul 2007 16:49:58 +0900", "2007-07-04"}, /* R1-01 */
    {"Wed, 4 Jul 2007 16:49:58 +0900", "2007-07-04"},
    {"4 Jul 2007 16:49:58 +0900", "2007-07-04"},
    {"4 Jul 2007 16:49 +0900", "2007-07-04"},
    {"Mon, 4 Jul 2007 16:49:58 +0900", "2007-07-04"}, /* the wrong day */
    {"mer, 4 Jul 2007 16:49:58 +0900", "2007-07-04"},
    {"WED, 4 JUL 2007 16:49:58 +0900", "2007-07-04"},
    {"wed,4 jul 2007 16:49:58 gmt", "2007-07-04"},
    {"  Wed,\t4 Jul 2007  16:49:58 +0900 ", "2007-07-04"},
    {"Wed, 4 Jul 2007 16:49:58 +0900 (JST)", "2007-07-04"},
    {"(a) Wed (b(c)) , (d) 4 (e) Jul (f) 2007 (g) 16 (h) : (i) 49 (j) : (k) 58 (l) +0900 (m)",
     "2007-07-04"},
    {"Fri, 21 Nov 1997 09(comment):   55  :  06 -0600", "1997-11-21"}, /* RFC 5322 A.6.2 */
    {"Thu,\r\n      13\r\n        Feb\r\n          1969\r\n      23:32\r\n               -0330",
     "1969-02-14"}, /* A.5 without comments */
    /* shifted to UTC */
    {"1 Jan 2008 08:59:59 +0900", "2007-12-31"},
    {"1 Jan 2008 09:00:00 +0900", "2008-01-01"},
    {"31 Dec 2007 15:59:59 -0800", "2007-12-31"},
    {"31 Dec 2007 16:00:00 -0800", "2008-01-01"},
    {"1 Mar 2008 00:00 +0001", "2008-02-29"},
    {"1 Mar 2007 00:00 +0001", "2007-02-28"},
    {"1 Mar 2000 00:00 +0001", "2000-02-29"},
    {"1 Mar 2100 00:00 +0001", "2100-02-28"},
    {"30 Apr 2007 23:59 -0001", "2007-05-01"},
    {"29 Feb 2008 23:59 -0001", "2008-03-01"},
    {"1 Jan 2008 00:00 +9959", "2007-12-27"},
    {"31 Dec 2007 23:00 -9959", "2008-01-05"},
    {"4 Jul 2007 23:59:60 +0000", "2007-07-04"}, /* a leap second moves no day */
    {"31 Dec 2008 15:59:60 -0800", "2008-12-31"},
    /* named zones */
    {"4 Jul 2007 20:00 UT", "2007-07-04"},
    {"4 Jul 2007 23:59 GMT", "2007-07-04"},
    {"4 Jul 2007 18:59 EST", "2007-07-04"},
    {"4 Jul 2007 19:00 EST", "2007-07-05"},
    {"4 Jul 2007 19:59 EDT", "2007-07-04"},
    {"4 Jul 2007 20:00 EDT", "2007-07-05"},
    {"4 Jul 2007 17:59 CST", "2007-07-04"},
    {"4 Jul 2007 18:00 CST", "2007-07-05"},
    {"4 Jul 2007 18:59 CDT", "2007-07-04"},
    {"4 Jul 2007 19:00 cdt", "2007-07-05"},
    {"4 Jul 2007 16:59 MST", "2007-07-04"},
    {"4 Jul 2007 17:00 MST", "2007-07-05"},
    {"4 Jul 2007 17:59 MDT", "2007-07-04"},
    {"4 Jul 2007 18:00 MDT", "2007-07-05"},
    {"4 Jul 2007 15:59 PST", "2007-07-04"},
    {"4 Jul 2007 16:00 PST", "2007-07-05"},
    {"4 Jul 2007 16:59 PDT", "2007-07-04"},
    {"4 Jul 2007 17:00 PDT", "2007-07-05"},
    /* an unknown name, "-0000" or none: UTC */
    {"4 Jul 2007 23:59 -0000", "2007-07-04"},
    {"4 Jul 2007 23:59", "2007-07-04"},
    {"4 Jul 2007 23:59:59", "2007-07-04"},
    {"4 Jul 2007 00:00 (JST)", "2007-07-04"},
    {"4 Jul 2007 00:00 A", "2007-07-04"},
    {"4 Jul 2007 23:59 Y", "2007-07-04"},
    {"4 Jul 2007 23:59 Z", "2007-07-04"},
    {"4 Jul 2007 00:00 JST", "2007-07-04"},
    {"4 Jul 2007 00:00 cest", "2007-07-04"},
    /* neither letters nor +hhmm or -hhmm */
    {"4 Jul 2007 00:00 0200", NULL},
    {"4 Jul 2007 00:00 GMT+2", NULL},
    {"4 Jul 2007 00:00 EST5EDT", NULL},
    {"4 Jul 2007 00:00 -99", NULL},
    {"4 Jul 2007 00:00 +", NULL},
    {"4 Jul 2007 00:00 +0200x", NULL},
    {"4 Jul 2007 00:00 \"x\"", NULL},
    {"4 Jul 2007 00:00 \xC3\xA9", NULL},
    {"4 Jul 2007 00:00 +09", NULL},
    {"4 Jul 2007 00:00 +09:", NULL},
    {"4 Jul 2007 00:00 +9:00", NULL},
    {"4 Jul 2007 00:00 +09:0", NULL},
    {"4 Jul 2007 00:00 +09:60", NULL},
    {"4 Jul 2007 00:00 +090", NULL},
    {"4 Jul 2007 00:00 +09000", NULL},
    {"4 Jul 2007 00:00 +09:000", NULL},
    {"4 Jul 2007 00:00 09:00", NULL},
    /* with a colon: RULINGS 108 */
    {"Sun, 01 Jul 2007 00:30:00 +02:00", NULL},
    {"01 Jul 2007 23:30:00 -00:30", NULL},
    {"01 Jul 2007 23:30:00 -00:29", NULL},
    {"01 Jul 2007 00:30:00 +02:00 (CEST)", NULL},
    /* words after a zone: RULINGS 108 */
    {"1 Jul 2007 00:30:00 +0200 CEST", NULL},
    {"1 Jul 2007 00:30:00 +0200 (x) Central European (y) Summer Time", NULL},
    {"1 Jul 2007 00:30:00 +02:00 CEST", NULL},
    {"1 Jul 2007 00:30:00 -0000 x", NULL},
    {"1 Jul 2007 00:30:00 +0200 CEST (never closed", NULL},
    {"1 Jul 2007 00:30:00 GMT +0200", NULL},
    {"1 Jul 2007 00:30:00 CEST x", NULL},
    {"1 Jul 2007 00:30:00 +0260 CEST", NULL},
    {"4 Jul 2007 00:00 +0960", NULL},
    {"4 Jul 2007 00:00 Europe/Berlin", NULL},
    /* years */
    {"4 Jul 07 16:49", "2007-07-04"},
    {"4 Jul 00 16:49", "2000-07-04"},
    {"4 Jul 49 16:49", "2049-07-04"},
    {"4 Jul 50 16:49", "1950-07-04"},
    {"4 Jul 99 16:49", "1999-07-04"},
    {"4 Jul 107 16:49", "2007-07-04"},
    {"4 Jul 000 16:49", "1900-07-04"},
    {"4 Jul 999 16:49", "2899-07-04"},
    {"4 Jul 1900 16:49", "1900-07-04"},
    {"4 Jul 1899 16:49", NULL},
    {"4 Jul 0099 16:49", NULL},
    {"31 Dec 9999 23:59", "9999-12-31"},
    {"31 Dec 9999 23:59 -0001", NULL},
    {"1 Jan 1900 00:00 +0001", NULL},
    {"4 Jul 10000 16:49", NULL},
    {"4 Jul 99999999999999999999 16:49", NULL},
    {"4 Jul 7 16:49", NULL},
    /* days that exist, and others */
    {"29 Feb 2008 00:00", "2008-02-29"},
    {"29 Feb 2000 00:00", "2000-02-29"},
    {"29 Feb 2007 00:00", NULL},
    {"29 Feb 1900 00:00", NULL},
    {"30 Feb 2008 00:00", NULL},
    {"31 Apr 2007 00:00", NULL},
    {"31 Jan 2007 00:00", "2007-01-31"},
    {"0 Jan 2007 00:00", NULL},
    {"00 Jan 2007 00:00", NULL},
    {"32 Jan 2007 00:00", NULL},
    {"004 Jul 2007 00:00", NULL},
    /* times */
    {"4 Jul 2007 23:59:60", "2007-07-04"},
    {"4 Jul 2007 23:59:61", NULL},
    {"4 Jul 2007 24:00:00", NULL},
    {"4 Jul 2007 23:60:00", NULL},
    {"4 Jul 2007 9:00:00", NULL},
    {"Wed, 4 Jul 2007 9:05:07 +0200", NULL},
    {"4 Jul 2007 1:59 +0200", NULL},
    {"4 Jul 2007 0:00:00", NULL},
    {"4 Jul 2007 :00:00", NULL},
    {"4 Jul 2007 009:00:00", NULL},
    {"4 Jul 2007 9:0:00", NULL},
    {"4 Jul 2007 16:9", NULL},
    {"4 Jul 2007 16:495", NULL},
    {"4 Jul 2007 16:", NULL},
    {"4 Jul 2007 16", NULL},
    {"4 Jul 2007 16:49:", NULL},
    {"4 Jul 2007", NULL},
    /* not a date */
    {"", NULL},
    {"yesterday", NULL},
    {"Wed,", NULL},
    {"Wed 4 Jul 2007 16:49:58 +0900", NULL},
    {"Wed 04 Jul 2007 16:49:58 +0900", NULL},
    {"Wed(x)4 Jul 2007 16:49:58 +0900", NULL},
    {"Wed4 Jul 2007 16:49:58 +0900", NULL},
    {"Wed,, 4 Jul 2007 16:49:58 +0900", NULL},
    {"Wed. 4 Jul 2007 16:49:58 +0900", NULL},
    {"Wed Wed 4 Jul 2007 16:49:58 +0900", NULL},
    {", 4 Jul 2007 16:49:58 +0900", NULL},
    {"Wed Jul  4 16:49:58 2007", NULL},
    {"2007-07-04T16:49:58+09:00", NULL},
    {"4 July 2007 16:49:58 +0900", NULL},
    {"4 Foo 2007 16:49:58 +0900", NULL},
    {"4 Ju", NULL},
    {"04-Jul-2007 16:49:58 +0900", NULL},
    {"4 Jul 2007 16.49.58 +0900", NULL},
    {"4 Jul 2007 16:49:58 +0900 (never closed", NULL},
    {"(never closed 4 Jul 2007 16:49:58 +0900", NULL},
    {"-4 Jul 2007 16:49:58 +0900", NULL},
};

static void test_date_parse(void **state)
{
    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        struct date d = {0, 0, 0};
        char day[64] = "";
        check_row(rows[i].text);
        if (!check_bool("a date", rows[i].day != NULL, date_parse(span_cstr(rows[i].text), &d)) ||
            rows[i].day == NULL)
            continue;
        snprintf(day, sizeof day, "%04d-%02d-%02d", d.year, d.month, d.day);
        check_str("day", rows[i].day, day);
    }
    check_end();
    struct date d;
    assert_false(date_parse(span_of(NULL, 0), &d));
    assert_false(date_parse(CHECK_SPAN("4 Jul 2007\0 16:49"), &d));
}

/* Nothing behind the end of the text is read: each beginning of a date, in memory of its own size.
 */
static void test_beginnings(void **state)
{
    static const char text[] = "(c) Wed, 04 Jul 2007 16:49:58 +0900 (JST)";
    (void)state;
    for (size_t n = 0; n < sizeof text - 1; n++) {
        char *copy = test_malloc(n + 1);
        struct date d;
        memcpy(copy + 1, text, n);
        bool ok = date_parse(span_of(copy + 1, n), &d);
        test_free(copy);
        /* From "16:49" on it is one, but for "16:49:", "16:49:5", "+" to "+090", and an open
         * comment. */
        bool expected = n >= 26 && n != 27 && n != 28 && (n < 31 || n > 34) && (n < 37 || n > 40);
        if (ok != expected)
            fail_msg("%.*s: expected %d", (int)n, text, expected);
    }
}

/* RULINGS 46 */
static void test_month_names(void **state)
{
    static const char *const names[] = {"January",   "February", "March",    "April",
                                        "May",       "June",     "July",     "August",
                                        "September", "October",  "November", "December"};
    (void)state;
    for (int month = 1; month <= 12; month++) {
        char text[40];
        struct date d = {0, 0, 0};
        check_row(names[month - 1]);
        check_str("name", names[month - 1], date_month_name(month));
        snprintf(text, sizeof text, "1 %.3s 2007 12:00", names[month - 1]);
        check_bool("a date", true, date_parse(span_cstr(text), &d));
        check_int("month", month, d.month);
    }
    check_end();
}

/* date_format: RFC 5322 3.3. What Python's email.utils made of these moments, but for the zero in
 * front of the day, which RFC 5322 leaves free. */
static void test_date_format(void **state)
{
    static const struct {
        int64_t seconds;
        const char *text;
    } moments[] = {
        {0, "Thu, 1 Jan 1970 00:00:00 +0000"},
        {1183535398, "Wed, 4 Jul 2007 07:49:58 +0000"},
        {-1, "Wed, 31 Dec 1969 23:59:59 +0000"},
        {-86400, "Wed, 31 Dec 1969 00:00:00 +0000"},
        {-86401, "Tue, 30 Dec 1969 23:59:59 +0000"},
        {951782400, "Tue, 29 Feb 2000 00:00:00 +0000"},
        {951868799, "Tue, 29 Feb 2000 23:59:59 +0000"},
        {951868800, "Wed, 1 Mar 2000 00:00:00 +0000"},
        {1709251199, "Thu, 29 Feb 2024 23:59:59 +0000"},
        {1735689599, "Tue, 31 Dec 2024 23:59:59 +0000"},
        {1735689600, "Wed, 1 Jan 2025 00:00:00 +0000"},
        {2147483647, "Tue, 19 Jan 2038 03:14:07 +0000"},
        {2147483648, "Tue, 19 Jan 2038 03:14:08 +0000"},
        {4107542400, "Mon, 1 Mar 2100 00:00:00 +0000"},
        {4107542399, "Sun, 28 Feb 2100 23:59:59 +0000"},
        {-2203891200, "Thu, 1 Mar 1900 00:00:00 +0000"},
        {-2208988800, "Mon, 1 Jan 1900 00:00:00 +0000"},
        {253402300799, "Fri, 31 Dec 9999 23:59:59 +0000"},
        /* moved to the nearer end */
        {-2208988801, "Mon, 1 Jan 1900 00:00:00 +0000"},
        {INT64_MIN, "Mon, 1 Jan 1900 00:00:00 +0000"},
        {253402300800, "Fri, 31 Dec 9999 23:59:59 +0000"},
        {INT64_MAX, "Fri, 31 Dec 9999 23:59:59 +0000"},
    };
    struct strbuf out = STRBUF_INIT;
    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(moments); i++) {
        check_row(moments[i].text);
        strbuf_reset(&out);
        date_format(&out, moments[i].seconds);
        check_text("formatted", moments[i].text, strbuf_span(&out));
    }
    strbuf_free(&out);
    check_end();
}

/* Each day from 1900 to 2200 and some far later ones: what is formatted is parsed as the same day,
 * the next day follows, and so does the day of the week. */
static void test_formatted_days_follow_each_other(void **state)
{
    static const char *const names = "MonTueWedThuFriSatSun";
    struct strbuf out = STRBUF_INIT;
    struct date before = {1899, 12, 31};
    (void)state;
    for (int day = 0; day < 301 * 366; day++) {
        int64_t seconds = INT64_C(-2208988800) + INT64_C(86400) * day + day % 86400;
        struct date d = {0, 0, 0};
        strbuf_reset(&out);
        date_format(&out, seconds);
        check_row_span(strbuf_span(&out));
        check_bool("a date", true, date_parse(strbuf_span(&out), &d));
        check_span("day of the week", span_of(names + day % 7 * 3, 3),
                   span_sub(strbuf_span(&out), 0, 3));
        bool next = d.year == before.year && d.month == before.month && d.day == before.day + 1;
        bool month =
            d.year == before.year && d.month == before.month + 1 && d.day == 1 && before.day >= 28;
        bool year = d.year == before.year + 1 && d.month == 1 && d.day == 1 && before.month == 12 &&
                    before.day == 31;
        check_bool("follows", true, next || month || year);
        before = d;
    }
    strbuf_free(&out);
    check_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_date_parse),
        cmocka_unit_test(test_beginnings),
        cmocka_unit_test(test_month_names),
        cmocka_unit_test(test_date_format),
        cmocka_unit_test(test_formatted_days_follow_each_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
