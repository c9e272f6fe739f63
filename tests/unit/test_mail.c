/* The functions of mail/ that read text: mail.txt has their cases. */
#include "table.h"

#include "mail/address.h"
#include "mail/date.h"
#include "mail/field_check.h"
#include "mail/fold.h"
#include "mail/message.h"
#include "mail/rfc5322.h"
#include "text/ascii.h"

static void parts(const struct span *in, struct strbuf *out)
{
    struct span local = address_local(in[0]), domain = address_domain(in[0]);
    strbuf_addf(out, "[%.*s] [%.*s]", (int)local.n, local.p, (int)domain.n, domain.p);
}

static void before_delimiter(const struct span *in, struct strbuf *out)
{
    strbuf_add_span(out, address_before_delimiter(in[0], in[1]));
}

/* Only a text that changes is copied. */
static void fold(const struct span *in, struct strbuf *out)
{
    struct span text = fold_text(in[0], &table_arena);
    bool is_copy = text.p < in[0].p || text.p > in[0].p + in[0].n;
    check_bool("a copy", !span_eq(span_trim(in[0]), text), is_copy);
    strbuf_add_span(out, text);
}

/* ---- a message ---- */

/* RULINGS 40: all parts, one after the other, are the text again. */
static void check_joined(const struct message *m, struct span text)
{
    struct strbuf joined = STRBUF_INIT;
    strbuf_add_span(&joined, m->mbox_line);
    for (size_t i = 0; i < m->field_count; i++)
        strbuf_add_span(&joined, m->fields[i].lines);
    strbuf_add_span(&joined, m->rest);
    check_span("joined", text, strbuf_span(&joined));
    strbuf_free(&joined);
}

/* message_first finds the field that message_split and header_find do. */
static void check_first(const struct message *m, struct span text)
{
    static const enum field_name names[] = {FIELD_MESSAGE_ID, FIELD_FROM, FIELD_LIST_ID};
    for (size_t i = 0; i < CHECK_COUNT(names); i++) {
        size_t at = header_find(&m->header, names[i], 0);
        struct span found = message_first(text, names[i], &table_arena);
        check_bool("found", at < header_count(&m->header), found.p != NULL);
        check_bool("counted", found.p != NULL, header_count_of(&m->header, names[i]) > 0);
        if (at < header_count(&m->header))
            check_span("found", fold_text(header_field(&m->header, at).value, &table_arena), found);
    }
}

/* "MBOX LINE/NAME=VALUE/.../REST, crlf" */
static void message(const struct span *in, struct strbuf *out)
{
    struct message m;
    message_init(&m);
    message_split(&m, in[0]);
    strbuf_add_span(out, m.mbox_line);
    for (size_t i = 0; i < header_count(&m.header); i++) {
        struct field field = header_field(&m.header, i);
        strbuf_addf(out, "/%.*s=", (int)field.name.n, field.name.p);
        strbuf_add_span(out, field.value);
    }
    strbuf_add_char(out, '/');
    strbuf_add_span(out, m.rest);
    strbuf_add_str(out, m.crlf ? ", crlf" : "");
    check_joined(&m, in[0]);
    check_first(&m, in[0]);
    message_free(&m);
}

/* The numbers of fields that are kept, of all fields, and of bytes with CRLF at each end of a line.
 */
static void message_size(const struct span *in, struct strbuf *out)
{
    struct message m;
    message_init(&m);
    message_split(&m, in[0]);
    strbuf_addf(out, "%zu of %zu, %zu bytes%s", header_count(&m.header), m.field_count,
                m.header.octets, m.header.too_large ? ", too large" : "");
    check_joined(&m, in[0]);
    check_first(&m, in[0]);
    message_free(&m);
}

/* ---- a header ---- */

static void add(struct header *h, const char *name, const char *value)
{
    struct span n = span_cstr(name), v = span_cstr(value);
    header_add(h, n, v, header_wire_octets(n, v));
}

static void test_fields_in_order(void **state)
{
    /* from which place on, and the place of the next List-Id */
    static const size_t places[][2] = {{0, 1}, {1, 1}, {2, 3}, {4, 4}, {99, 4}};
    struct header h;
    (void)state;
    header_init(&h);
    for (int round = 0; round < 3; round++) {
        assert_int_equal(header_count(&h), 0);
        assert_int_equal(h.octets, 0);
        assert_int_equal(header_find(&h, FIELD_FROM, 0), 0);
        add(&h, "Received", "from x\n\tby y");
        add(&h, "LIST-ID \t", "<a.b>"); /* RULINGS 5 */
        add(&h, "X-Other", "");
        add(&h, "list-id", " <c.d> ");
        assert_int_equal(header_count(&h), 4);
        assert_int_equal(header_count_of(&h, FIELD_LIST_ID), 2);
        assert_int_equal(header_count_of(&h, FIELD_DATE), 0);
        assert_int_equal(header_find(&h, FIELD_DATE, 0), 4);
        for (size_t i = 0; i < CHECK_COUNT(places); i++)
            assert_int_equal(header_find(&h, FIELD_LIST_ID, places[i][0]), places[i][1]);
        check_row("LIST-ID");
        check_text("name", "LIST-ID", header_field(&h, 1).name);
        check_text("value", "<a.b>", header_field(&h, 1).value);
        check_int("id", FIELD_LIST_ID, header_field(&h, 1).id);
        check_text("folds stay", "from x\n\tby y", header_field(&h, 0).value);
        check_text("blanks stay", " <c.d> ", header_field(&h, 3).value);
        check_text("empty", "", header_field(&h, 2).value);
        check_int("id", FIELD_OTHER, header_field(&h, 2).id);
        check_end();
        header_reset(&h);
    }
    header_free(&h);
}

/* The header owns copies. */
static void test_copies(void **state)
{
    struct header h;
    char name[] = "Subject", value[] = "one\0two";
    (void)state;
    header_init(&h);
    header_add(&h, span_cstr(name), span_of(value, 7), 18);
    memset(name, 'x', sizeof name);
    memset(value, 'x', sizeof value);
    for (int i = 0; i < 1000; i++)
        add(&h, "X-Filler", "to make the buffers move");
    assert_true(span_eq(header_field(&h, 0).value, CHECK_SPAN("one\0two")));
    assert_true(span_eq(header_field(&h, 0).name, span_cstr("Subject")));
    assert_true(span_eq(header_field(&h, 1000).value, span_cstr("to make the buffers move")));
    header_free(&h);
}

/* A connection keeps the memory of a header of usual size, and gives that of a large one back. */
static void test_reset_and_memory(void **state)
{
    static const struct {
        const char *text;
        int fields;
        bool kept;
    } rows[] = {{"usual", 100, true}, {"large", 5001, false}, {"usual again", 100, true}};
    struct header h;
    (void)state;
    header_init(&h);
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        for (int n = 0; n < rows[i].fields; n++)
            add(&h, "X-Some-Field", "a value of usual length");
        const struct field *fields = h.fields;
        check_bool("too large", !rows[i].kept, h.too_large);
        check_int("fields", rows[i].kept ? 100 : 5000, (long long)header_count(&h));
        header_reset(&h);
        check_bool("no longer too large", false, h.too_large);
        check_row(rows[i].text);
        check_bool("the array stays", rows[i].kept, h.fields == fields);
        check_bool("at most 20 kB", true, h.capacity * sizeof *h.fields <= 20480);
    }
    check_end();
    header_free(&h);
}

/* NAME | VALUE: a milter sees no line ends, on the wire they are CRLF. */
static void wire_octets(const struct span *in, struct strbuf *out)
{
    strbuf_addf(out, "%zu", header_wire_octets(in[0], in[1]));
}

/* ---- words of RFC 5322 ---- */

static void add_skipped(bool (*step)(struct cursor *), struct span text, struct strbuf *out)
{
    struct cursor c = cursor_of(text);
    strbuf_add_str(out, step(&c) ? "closed[" : "open[");
    strbuf_add_span(out, cursor_rest(&c));
    strbuf_add_char(out, ']');
}

static void quoted_string(const struct span *in, struct strbuf *out)
{
    add_skipped(rfc5322_skip_quoted_string, in[0], out);
}

static void comment(const struct span *in, struct strbuf *out)
{
    add_skipped(rfc5322_skip_comment, in[0], out);
}

static void cfws(const struct span *in, struct strbuf *out)
{
    add_skipped(rfc5322_skip_cfws, in[0], out);
}

/* ---- dates ---- */

static void parse_date(const struct span *in, struct strbuf *out)
{
    struct date d;
    if (date_parse(in[0], &d))
        strbuf_addf(out, "%04d-%02d-%02d", d.year, d.month, d.day);
    else
        strbuf_add_str(out, "none");
}

static void format_date(const struct span *in, struct strbuf *out)
{
    date_format(out, table_number(in[0]));
}

/* The names of all months, whose first three letters are in a date. */
static void month_names(const struct span *in, struct strbuf *out)
{
    (void)in;
    for (int month = 1; month <= 12; month++) {
        char text[40];
        struct date d = {0, 0, 0};
        strbuf_addf(out, "%s%s", month > 1 ? ", " : "", date_month_name(month));
        snprintf(text, sizeof text, "1 %.3s 2007 12:00", date_month_name(month));
        check_bool("a date", true, date_parse(span_cstr(text), &d));
        check_int("month", month, d.month);
    }
}

/* Each day from 1900 to 2200: the text that is written is read as that day, the next day follows,
 * and so does the day of the week. */
static void test_days(void **state)
{
    static const char *const names = "MonTueWedThuFriSatSun";
    struct strbuf out = STRBUF_INIT;
    struct date before = {1899, 12, 31};
    (void)state;
    for (int day = 0; day < 301 * 366; day++) {
        struct date d = {0, 0, 0};
        strbuf_reset(&out);
        date_format(&out, INT64_C(-2208988800) + INT64_C(86400) * day + day % 86400);
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

/* ---- fields ---- */

static void check_field(const struct span *in, struct strbuf *out)
{
    enum field_fault fault = field_check(in[0], in[1]);
    strbuf_add_str(out, fault == FIELD_FINE ? "fine" : field_fault_text(fault));
}

static void test_field_check_of_each_byte(void **state)
{
    (void)state;
    for (int i = 0; i < 256; i++) {
        char value[3] = {'a', (char)i, 'b'};
        enum field_fault expected = i >= 0x80                              ? FIELD_NOT_ASCII
                                    : (i < 0x20 && i != '\t') || i == 0x7F ? FIELD_HAS_CONTROL
                                                                           : FIELD_FINE;
        check_row_span(span_of(value, 3));
        check_int("fault", expected, field_check(span_cstr("X"), span_of(value, 3)));
        check_bool("atext",
                   ascii_is_alpha(value[1]) ||
                       (i != 0 && strchr("0123456789!#$%&'*+-/=?^_`{|}~", i)),
                   rfc5322_is_atext(value[1]));
    }
    check_end();
}

static bool seen[FIELD_NAME_COUNT];

/* A name is found in any letter case, and not without its last byte. */
static void name(struct span text, struct strbuf *out)
{
    char upper[40], lower[40];
    enum field_name id = field_name_find(text);
    for (size_t i = 0; i < text.n; i++) {
        upper[i] = ascii_upper(text.p[i]);
        lower[i] = ascii_lower(text.p[i]);
    }
    check_int("upper case", id, field_name_find(span_of(upper, text.n)));
    check_int("lower case", id, field_name_find(span_of(lower, text.n)));
    if (id != FIELD_OTHER)
        check_int("one byte less", FIELD_OTHER, field_name_find(span_of(upper, text.n - 1)));
    seen[id] = true;
    strbuf_add_str(out, id == FIELD_OTHER ? "other" : field_name_text(id));
}

static void names(const struct span *in, struct strbuf *out)
{
    struct span rest = in[0];
    for (bool is_last = false; !is_last; rest = span_sub(rest, 2, rest.n)) {
        struct span text = span_sub(rest, 0, span_find(rest, ','));
        rest = span_sub(rest, text.n, rest.n);
        is_last = rest.n == 0;
        name(text, out);
        strbuf_add_str(out, is_last ? "" : ", ");
    }
}

static void test_each_name_was_seen(void **state)
{
    (void)state;
    for (int i = 0; i < FIELD_NAME_COUNT; i++)
        if (!seen[i])
            fail_msg("mail.txt has no row of the name %s", field_name_text((enum field_name)i));
}

/* An empty text may be a NULL pointer. */
static void test_null(void **state)
{
    struct span none = span_of(NULL, 0);
    struct message m;
    struct date d;
    (void)state;
    assert_int_equal(address_bare(none).n, 0);
    assert_false(fold_has_stray_cr(none) || rfc5322_is_dot_atom(none) || date_parse(none, &d));
    assert_int_equal(field_check(span_cstr("List-Id"), none), FIELD_FINE);
    assert_int_equal(field_name_find(none), FIELD_OTHER);
    message_init(&m);
    message_split(&m, none);
    message_free(&m);
}

int main(void)
{
    static const struct table_function functions[] = {
        {"address_bare", .part = address_bare},
        {"address_local, address_domain", .call = parts},
        {"address_before_delimiter", .call = before_delimiter, .least = 2},
        {"fold_text", .call = fold},
        {"fold_has_stray_cr", .is = fold_has_stray_cr},
        {"message_split", .call = message},
        {"size of message_split", .call = message_size},
        {"header_wire_octets", .call = wire_octets, .least = 2},
        {"rfc5322_is_dot_atom", .is = rfc5322_is_dot_atom},
        {"rfc5322_skip_quoted_string", .call = quoted_string},
        {"rfc5322_skip_comment", .call = comment},
        {"rfc5322_skip_cfws", .call = cfws},
        {"date_parse", .call = parse_date},
        {"date_format", .call = format_date},
        {"date_month_name", .call = month_names},
        {"field_check", .call = check_field, .least = 2},
        {"field_name_find", .call = names},
        {"field_name_is_resent", .is = field_name_is_resent},
        {"test_days", .test = test_days},
        {"test_fields_in_order", .test = test_fields_in_order},
        {"test_copies", .test = test_copies},
        {"test_reset_and_memory", .test = test_reset_and_memory},
        {"test_field_check_of_each_byte", .test = test_field_check_of_each_byte},
        {"test_each_name_was_seen", .test = test_each_name_was_seen},
        {"test_null", .test = test_null},
    };
    return table_run("mail.txt", functions, CHECK_COUNT(functions));
}
