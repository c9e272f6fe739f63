/*
 * names - local parts that lead to lists, and those that several owners have (RULINGS 21, 111, 112)
 *
 * The local domains of a host share their mailboxes, so team@alice.example may be the mailbox that
 * the administrator's list team@lists.example has.  Such a local part is *contested* if it concerns
 * a delegate and a list of somebody else has it.
 */
#include "config/lists/build.h"
#include "mail/address.h"

static void put_name(struct list_index *index, struct list *list)
{
    struct span local = address_local(list->mailbox);
    struct list *first = local.n > 0 ? list_index_put(index, LIST_BY_NAME, local, list) : NULL;
    if (first != NULL && !list->has_bare_name)
        first->shares_name = true;
}

static void put_contacts(struct list_index *index, struct list *list)
{
    for (size_t i = 0; i < list->command_address_count; i++) {
        struct span contact = list_command_addresses(list)[i];
        if (list_derives_sender(list, contact) > 0)
            (void)list_index_put(index, LIST_BY_CONTACT_NAME, address_local(contact), list);
    }
}

/* A local part that concerns delegates. */
struct claim {
    const struct list *of; /* a delegate's list that it concerns */
    bool has_several;      /* it concerns lists of several delegates */
    struct contest {
        const struct list *first, *second; /* that have it, of different owners; NULL: none */
    } * found;
};

struct search {
    struct list_index *index;
    struct span delimiters;
    struct arena *arena;  /* for contests */
    struct arena scratch; /* for claims */
    struct strmap claims; /* by local part */
};

/* Returns the claim for a local part, which concerns this list. */
static struct claim *add_claim(struct search *s, const struct list *list, struct span local)
{
    struct claim *claim = strmap_get(&s->claims, local);
    if (claim == NULL) {
        claim = arena_calloc(&s->scratch, 1, sizeof *claim);
        claim->of = list;
        strmap_put(&s->claims, local, claim, NULL);
    }
    claim->has_several |= !list_has_same_owner(claim->of, list);
    return claim;
}

/* Adds the claims of a delegate's list with this local part. */
static void add_claims(struct search *s, const struct list *list, struct span local)
{
    (void)add_claim(s, list, local);
    (void)add_claim(s, list, address_before_delimiter(local, s->delimiters));
}

/* Notes that the list has the local part. Mail to dev+x may be for a delegate's dev, too, also if
 * another delegate has dev+x. */
static void note_local(struct search *s, const struct list *list, struct span local)
{
    struct claim *claim = strmap_get(&s->claims, local);
    struct claim *above = strmap_get(&s->claims, address_before_delimiter(local, s->delimiters));
    if (above != NULL && above != claim) {
        claim = add_claim(s, above->of, local);
        claim->has_several |= above->has_several;
    }
    if (claim == NULL)
        return;
    if (claim->found == NULL)
        claim->found = arena_calloc(s->arena, 1, sizeof *claim->found);
    if (claim->found->first == NULL)
        claim->found->first = list;
    else if (claim->found->second == NULL && !list_has_same_owner(claim->found->first, list))
        claim->found->second = list;
    if (claim->has_several || !list_has_same_owner(claim->of, list))
        (void)strmap_put(&s->index->contested, local, claim->found, NULL);
}

typedef void visit_local(struct search *s, const struct list *list, struct span local);

/* Calls act for the local parts of the addresses of a list; of its contacts, too, if
 * with_contacts. */
static void visit(struct search *s, const struct list *list, bool with_contacts, visit_local *act)
{
    size_t count = list->alias_count + (with_contacts ? list->command_address_count : 0);
    if (list->mailbox.n > 0)
        act(s, list, address_local(list->mailbox));
    for (size_t i = 0; i < count; i++) /* command addresses are after the aliases */
        act(s, list, address_local(list->aliases[i]));
}

static void find_contested(struct list_index *index, struct span delimiters, struct arena *arena)
{
    struct search s = {.index = index, .delimiters = delimiters, .arena = arena};
    arena_init(&s.scratch, 0);
    strmap_init(&s.claims, index->contested.seed);
    for (size_t i = 0; i < index->count; i++)
        if (index->lists[i]->bounds != NULL)
            visit(&s, index->lists[i], false, add_claims);
    for (size_t i = 0; i < index->count && s.claims.count > 0; i++)
        visit(&s, index->lists[i], true, note_local);
    strmap_free(&s.claims);
    arena_free(&s.scratch);
}

void list_index_finish(struct list_index *index, struct span delimiters, struct arena *arena)
{
    for (int pass = 0; pass < 2; pass++) /* preferred lists come first */
        for (size_t i = 0; i < index->count; i++) {
            struct list *list = index->lists[i];
            if (list->bounds != NULL) /* any local user of the host may have the name */
                continue;
            if (list->has_bare_name == (pass == 1))
                put_name(index, list);
            if ((list->select != SELECT_RECIPIENT) == (pass == 1))
                put_contacts(index, list);
        }
    find_contested(index, delimiters, arena);
}

const struct list *list_contesting(const struct list_index *index, const struct list *list,
                                   struct span local)
{
    const struct contest *contest = strmap_get(&index->contested, local);
    if (contest == NULL)
        return NULL;
    return list_has_same_owner(contest->first, list) ? contest->second : contest->first;
}

/* Returns a list that may get the mail of a mailbox of this one: of a delegate's list, one that
 * contests it; of the administrator's, one with its local part as a bare name. NULL: none does. */
static const struct list *find_other(const struct list_index *index, const struct list *list,
                                     struct span mailbox, struct span delimiters)
{
    struct span local = address_local(mailbox);
    const struct list *other = NULL;
    if (list->bounds == NULL) {
        other = local.n < mailbox.n ? list_get(index, LIST_BY_ADDRESS, local) : NULL;
        return other != list ? other : NULL;
    }
    other = list_contesting(index, list, local);
    return other != NULL
               ? other
               : list_contesting(index, list, address_before_delimiter(local, delimiters));
}

/* Reports the first of the mailboxes of a list that another list may get. */
static void hint_list(const struct list_index *index, const struct list *list,
                      struct span delimiters, struct diagnostics *d)
{
    struct place place = place_of(list->file, list->line, schema[KEY_LIST].name);
    const struct list *other = NULL;
    struct span mailbox = list->mailbox;
    for (size_t i = 0; i <= list->alias_count && other == NULL; i++) {
        mailbox = i == 0 ? list->mailbox : list->aliases[i - 1];
        other = find_other(index, list, mailbox, delimiters);
    }
    if (other == NULL || list_domain_is_virtual(list))
        return;
    place.list = list->id;
    place.other = other->id;
    d->delegate = list->bounds != NULL ? list->bounds->owner : NULL;
    report_hint(d, list->bounds != NULL ? HINT_CONTESTED : HINT_BARE_NAME, place, mailbox, list);
    d->delegate = NULL;
}

void list_index_hint(const struct list_index *index, struct span delimiters,
                     struct diagnostics *diagnostics)
{
    for (size_t i = 0; i < index->count; i++)
        hint_list(index, index->lists[i], delimiters, diagnostics);
}
