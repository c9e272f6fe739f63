/* What the doctor reads of MTAs: lists of milters, the output of postconf(1), sendmail.cf. */
#include "ctl/doctor/milters.h"
#include "ctl/doctor/postfix_values.h"
#include "ctl/doctor/sendmail_cf.h"

#include "check.h"

static void test_lists(void **state)
{
    static const struct {
        const char *value;
        size_t count;
        const char *text, *host, *port, *path, *action; /* of the last */
    } rows[] = {
        {"", 0, "", "", "", "", ""},
        {" , ", 0, "", "", "", "", ""},
        {"inet:127.0.0.1:8894", 1, "inet:127.0.0.1:8894", "127.0.0.1", "8894", "", ""},
        {"inet:a:1,unix:m/s inet:[::1]:25", 3, "inet:[::1]:25", "::1", "25", "", ""},
        {"unix:/var/run/x", 1, "unix:/var/run/x", "", "", "/var/run/x", ""},
        {"local:x", 1, "local:x", "", "", "x", ""},
        {"{ inet:h:1, default_action = accept, connect_timeout=1s }", 1,
         "{ inet:h:1, default_action = accept, connect_timeout=1s }", "h", "1", "", "accept"},
        {"{inet:h:1}, {unix:s,default_action=reject}", 2, "{unix:s,default_action=reject}", "", "",
         "s", "reject"},
        {"{ inet:h:1", 1, "{ inet:h:1", "h", "1", "", ""},
        {"{", 1, "{", "", "", "", ""},
        {"inet:", 1, "inet:", "", "", "", ""},
        {"inet:8894@127.0.0.1", 1, "inet:8894@127.0.0.1", "8894@127.0.0.1", "", "", ""},
        {"junk", 1, "junk", "", "", "", ""},
    };
    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        struct milters milters;
        check_row(rows[i].value);
        milters_parse(span_cstr(rows[i].value), &milters);
        check_int("count", (long long)rows[i].count, (long long)milters.count);
        if (milters.count == 0)
            continue;
        const struct milter *last = &milters.items[milters.count - 1];
        check_text("text", rows[i].text, last->text);
        check_text("host", rows[i].host, last->place.host);
        check_text("port", rows[i].port, last->place.port);
        check_text("path", rows[i].path, last->place.path);
        check_text("default_action", rows[i].action, last->default_action);
    }
    check_end();
}

/* The queue directory is /q. */
static void test_matches(void **state)
{
    static const struct {
        const char *ours, *theirs;
        enum milter_match open, chrooted;
    } rows[] = {
        {"inet:8894@127.0.0.1", "inet:127.0.0.1:8894", MILTER_OURS, MILTER_OURS},
        {"inet:8894@127.0.0.1", "inet:localhost:8894", MILTER_OURS, MILTER_OURS},
        {"inet:8894@localhost", "inet:127.0.0.1:8894", MILTER_OURS, MILTER_OURS},
        {"inet:8894@localhost", "inet:192.0.2.1:8894", MILTER_NEAR, MILTER_NEAR},
        {"inet:8894@mx.example", "inet:192.0.2.1:8894", MILTER_OURS, MILTER_OURS},
        {"inet:8894@0.0.0.0", "inet:192.0.2.1:8894", MILTER_OURS, MILTER_OURS},
        {"inet6:8894@::1", "inet:[::1]:8894", MILTER_OURS, MILTER_OURS},
        {"inet6:8894@::1", "inet:127.0.0.1:8894", MILTER_NEAR, MILTER_NEAR},
        {"inet:8894@127.0.0.1", "inet:127.0.0.2:8894", MILTER_NEAR, MILTER_NEAR},
        {"inet:8894@127.0.0.1", "inet:8894@127.0.0.1", MILTER_NEAR, MILTER_NEAR},
        {"inet:8894@127.0.0.1", "inet:127.0.0.1:8984", MILTER_NEAR, MILTER_NEAR},
        {"inet:8894@127.0.0.1", "inet:127.0.0.1:894", MILTER_NEAR, MILTER_NEAR},
        {"inet:8894@127.0.0.1", "inet:127.0.0.1:8893", MILTER_OTHER, MILTER_OTHER},
        {"inet:8894@127.0.0.1", "inet:127.0.0.1:11332", MILTER_OTHER, MILTER_OTHER},
        {"inet:8894@127.0.0.1", "unix:opendkim/opendkim.sock", MILTER_OTHER, MILTER_OTHER},
        {"inet:8894@127.0.0.1", "unix:mlmilter/mlmilter.sock", MILTER_NEAR, MILTER_NEAR},
        {"unix:/q/m/m.sock", "unix:m/m.sock", MILTER_OURS, MILTER_OURS},
        {"/q//m/m.sock", "local:m//m.sock", MILTER_OURS, MILTER_OURS},
        {"unix:/q/m/m.sock", "unix:/q/m/m.sock", MILTER_OURS, MILTER_OTHER},
        {"unix:/q/m/m.sock", "unix:/m/m.sock", MILTER_OTHER, MILTER_OURS},
        {"unix:/run/mlmilter/s", "unix:/var/mlmilter/s", MILTER_NEAR, MILTER_NEAR},
        {"unix:/run/m", "inet:127.0.0.1:8894", MILTER_OTHER, MILTER_OTHER},
        {"unix:/run/m", "junk", MILTER_OTHER, MILTER_OTHER},
    };
    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        struct milter_place ours = milter_place(span_cstr(rows[i].ours));
        struct milters milters;
        milters_parse(span_cstr(rows[i].theirs), &milters);
        struct milter_place *theirs = &milters.items[0].place;
        check_row(rows[i].theirs);
        check_int("open", rows[i].open, milter_matches(&ours, theirs, span_cstr("/q"), false));
        check_int("chrooted", rows[i].chrooted,
                  milter_matches(&ours, theirs, span_cstr("/q"), true));
    }
    check_end();
}

static void test_spelling(void **state)
{
    static const struct {
        const char *socket, *postfix;
    } rows[] = {
        {"inet:8894@127.0.0.1", "inet:127.0.0.1:8894"},
        {"inet6:1@::1", "inet:[::1]:1"},
        {"unix:/q/m/m.sock", "unix:m/m.sock"},
        {"/qq/m.sock", "unix:/qq/m.sock"},
        {"local:/run/m", "unix:/run/m"},
    };
    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        struct milter_place place = milter_place(span_cstr(rows[i].socket));
        struct strbuf out = STRBUF_INIT;
        check_row(rows[i].socket);
        milter_spell(&out, &place, span_cstr("/q"));
        check_str("as Postfix writes it", rows[i].postfix, strbuf_str(&out));
        strbuf_free(&out);
    }
    check_end();
}

static void test_lists_with_ours(void **state)
{
    static const struct {
        const char *value;
        size_t old;
        bool moved;
        const char *expected;
    } rows[] = {
        {"", 0, false, "X"},
        {"inet:h:8893", 1, false, "inet:h:8893, X"},
        {"inet:h:8893 inet:h:8891", 2, false, "inet:h:8893, X, inet:h:8891"},
        {"inet:h:8891,inet:h:8893,inet:h:8892", 3, false,
         "inet:h:8891, inet:h:8893, X, inet:h:8892"},
        {"{ unix:/run/opendkim/s, default_action=accept }", 1, false,
         "X, { unix:/run/opendkim/s, default_action=accept }"},
        {"a, bad, inet:h:11332", 1, false, "a, X, inet:h:11332"},
        {"inet:h:8891, ours", 1, true, "X, inet:h:8891"},
        {"inet:h:8891, a, ours", 2, true, "X, inet:h:8891, a"},
        {"inet:h:8892, ours, inet:h:8891, a", 1, true, "inet:h:8892, X, inet:h:8891, a"},
    };
    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        struct milters milters;
        struct strbuf out = STRBUF_INIT;
        check_row(rows[i].value);
        milters_parse(span_cstr(rows[i].value), &milters);
        milters_with(&out, &milters, rows[i].old, rows[i].moved, span_cstr("X"));
        check_str("list", rows[i].expected, strbuf_str(&out));
        strbuf_free(&out);
    }
    check_end();
}

static void test_too_many_milters(void **state)
{
    struct strbuf many = STRBUF_INIT;
    struct milters milters;
    (void)state;
    for (int i = 0; i < 10 * MILTERS_MAX; i++)
        strbuf_add_str(&many, "inet:h:1 ");
    milters_parse(strbuf_span(&many), &milters);
    check_int("count", MILTERS_MAX, (long long)milters.count);
    strbuf_free(&many);
    check_end();
}

static void test_postfix_values(void **state)
{
    static const char master[] =
        "smtp       inet  n       -       y       -       -       smtpd -o a=b\n"
        "short line\n"
        "127.0.0.1:25 inet n  -   -   -   -   smtpd\n"
        "submission inet  n - n - - smtpd\n"
        "cleanup    unix  n - n - 0 cleanup";
    struct postfix_values values = {
        .main = span_cstr("smtpd_milters = a, b\nmilter_x =\ncompatibility_level = 0\n"),
        .master = CHECK_SPAN(master),
        .overrides = span_cstr("smtp/inet/smtpd_milters = c\n127.0.0.1:25/inet/smtpd_milters =\n"),
    };
    static const struct {
        const char *name, *milters;
        bool is_own, chrooted, loopback, submission;
    } rows[] = {
        {"smtp", "c", true, true, false, false},
        {"127.0.0.1:25", "", true, true, true, false},
        {"submission", "a, b", false, false, false, true},
        {"cleanup", "a, b", false, false, true, false},
    };
    struct span rest = values.master;
    struct postfix_service service;
    bool is_own;
    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        check_row(rows[i].name);
        check_bool("there", true, next_service(&values, &rest, &service));
        check_text("name", rows[i].name, service.name);
        check_text("milters", rows[i].milters,
                   postfix_value(&values, "smtpd_milters", &service, &is_own));
        check_bool("own", rows[i].is_own, is_own);
        check_bool("chrooted", rows[i].chrooted, service.is_chrooted);
        check_bool("loopback", rows[i].loopback, service_is_loopback(&service));
        check_bool("submission", rows[i].submission, service_is_submission(&service));
    }
    check_bool("no more", false, next_service(&values, &rest, &service));
    check_bool("empty", true, postfix_value(&values, "milter_x", NULL, NULL).p != NULL);
    check_bool("unknown", true, postfix_value(&values, "milter", NULL, NULL).p == NULL);
    check_end();
}

static void test_times(void **state)
{
    static const struct {
        const char *text;
        bool is_time;
        unsigned seconds;
    } rows[] = {
        {"30s", true, 30},
        {"5m", true, 300},
        {"2H", true, 7200},
        {"1d", true, 86400},
        {"7", true, 7},
        {"0", true, 0},
        {"", false, 0},
        {"s", false, 0},
        {"x", false, 0},
        {"-1s", false, 0},
        {"99999999999s", false, 0},
    };
    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        unsigned seconds = 0;
        check_row(rows[i].text);
        check_bool("time", rows[i].is_time, postfix_seconds(span_cstr(rows[i].text), &seconds));
        check_int("seconds", rows[i].seconds, seconds);
    }
    check_end();
}

static void test_sendmail_cf(void **state)
{
    static const char cf[] = "# Xcomment, S=inet:1@h\n"
                             "O InputMailFilters=old\n"
                             "O InputMailFilters=verify, mlmilter\n"
                             "O DaemonPortOptions=Port=25, Name=MTA\n"
                             "O DaemonPortOptions=Port=26, Name=L, InputMailFilters=lists;b\n"
                             "Xverify, S=inet:8891@h\n"
                             "Xmlmilter, S=local:/run/m, F=T,\n"
                             "\tT=C:10s;S:10s;R:2m\n"
                             "Xempty";
    static const struct {
        const char *name, *socket, *flags, *times;
    } rows[] = {
        {"verify", "inet:8891@h", "", ""},
        {"mlmilter", "local:/run/m", "T", "C:10s;S:10s;R:2m"},
        {"empty", "", "", ""},
    };
    struct span names = cf_option(CHECK_SPAN(cf), "inputmailfilters"), rest = CHECK_SPAN(cf);
    struct cf_filter filter;
    unsigned seconds;
    size_t place;
    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        check_row(rows[i].name);
        check_bool("there", true, cf_next_filter(&rest, &filter));
        check_text("name", rows[i].name, filter.name);
        check_text("S=", rows[i].socket, filter.socket);
        check_text("F=", rows[i].flags, filter.flags);
        check_text("T=", rows[i].times, filter.times);
    }
    check_bool("no more", false, cf_next_filter(&rest, &filter));
    check_text("the last counts", "verify, mlmilter", names);
    check_bool("named", true, cf_names_filter(names, span_cstr("mlmilter"), &place));
    check_int("place", 1, (long long)place);
    check_bool("not named", false, cf_names_filter(names, span_cstr("old"), &place));
    check_bool("a listener's", true, cf_listener_has(CHECK_SPAN(cf), span_cstr("lists")));
    check_bool("no listener's", false, cf_listener_has(CHECK_SPAN(cf), span_cstr("mlmilter")));
    check_bool("R", true, cf_seconds(span_cstr(rows[1].times), 'R', &seconds));
    check_int("R", 120, seconds);
    check_bool("E", false, cf_seconds(span_cstr(rows[1].times), 'E', &seconds));
    check_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lists),
        cmocka_unit_test(test_matches),
        cmocka_unit_test(test_spelling),
        cmocka_unit_test(test_lists_with_ours),
        cmocka_unit_test(test_too_many_milters),
        cmocka_unit_test(test_postfix_values),
        cmocka_unit_test(test_times),
        cmocka_unit_test(test_sendmail_cf),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
