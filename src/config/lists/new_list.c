/* new_list - messages about a list, and its bounds; see build.h */
#include "config/lists/build.h"

#include "spec/iri.h"

bool domains_cover(const struct domains *domains, struct span domain, struct arena *scratch)
{
    struct span ascii;
    if (domain_to_ascii(domain, scratch, &ascii) != NULL)
        return false;
    for (size_t i = 0; i < domains->count; i++) {
        struct span name = domains->items[i].name;
        size_t above = ascii.n > name.n ? ascii.n - name.n : 0;
        bool is_below = above > 0 && ascii.p[above - 1] == '.';
        if (span_eq_nocase(span_sub(ascii, above, ascii.n), name) &&
            (domains->items[i].is_below ? is_below : above == 0))
            return true;
    }
    return false;
}

bool report_wrong(struct new_list *n, const struct entry *entry, const char *fault)
{
    struct list_builder *b = n->b;
    say_entry(b->diagnostics, &n->from, entry, fault);
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
    /* Reported once for the list, not for each text that needs the address. */
    report_list(n, KEY_LIST, n->list->id,
                "has no address, which %s of %s needs (expected address = \"LOCAL@DOMAIN\" in the "
                "list)",
                place.key, place.taken_from);
    n->address_is_wrong = true;
    return false;
}

bool in_bounds(const struct new_list *n, struct span domain)
{
    return n->b->bounds == NULL || domains_cover(n->b->bounds, domain, &n->b->scratch);
}
