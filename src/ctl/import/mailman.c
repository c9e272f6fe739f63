/*
 * import of Mailman 2 and 3: what their commands print, a list on a line
 *
 *   mailman3 = ADDRESS [ *SP "[" name "]" ] *SP [ "- " description ]     mailman lists -n -d -q
 *   mailman2 = *SP NAME [ " - " description ]                            list_lists [-b]
 *
 * Without -q and -b a line with the number of lists comes first, which ends with a colon.  A
 * description of Mailman 3 may have a line end, and goes on in the next line.
 */
#include "ctl/import/kinds.h"
#include "ctl/import/source.h"
#include "mail/address.h"
#include "text/ascii.h"

struct line {
    struct span list;
    struct span description;
    bool is_clear; /* it has that form */
};

/* What is behind the name in brackets, which may hold brackets itself. */
static struct span behind_name(struct span text)
{
    for (size_t at; (at = span_find(text, ']')) < text.n;) {
        text = span_sub(text, at + 1, text.n);
        struct span after = span_trim(text);
        if (after.n == 0 || after.p[0] == '-')
            return after;
    }
    return text;
}

static struct line cut(struct span text)
{
    size_t end = 0;
    while (end < text.n && !ascii_is_blank(text.p[end]))
        end++;
    struct span rest = span_trim(span_sub(text, end, text.n));
    if (rest.n > 0 && rest.p[0] == '[')
        rest = behind_name(rest);
    bool has_dash = rest.n > 0 && rest.p[0] == '-';
    return (struct line){span_sub(text, 0, end),
                         span_trim(span_sub(rest, has_dash ? 1 : rest.n, rest.n)),
                         rest.n == 0 || has_dash};
}

static void print_list(struct import *import, const char *where, const struct line *line)
{
    bool is_3 = import->kind == &import_mailman3;
    struct span local = address_local(line->list);
    struct section section;
    if (!is_3 && span_eq_nocase(local, span_cstr("mailman"))) {
        import_comment("%s: not printed: mailman is Mailman's own list", where);
        return;
    }
    section_begin(&section, import, where);
    section_address(&section, local, address_domain(line->list));
    section_claim(&section, "-request");
    section_claim(&section, "-owner");
    section_claim(&section, "-bounces");
    section_claim(&section, "-confirm");
    /* Mailman 2 says so where there is none. */
    section_description(&section,
                        span_eq(line->description, span_cstr("[no description available]"))
                            ? span_of("", 0)
                            : line->description);
    section_comment(&section, "archive: not known, such as https://HOST/%s/",
                    is_3 ? "hyperkitty/list/ADDRESS" : "pipermail/LIST");
    section_end(&section);
}

static void read_text(struct import *import, const char *name, struct span text)
{
    struct strbuf where = STRBUF_INIT;
    for (int number = 1; text.n > 0; number++) {
        struct span one = take_line(&text);
        struct line line = cut(one);
        if (one.n == 0 || (number == 1 && !line.is_clear && one.p[one.n - 1] == ':'))
            continue;
        strbuf_reset(&where);
        strbuf_addf(&where, "%s:%d", name, number);
        if (line.is_clear &&
            (import->kind == &import_mailman2 || span_find(line.list, '@') < line.list.n))
            print_list(import, strbuf_str(&where), &line);
        else
            import_left_out(import, "%s: is no list: %.*s", strbuf_str(&where), (int)one.n, one.p);
    }
    strbuf_free(&where);
}

const struct import_kind import_mailman2 = {"mailman2", "mailman2", NULL, read_text};
const struct import_kind import_mailman3 = {"mailman3", "mailman3", NULL, read_text};
