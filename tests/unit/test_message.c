/* Unit tests of mail/message. */
#include "check.h"

#include "mail/fold.h"
#include "mail/message.h"
#include "text/strbuf.h"

#include <stdlib.h>

/* RULINGS 5, 40. fields: "name=value|", one after the other. */
static const struct {
    const char *text, *mbox_line, *fields, *rest;
    bool crlf;
} rows[] = {
    {"", "", "", "", false},
    {"\n", "", "", "\n", false},
    {"\r\nbody", "", "", "\r\nbody", true},
    {"A: b\n\nbody\n", "", "A= b|", "\nbody\n", false},
    {"A: b\r\nC:d\r\n\r\nbody", "", "A= b|C=d|", "\r\nbody", true},
    {"A: b\r\nC:d\n\n", "", "A= b|C=d|", "\n", true}, /* the first line decides */
    {"A: b\nC:d\r\n\r\n", "", "A= b|C=d|", "\r\n", false},
    {"A: b", "", "A= b|", "", false},
    {"A: b\n", "", "A= b|", "", false},
    {"A:", "", "A=|", "", false},
    {"A:\n", "", "A=|", "", false},
    {"A: b\n c\n\td\nE: f\n\n", "", "A= b\n c\n\td|E= f|", "\n", false},
    {"A: b\r\n c\r\n\r\n", "", "A= b\r\n c|", "\r\n", true},
    {"A: b\n \n c\n\nx", "", "A= b\n \n c|", "\nx", false},
    {"A:\n b\n\n", "", "A=\n b|", "\n", false},
    {"Message-ID : <x>\n\n", "", "Message-ID= <x>|", "\n", false},
    {"Message-ID\t \t:<x>\n\n", "", "Message-ID=<x>|", "\n", false},
    {"A: b: c\n\n", "", "A= b: c|", "\n", false},
    {"From me@x Tue Jul  3 10:00:00 2007\nA: b\n\n", "From me@x Tue Jul  3 10:00:00 2007\n",
     "A= b|", "\n", false},
    {"From me@x Tue Jul  3 10:00:00 2007\r\nA: b\r\n", "From me@x Tue Jul  3 10:00:00 2007\r\n",
     "A= b|", "", true},
    {"From ", "From ", "", "", false},
    {"From : me@x\n\n", "", "From= me@x|", "\n", false},
    {"from me@x\n\n", "", "", "from me@x\n\n", false},
    {"A: b\nFrom me@x\nC: d\n\n", "", "A= b|", "From me@x\nC: d\n\n", false},
    {">From me@x\nC: d\n\n", "", "", ">From me@x\nC: d\n\n", false},
    {" A: b\n\n", "", "", " A: b\n\n", false}, /* nothing above it to continue */
    {"From x\n y\nA: b\n", "From x\n", "", " y\nA: b\n", false},
    {"A: b\nno field\nC: d\n", "", "A= b|", "no field\nC: d\n", false},
    {"A: b\n: c\n", "", "A= b|", ": c\n", false},
    {"A: b\nC d: e\n", "", "A= b|", "C d: e\n", false},
    {"A: b\n\xC3\xBC: e\n", "", "A= b|", "\xC3\xBC: e\n", false},
    {"A: b\rC: d\n\n", "", "A= b\rC: d|", "\n", false}, /* a bare CR ends no line */
    {"A: b\r\r\n\n", "", "A= b\r|", "\n", true},
    {"A: b\n\r", "", "A= b|", "\r", false},
    {"A\r\n: b\n", "", "", "A\r\n: b\n", true},
};

static void describe(const struct message *m, struct strbuf *out)
{
    strbuf_reset(out);
    for (size_t i = 0; i < header_count(&m->header); i++) {
        struct field f = header_field(&m->header, i);
        strbuf_add_span(out, f.name);
        strbuf_add_char(out, '=');
        strbuf_add_span(out, f.value);
        strbuf_add_char(out, '|');
    }
}

/* RULINGS 40: everything, written one after the other, is the text again. */
static void join(const struct message *m, struct strbuf *out)
{
    strbuf_reset(out);
    strbuf_add_span(out, m->mbox_line);
    for (size_t i = 0; i < m->field_count; i++)
        strbuf_add_span(out, m->fields[i].lines);
    strbuf_add_span(out, m->rest);
}

/* message_first finds the field that message_split and header_find do. */
static void check_first(struct message *m, struct span text)
{
    static const enum field_name names[] = {FIELD_MESSAGE_ID, FIELD_FROM, FIELD_LIST_ID};
    struct arena arena;
    struct span found, expected;
    arena_init(&arena, 0);
    message_split(m, text);
    for (size_t i = 0; i < CHECK_COUNT(names); i++) {
        size_t at = header_find(&m->header, names[i], 0);
        found = message_first(text, names[i], &arena);
        check_bool("found", at < header_count(&m->header), found.p != NULL);
        if (at == header_count(&m->header))
            continue;
        expected = fold_text(header_field(&m->header, at).value, &arena);
        assert_true(span_eq(found, expected));
    }
    arena_free(&arena);
}

static void test_split(void **state)
{
    struct message m;
    struct strbuf out = STRBUF_INIT;
    (void)state;
    message_init(&m); /* one for all: it can be used again */
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        check_row(rows[i].text);
        message_split(&m, span_cstr(rows[i].text));
        check_text("mbox line", rows[i].mbox_line, m.mbox_line);
        describe(&m, &out);
        check_text("fields", rows[i].fields, strbuf_span(&out));
        check_text("rest", rows[i].rest, m.rest);
        check_bool("crlf", rows[i].crlf, m.crlf);
        join(&m, &out);
        check_text("joined", rows[i].text, strbuf_span(&out));
        check_first(&m, span_cstr(rows[i].text));
    }
    check_end();
    message_split(&m, CHECK_SPAN("A: \0b\n\0\n"));
    assert_true(span_eq(header_field(&m.header, 0).value, CHECK_SPAN(" \0b")));
    assert_true(span_eq(m.rest, CHECK_SPAN("\0\n")));
    message_split(&m, span_of(NULL, 0));
    strbuf_free(&out);
    message_free(&m);
}

/* RULINGS 71 */
static void test_limits(void **state)
{
    struct message m;
    struct strbuf text = STRBUF_INIT, out = STRBUF_INIT;
    (void)state;
    message_init(&m);
    for (int i = 0; i < 5001; i++)
        strbuf_addf(&text, "X-%d: y\n", i);
    strbuf_add_str(&text, "List-Id : z\n\nbody");
    message_split(&m, strbuf_span(&text));
    assert_true(m.header.too_large);
    assert_int_equal(header_count(&m.header), 5000);
    assert_int_equal(m.field_count, 5002);
    assert_int_equal(m.fields[5001].id, FIELD_LIST_ID);
    assert_true(span_eq(m.rest, span_cstr("\nbody")));
    join(&m, &out);
    assert_true(span_eq(strbuf_span(&text), strbuf_span(&out)));
    message_split(&m, span_cstr("A: b\nC:\r\n\td\r\n\nbody"));
    assert_false(m.header.too_large);
    assert_int_equal(m.header.octets, 14); /* on the wire, where lines end in CRLF: RULINGS 80 */
    message_split(&m, span_cstr("A: b\n c\n d\r\nC:\n\te"));
    assert_int_equal(m.header.octets, 14 + 8);
    /* The same header, with either line end. */
    for (int crlf = 0; crlf < 2; crlf++) {
        const char *eol = crlf ? "\r\n" : "\n";
        strbuf_reset(&text);
        for (int i = 0; i < 1024; i++)
            strbuf_addf(&text, "X: %0*d%s", i == 0 ? 1020 : 1019, 0, eol);
        message_split(&m, strbuf_span(&text));
        assert_true(m.header.too_large);
        assert_int_equal(m.header.octets, HEADER_MAX_OCTETS + 1);
        assert_int_equal(header_count(&m.header), 1023);
    }
    strbuf_free(&text);
    strbuf_free(&out);
    message_free(&m);
}

static void test_first(void **state)
{
    static const char *const texts[] = {"Message-ID: <a>\nmessage-id: <b>\n\n",
                                        "X: y\nMESSAGE-ID :\n <a>\n <b>\nFrom: me\n\n",
                                        "X: y\n\nMessage-ID: <a>\n",
                                        "Message-IDs: <a>\nMessage-I: <b>\nFrom:\n\n",
                                        "From me\nList-Id: a\r\n\tb\r\nMessage-ID: \t\r\n\r\n",
                                        "no field\nFrom: me\n"};
    struct message m;
    struct strbuf text = STRBUF_INIT;
    (void)state;
    message_init(&m);
    for (size_t i = 0; i < CHECK_COUNT(texts); i++) {
        check_row(texts[i]);
        check_first(&m, span_cstr(texts[i]));
    }
    for (int before = 4998; before < 5002; before++) { /* fields: RULINGS 71 */
        check_row("number of fields");
        strbuf_reset(&text);
        for (int i = 0; i < before; i++)
            strbuf_add_str(&text, "X: y\n");
        strbuf_add_str(&text, "Message-ID: <a>\n\n");
        check_first(&m, strbuf_span(&text));
    }
    for (int more = 0; more < 30; more++) { /* and octets, with a fold: two line ends of two each */
        check_row("number of octets");
        strbuf_reset(&text);
        strbuf_addf(&text, "X: y\n %0*d\nFrom: me\n\n", (int)HEADER_MAX_OCTETS - 24 + more - 10, 0);
        check_first(&m, strbuf_span(&text));
    }
    check_end();
    strbuf_free(&text);
    message_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_split),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
