/* The functions of text/ that read text: text.txt has their cases. */
#include "table.h"

#include "text/ascii.h"
#include "text/cursor.h"
#include "text/edit_distance.h"
#include "text/json.h"
#include "text/number.h"
#include "text/utf8.h"
#include "text/visible.h"

#include <ctype.h>
#include <inttypes.h>

static void add_word(struct strbuf *out, bool is, const char *word)
{
    if (is)
        table_add_item(out, " ", span_cstr(word));
}

static void compare(const struct span *in, struct strbuf *out)
{
    struct span other = in[1].p != NULL ? in[1] : span_of(NULL, 0);
    add_word(out, span_eq(in[0], other), "eq");
    add_word(out, span_eq_nocase(in[0], other), "nocase");
    add_word(out, span_starts_nocase(in[0], other), "starts");
    add_word(out, span_ends_nocase(in[0], other), "ends");
}

static void number(const struct span *in, struct strbuf *out)
{
    uint64_t n = 5;
    if (number_parse(in[0], (uint64_t)table_number(in[1]), &n)) {
        strbuf_addf(out, "%" PRIu64, n);
        return;
    }
    check_int("not set", 5, (long long)n);
    strbuf_add_str(out, "none");
}

static void nearest(const struct span *in, struct strbuf *out)
{
    static const char *const names[] = {"sequence", "subject", "to", "list_id", "list_label"};
    struct edit_nearest edit = edit_nearest_to(in[0]);
    for (size_t i = 0; i < CHECK_COUNT(names); i++)
        edit_nearest_try(&edit, span_cstr(names[i]));
    strbuf_add_span(out, edit.nearest);
}

static void distance(const struct span *in, struct strbuf *out)
{
    unsigned n = 0;
    while (n <= 2 && !edit_is_within(in[0], in[1], n))
        n++;
    check_bool("within two", n <= 2, edit_is_within(in[0], in[1], 2));
    if (n <= 2)
        strbuf_addf(out, "%u", n);
    else
        strbuf_add_str(out, "more");
}

static void utf8(const struct span *in, struct strbuf *out)
{
    for (; in->p != NULL; in++) {
        size_t n = utf8_length(*in);
        check_bool("valid", n > 0, utf8_is_valid(*in));
        strbuf_addf(out, "%s%zu", out->len > 0 ? " " : "", n);
    }
}

static void show(const struct span *in, struct strbuf *out)
{
    visible_add(out, in[0]);
    strbuf_add_char(out, ' ');
    json_add_string(out, in[0]);
}

static void test_each_byte(void **state)
{
    (void)state;
    for (int i = 0; i < 256; i++) {
        char c = (char)i;
        bool ascii = i < 128;
        check_row_span(span_of(&c, 1));
        /* The "C" locale, which a test runs in, agrees for ASCII. */
        check_bool("digit", ascii && isdigit(i), ascii_is_digit(c));
        check_bool("alpha", ascii && isalpha(i), ascii_is_alpha(c));
        check_bool("hex", ascii && isxdigit(i), ascii_is_hex(c));
        check_bool("blank", i == ' ' || i == '\t', ascii_is_blank(c));
        check_bool("control", ascii && iscntrl(i), ascii_is_control(c));
        check_bool("printable", ascii && isprint(i), span_is_printable_ascii(span_of(&c, 1)));
        check_int("lower", ascii ? (char)tolower(i) : c, ascii_lower(c));
        check_int("upper", ascii ? (char)toupper(i) : c, ascii_upper(c));
    }
    check_end();
}

static void test_parts(void **state)
{
    const size_t most = (size_t)-1;
    struct span abc = span_cstr("abc");
    struct cursor c = cursor_of(CHECK_SPAN("\v\0z"));
    (void)state;
    check_text("all", "abc", span_sub(abc, 0, most));
    check_text("inside", "b", span_sub(abc, 1, 1));
    check_text("at the end", "", span_sub(abc, 3, 1));
    check_text("after it", "", span_sub(abc, most, most));
    check_end();
    assert_int_equal(span_find(CHECK_SPAN("abcb"), 'b'), 1);
    assert_int_equal(span_find_last(CHECK_SPAN("abcb"), 'b'), 3);
    assert_int_equal(span_find_any(CHECK_SPAN("abcb"), "xcb"), 1);
    assert_int_equal(span_find(CHECK_SPAN("a\0b"), '\0'), 1);
    assert_false(cursor_take(&c, 'z'));
    assert_int_equal(cursor_peek(&c), '\v');
    assert_true(cursor_take(&c, '\v') && !cursor_at_end(&c) && cursor_take(&c, '\0'));
    assert_true(span_eq(cursor_rest(&c), CHECK_SPAN("z")));
    assert_true(cursor_take(&c, 'z') && cursor_at_end(&c));
}

/* An empty span may be a NULL pointer; sanitizers see a use of it. */
static void test_null(void **state)
{
    struct span none = span_of(NULL, 0);
    struct cursor c = cursor_of(none);
    (void)state;
    assert_true(span_eq(none, span_cstr("")) && span_eq_nocase(none, none));
    assert_true(span_is_printable_ascii(none) && utf8_is_valid(none));
    assert_int_equal(span_trim(none).n + span_sub(none, 1, 1).n + span_find(none, 'a'), 0);
    assert_true(cursor_at_end(&c));
    assert_int_equal(cursor_peek(&c) + (int)cursor_rest(&c).n, 0);
}

int main(void)
{
    static const struct table_function functions[] = {
        {"span_eq, span_eq_nocase, span_starts_nocase, span_ends_nocase", .call = compare,
         .most = 2},
        {"span_trim", .part = span_trim},
        {"number_parse", .call = number, .least = 2},
        {"edit_nearest", .call = nearest},
        {"edit_is_within", .call = distance, .least = 2},
        {"utf8_length", .call = utf8, .most = TABLE_ARGUMENTS},
        {"visible_add, json_add_string", .call = show},
        {"test_each_byte", .test = test_each_byte},
        {"test_parts", .test = test_parts},
        {"test_null", .test = test_null},
    };
    return table_run("text.txt", functions, CHECK_COUNT(functions));
}
