/* new_list - see new_list.h */
#include "config/lists/new_list.h"

enum command_kind command_kind_of(struct span *text)
{
    static const char *const words[] = {
        [COMMAND_PLAIN] = "", [COMMAND_FROM] = "from:", [COMMAND_ALWAYS] = "always:"};
    *text = span_trim(*text);
    for (int kind = COMMAND_ALWAYS; kind > COMMAND_PLAIN; kind--)
        if (span_starts_nocase(*text, span_cstr(words[kind]))) {
            *text = span_sub(*text, strlen(words[kind]), text->n);
            return (enum command_kind)kind;
        }
    return COMMAND_PLAIN;
}

bool report_wrong(struct new_list *n, const struct entry *entry, const char *format, ...)
{
    struct list_builder *b = n->b;
    va_list ap;
    va_start(ap, format);
    vsay(b->diagnostics, SEVERITY_ERROR, entry_place(&n->from, entry), entry->text, format, ap);
    va_end(ap);
    n->is_wrong = true;
    if (b->bounds == NULL && section_has(&b->defaults, entry)) { /* the load fails: once will do */
        ((struct entry *)(uintptr_t)entry)->is_wrong = true;
        b->defaults_are_wrong = true;
    }
    return false;
}

void report_list(struct new_list *n, enum key key, struct span value, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    vsay(n->b->diagnostics, SEVERITY_ERROR, key_place(&n->own, key), value, format, ap);
    va_end(ap);
    n->is_wrong = true;
}

void hint_entry(struct new_list *n, enum hint hint, const struct entry *entry)
{
    report_hint(n->b->hints, hint, entry_place(&n->from, entry), entry->text, n->list);
}

bool has_values(struct new_list *n, const struct entry *entry, uint64_t needs)
{
    if ((needs & VARS_LIST & ~n->values.set) == 0)
        return true;
    if (n->address_is_wrong) /* that was reported */
        return false;
    struct place place = entry_place(&n->from, entry);
    if (place.taken_from == NULL)
        return report_wrong(n, entry,
                            "uses a variable of the address, and the list has no address (expected "
                            "address = \"LOCAL@DOMAIN\" in the list)");
    /* The mistake is in the list, and one line is enough for all texts that need the address. */
    report_list(n, KEY_LIST, n->list->id,
                "has no address, which %s of %s needs (expected address = \"LOCAL@DOMAIN\" in the "
                "list)",
                place.key, place.taken_from);
    n->address_is_wrong = true;
    return false;
}

struct span expand(const struct new_list *n, const struct template *t)
{
    struct strbuf text = STRBUF_INIT;
    (void)template_expand(t, &n->values, &text);
    return span_cstr(strbuf_keep(&text, &n->b->scratch));
}

bool in_bounds(const struct new_list *n, struct span domain)
{
    return n->b->bounds == NULL || domains_cover(n->b->bounds, domain, &n->b->scratch);
}
