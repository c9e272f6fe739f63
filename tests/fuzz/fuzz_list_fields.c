/* List-Help and the others: what is written can be sent, is folded between items only, but for
 * encoded words, and a mail program finds the same URIs in it (LH-03, LH-06, LH-13, LH-17, LH-18,
 * RULINGS 35, 36, 85). Input: items, one per line, an empty line, and the value of a field. */
#include "fuzz.h"

#include "mail/field_check.h"
#include "mail/fold.h"
#include "spec/list_fields.h"
#include "spec/uri.h"
#include "text/utf8.h"

#define ITEMS_MAX 20

const char *const fuzz_grammar[] = {
    "S=%i\n%v",
    "i=|%u\n%i|%u (%c)\n%i|(%c) %u\n%i|(%c) %u (%c)\n%u\n%i",
    "u=mailto:a@b|https://h/%+x|x:y|https://a,b/%%20|mailto:a,b@c|NO|%*|https://%u/",
    "c=x|Postings|a (%c) b|\\)|\xC3\xA9|%+y|\xE6\x97\xA5%c|(|%*",
    "v=|<%u>%v|<%u>, <%u>%v|(%c) <%u> (%c)%v|, %v|%u%v|<%u\r\n \t%v|%*%v",
    NULL,
};

static void check_read(struct span value)
{
    struct cursor c = cursor_of(value);
    struct arena arena;
    struct span uri;
    bool first = true;
    size_t count = 0;
    arena_init(&arena, 0);
    while (list_field_next_uri(&c, &first, &arena, &uri)) {
        fuzz_require(++count <= value.n, "reading comes to an end");
        fuzz_require_bare(uri);
    }
    fuzz_require(!list_field_next_uri(&c, &first, &arena, &uri), "and stays there");
    arena_free(&arena);
}

/* The items that a configuration would take. */
static size_t take_items(struct span *rest, struct list_item *items)
{
    size_t count = 0;
    struct span line;
    while (rest->n > 0 && (line = fuzz_own(fuzz_line(rest))).n > 0) {
        if (count < ITEMS_MAX && utf8_is_valid(line) &&
            list_item_split(line, &items[count]) == NULL && !items[count].is_no &&
            uri_fault(items[count].uri) == NULL)
            count++;
    }
    return count;
}

/* Every line but those of a single item ends before column 78. */
static void check_lines(struct span name, struct span value)
{
    size_t column = name.n + 2;
    while (value.n > 0) {
        struct span line = fuzz_line(&value);
        struct span text = span_trim(line);
        size_t brackets = 0;
        for (size_t i = 0; i + 2 < text.n; i++)
            brackets += text.p[i] == ',' && text.p[i + 1] == ' ' && text.p[i + 2] == '<';
        fuzz_require_text(brackets == 0 || column + line.n <= 78 || span_find(text, '(') < text.n,
                          "folded where the next item would pass column 78 (RULINGS 36)", line);
        column = 0;
    }
}

static void check_rendered(struct span name, const struct list_item *items, size_t count)
{
    struct strbuf value = STRBUF_INIT;
    struct arena arena;
    struct span text, uri;
    struct cursor c;
    bool first = true;
    enum field_fault fault;
    arena_init(&arena, 0);
    list_field_render(&value, name, items, count);
    fault = field_check(name, strbuf_span(&value));
    fuzz_require_text(fault == FIELD_FINE || (fault == FIELD_LINE_TOO_LONG && value.len > 900) ||
                          (fault == FIELD_TOO_LARGE && name.n + value.len > FIELD_MAX),
                      "can be sent", strbuf_span(&value));
    check_lines(name, strbuf_span(&value));
    text = fold_text(strbuf_span(&value), &arena);
    c = cursor_of(text);
    for (size_t i = 0; i < count; i++)
        fuzz_require_text(list_field_next_uri(&c, &first, &arena, &uri) &&
                              span_eq(uri, items[i].uri),
                          "a mail program finds the URI", items[i].uri);
    fuzz_require_text(!list_field_next_uri(&c, &first, &arena, &uri), "and no other", text);
    strbuf_free(&value);
    arena_free(&arena);
}

void fuzz_input(struct span rest)
{
    struct list_item items[ITEMS_MAX];
    size_t count = take_items(&rest, items);
    check_read(fuzz_own(rest));
    check_rendered(span_cstr("List-Unsubscribe"), items, count);
}
