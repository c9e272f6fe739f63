/*
 * The id of an old archive's page (ctl/old_page.h, RULINGS 124).  Input: a page.
 *
 * Text below the body changes nothing; a second marker above it takes the id away; an id that is
 * written as MHonArc writes it is read again.
 */
#include "fuzz.h"

#include "ctl/old_page.h"
#include "spec/message_id.h"

#define MARK "<!--X-Head-End-->"

static struct old_page read_page(struct span before, const char *after, struct arena *arena)
{
    struct strbuf text = STRBUF_INIT;
    struct old_page page;
    strbuf_add_span(&text, before);
    strbuf_add_str(&text, after);
    old_page_read(fuzz_own(strbuf_span(&text)), arena, &page);
    strbuf_free(&text);
    return page;
}

static bool has_id(const struct old_page *page)
{
    return page->id == PAGE_ID_OWN || page->id == PAGE_ID_GUESSED;
}

static void check_equal(const struct old_page *one, const struct old_page *other)
{
    fuzz_require(one->archiver == other->archiver && one->id == other->id, "kind and state");
    fuzz_require_text(span_eq(one->id_text, other->id_text), "the id", one->id_text);
    fuzz_require(span_eq(one->date_text, other->date_text) && span_eq(one->arrival, other->arrival),
                 "dates");
}

/* Writes the id as MHonArc does, and reads it. */
static void check_again(struct span bare, struct arena *arena)
{
    struct strbuf text = STRBUF_INIT;
    strbuf_add_str(&text, "<!--X-Message-Id: ");
    for (size_t i = 0; i < bare.n; i++) {
        if (strchr("-&<\n", bare.p[i]) != NULL)
            strbuf_addf(&text, "&#%d;", (unsigned char)bare.p[i]);
        else
            strbuf_add_char(&text, bare.p[i]);
    }
    strbuf_add_str(&text, " -->");
    struct old_page page = read_page(strbuf_span(&text), MARK, arena);
    fuzz_require_text(page.id == PAGE_ID_OWN && span_eq(message_id_bare(page.id_text), bare),
                      "an id of MHonArc", strbuf_span(&text));
    strbuf_free(&text);
}

void fuzz_input(const uint8_t *data, size_t size)
{
    struct span input = span_of((const char *)data, size);
    struct arena arena;
    arena_init(&arena, 0);
    struct old_page page = read_page(input, "", &arena);
    struct span bare = message_id_bare(page.id_text);
    if (page.archiver != ARCHIVERS && has_id(&page))
        fuzz_require_text(bare.n > 0 && !old_page_id_is_made(bare), "an id of the post", bare);
    /* A blank ends what the input may have begun. */
    struct old_page marked = read_page(input, "\n\">" MARK, &arena);
    struct old_page forged = read_page(
        input, "\n\">" MARK "<!--X-Message-Id: evil@a.example --><!-- id=\"evil@a.example\" -->",
        &arena);
    check_equal(&marked, &forged);
    if (marked.archiver != ARCHIVERS && has_id(&marked)) {
        check_again(message_id_bare(marked.id_text), &arena);
    }
    arena_free(&arena);
}
