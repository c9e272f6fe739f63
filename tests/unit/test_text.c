/* text/: strbuf, arena, strmap, and the functions that read text: text.txt has their cases. */
#include "table.h"

#include "text/ascii.h"
#include "text/cursor.h"
#include "text/edit_distance.h"
#include "text/json.h"
#include "text/number.h"
#include "text/strmap.h"
#include "text/utf8.h"
#include "text/visible.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdalign.h>
#include <stdlib.h>
#if ARENA_OBJECTS_ALONE
#include <sanitizer/asan_interface.h>
#endif

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

static void test_strbuf(void **state)
{
    struct strbuf b = STRBUF_INIT;
    (void)state;
    assert_string_equal(strbuf_str(&b), "");
    strbuf_add(&b, NULL, 0);
    strbuf_add_str(&b, "ab");
    strbuf_add_char(&b, '\0');
    strbuf_add_span(&b, CHECK_SPAN("c\0d"));
    strbuf_addf(&b, "%s-%03d", "x", 7);
    assert_true(span_eq(strbuf_span(&b), CHECK_SPAN("ab\0c\0dx-007")));
    strbuf_truncate(&b, 99);
    assert_int_equal(b.len, 11);
    strbuf_truncate(&b, 1);
    assert_string_equal(strbuf_str(&b), "a");
    strbuf_reset(&b);
    assert_string_equal(strbuf_str(&b), "");
    strbuf_reset(&b);
    for (size_t length = 0; length < 300; length++) { /* past the places where it grows */
        assert_int_equal(b.len, length);
        strbuf_addf(&b, "%*s", (int)length, "");
        strbuf_truncate(&b, length);
        strbuf_add_char(&b, 'x');
    }
    assert_int_equal(strlen(strbuf_str(&b)), 300);
    strbuf_free(&b);
    assert_null(b.data);
}

/* Objects and texts of all sizes, in turn: nothing overlaps, objects are aligned. */
static void test_arena(void **state)
{
    enum { PIECES = 600 };
    static unsigned char *pieces[PIECES];
    static size_t sizes[PIECES];
    struct arena a;
    (void)state;
    arena_init(&a, 512);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < PIECES; i++) {
            char text[2001];
            sizes[i] = i % 50 == 49 ? 2000 : (size_t)(i * 7 % 90);
            memset(text, i % 251, sizeof text);
            pieces[i] = i % 3 == 0 ? (unsigned char *)arena_strdup(&a, span_of(text, sizes[i]))
                                   : arena_alloc(&a, sizes[i]);
            if (i % 3 == 0)
                assert_int_equal(pieces[i][sizes[i]], 0);
            else
                assert_int_equal((uintptr_t)pieces[i] % alignof(max_align_t), 0);
            memset(pieces[i], i % 251, sizes[i]);
        }
        for (int i = 0; i < PIECES; i++)
            for (size_t at = 0; at < sizes[i]; at++)
                if (pieces[i][at] != i % 251)
                    fail_msg("round %d: piece %d was overwritten at %zu", round, i, at);
        arena_reset(&a);
        assert_int_equal(a.used, 0);
    }
    const unsigned char *zeros = arena_calloc(&a, 10, 100);
    for (int i = 0; i < 1000; i++)
        assert_int_equal(zeros[i], 0);
    assert_string_equal(arena_strdup(&a, span_of(NULL, 0)), "");
    assert_true(span_eq(arena_dup(&a, CHECK_SPAN("a\0b")), CHECK_SPAN("a\0b")));
    arena_free(&a);
}

/* A large piece does not stay for the life of a connection when a usual chunk can. */
static void test_arena_reset(void **state)
{
    struct arena a;
    (void)state;
    arena_init(&a, 4096);
    const char *usual = arena_alloc(&a, 16);
    assert_non_null(arena_alloc(&a, 1000000));
    arena_reset(&a);
    if (!ARENA_OBJECTS_ALONE)
        assert_ptr_equal(arena_alloc(&a, 3000), usual);
    arena_free(&a);
}

/* The address sanitizer sees an access behind an object, and to one that is no longer there.
 * Without it, objects share a chunk. */
static void test_arena_objects(void **state)
{
    struct arena a;
    (void)state;
    arena_init(&a, 4096);
    char *first = arena_strdup(&a, span_cstr("one"));
    const char *next = arena_strdup(&a, span_cstr("two"));
#if ARENA_OBJECTS_ALONE
    assert_true(next < first || next > first + 4);
    assert_false(__asan_address_is_poisoned(first + 3));
    assert_true(__asan_address_is_poisoned(first + 4));
    arena_reset(&a);
    assert_true(__asan_address_is_poisoned(first));
#else
    assert_ptr_equal(next, first + 4);
#endif
    arena_free(&a);
}

/* A piece from before the mark stays, whatever comes after it. */
static void test_arena_rewind(void **state)
{
    static const size_t sizes[] = {10, 3000, 100000};
    (void)state;
    for (size_t first = 0; first < 3; first++)
        for (size_t second = 0; second < 3; second++) {
            struct arena a;
            arena_init(&a, 4096);
            const char *kept = arena_strdup(&a, span_cstr("kept"));
            assert_non_null(arena_alloc(&a, sizes[first]));
            struct arena mark = a;
            for (int i = 0; i < 5; i++)
                memset(arena_alloc(&a, sizes[second]), 'x', sizes[second]);
            arena_rewind(&a, &mark);
            assert_string_equal(arena_strdup(&a, span_cstr("again")), "again");
            assert_string_equal(kept, "kept");
            arena_free(&a);
        }
}

static void test_strmap(void **state)
{
    struct strmap m;
    int one = 1, two = 2;
    void *present = NULL;
    (void)state;
    strmap_init(&m, 42);
    assert_true(strmap_put(&m, span_cstr("List.Example.ORG"), &one, &present));
    assert_null(present);
    /* LI-10: letter case does not count. */
    assert_ptr_equal(strmap_get(&m, span_cstr("list.EXAMPLE.org")), &one);
    assert_false(strmap_put(&m, span_cstr("LIST.example.org"), &two, &present));
    assert_ptr_equal(present, &one);
    assert_null(strmap_get(&m, span_cstr("list.example.or")));
    assert_true(strmap_put(&m, span_of(NULL, 0), &two, NULL));
    assert_ptr_equal(strmap_get(&m, span_cstr("")), &two);
    assert_true(strmap_put(&m, CHECK_SPAN("a\0b"), &one, NULL));
    assert_null(strmap_get(&m, CHECK_SPAN("a\0c")));
    strmap_free(&m);
}

/* Keys of two maps, some in both: the first map keeps its own, in less than 4 slots a key. */
static void test_strmap_many(void **state)
{
    enum { KEYS = 20000 };
    static char keys[KEYS][16];
    char other[] = "";
    struct strmap m, from;
    (void)state;
    strmap_init(&m, 7);
    strmap_init(&from, 7);
    strmap_join(&m, &from); /* of nothing */
    for (int i = 0; i < KEYS; i++) {
        snprintf(keys[i], sizeof keys[i], "k%d", i);
        if (i % 3 != 0)
            assert_true(strmap_put(&m, span_cstr(keys[i]), keys[i], NULL));
        if (i % 2 == 0)
            assert_true(strmap_put(&from, span_cstr(keys[i]), other, NULL));
    }
    strmap_join(&m, &from);
    strmap_free(&from);
    assert_true(m.capacity <= (size_t)4 * KEYS);
    for (int i = 0; i < KEYS; i++)
        assert_ptr_equal(strmap_get(&m, span_cstr(keys[i])), i % 3 != 0   ? keys[i]
                                                             : i % 2 == 0 ? other
                                                                          : NULL);
    strmap_free(&m);
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
        {"test_strbuf", .test = test_strbuf},
        {"test_arena", .test = test_arena},
        {"test_arena_reset", .test = test_arena_reset},
        {"test_arena_rewind", .test = test_arena_rewind},
        {"test_arena_objects", .test = test_arena_objects},
        {"test_strmap", .test = test_strmap},
        {"test_strmap_many", .test = test_strmap_many},
    };
    return table_run("text.txt", functions, CHECK_COUNT(functions));
}
