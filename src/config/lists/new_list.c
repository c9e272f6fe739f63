/* new_list - see new_list.h; also the bounds of build.h */
#include "config/lists/new_list.h"

#include "mail/address.h"
#include "spec/iri.h"

bool domains_cover(const struct domains *domains, struct span domain, struct arena *scratch)
{
    struct span ascii;
    if (domain_to_ascii(domain, scratch, &ascii) != NULL)
        return false;
    for (size_t i = 0; i < domains->count; i++) {
        const struct domain *item = &domains->items[i];
        if (address_domain_is_within(ascii, item->name) &&
            item->is_below == (ascii.n > item->name.n))
            return true;
    }
    return false;
}

/* Returns the section of a list's manager, or NULL: a list that the MTA expands takes none from the
 * defaults. */
static const struct section *find_manager(const struct list_builder *b, const struct sources *from)
{
    struct value value = value_of(from, KEY_MANAGER);
    bool is_expanded = value_choice(from, KEY_SELECT) == SELECT_RECIPIENT;
    return value.count == 0 || value.is_wrong || (is_expanded && value.source != FROM_SECTION)
               ? NULL
               : &b->managers[value_choice(from, KEY_MANAGER)];
}

void new_list_init(struct new_list *n, struct list_builder *b, const struct section *section,
                   struct list *list)
{
    *n = (struct new_list){.b = b, .list = list};
    n->own = section_compile(section, b->token_names, b->arena, &b->scratch, b->diagnostics);
    n->from = (struct sources){{&n->own, &b->defaults}};
    n->from.sections[FROM_MANAGER] = find_manager(b, &n->from);
    for (size_t i = 0; i < n->own.count; i++)
        n->is_wrong |= n->own.entries[i].is_wrong;
}

bool report_wrong(struct new_list *n, const struct entry *entry, enum remark remark,
                  const char *detail)
{
    struct list_builder *b = n->b;
    say_entry(b->diagnostics, &n->from, entry, remark, detail);
    n->is_wrong = true;
    if (b->bounds == NULL && section_has(&b->defaults, entry)) { /* the load fails: once will do */
        ((struct entry *)(uintptr_t)entry)->is_wrong = true;
        b->defaults_are_wrong = true;
    }
    return false;
}

void report_list(struct new_list *n, enum key key, struct span value, enum remark remark,
                 const char *const *with)
{
    say(n->b->diagnostics, SEVERITY_ERROR, key_place(&n->own, key), value, remark, with);
    n->is_wrong = true;
}

bool has_values(struct new_list *n, const struct entry *entry, uint64_t needs)
{
    if ((needs & VARS_LIST & ~n->values.set) == 0)
        return true;
    if (n->address_is_wrong) /* that was reported */
        return false;
    struct place place = entry_place(&n->from, entry);
    if (place.taken_from == NULL)
        return report_wrong(n, entry, ERROR_NO_ADDRESS, NULL);
    /* Reported once for the list, not for each text that needs the address. */
    report_list(n, KEY_LIST, n->list->id, ERROR_NO_ADDRESS_FOR, WITH(place.key, place.taken_from));
    n->address_is_wrong = true;
    return false;
}

bool in_bounds(const struct new_list *n, struct span domain)
{
    return n->b->bounds == NULL || domains_cover(n->b->bounds, domain, &n->b->scratch);
}
