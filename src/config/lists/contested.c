/*
 * contested - local parts that a delegate's list shares with lists of other owners (RULINGS 111)
 *
 * The local domains of a host share their mailboxes, so team@alice.example may be the mailbox that
 * the administrator's list team@lists.example has.  Only local parts that concern a delegate and
 * that a list of somebody else has are kept.
 */
#include "config/lists/build.h"
#include "mail/address.h"

/* Lists with one local part. */
struct contest {
    const struct list *first, *second; /* of different owners; NULL: none */
};

/* A local part that concerns delegates. */
struct claim {
    const struct list *of; /* a delegate's list that it concerns */
    bool has_several;      /* it concerns lists of several delegates */
    struct contest found;
    struct contest *kept; /* NULL: only that delegate has it */
};

struct search {
    struct list_index *index;
    struct span delimiters;
    struct arena *arena;  /* for the contests that are kept */
    struct arena scratch; /* for the claims */
    struct strmap claims; /* by local part */
};

static void add_claim(struct search *s, const struct list *list, struct span local)
{
    struct claim *claim = strmap_get(&s->claims, local);
    if (claim != NULL) {
        claim->has_several |= !list_has_same_owner(claim->of, list);
        return;
    }
    claim = arena_calloc(&s->scratch, 1, sizeof *claim);
    claim->of = list;
    strmap_put(&s->claims, local, claim, NULL);
}

/* Adds the claims of a delegate's list with this local part. */
static void add_claims(struct search *s, const struct list *list, struct span local)
{
    add_claim(s, list, local);
    add_claim(s, list, address_before_delimiter(local, s->delimiters));
}

/* Returns the claim for a local part, or NULL. Mail to dev+x may be for a delegate's dev, too, also
 * if another delegate has dev+x. */
static struct claim *find_claim(struct search *s, struct span local)
{
    struct claim *claim = strmap_get(&s->claims, local);
    struct span before = address_before_delimiter(local, s->delimiters);
    const struct claim *below = before.n < local.n ? strmap_get(&s->claims, before) : NULL;
    if (below == NULL)
        return claim;
    if (claim == NULL) {
        claim = arena_calloc(&s->scratch, 1, sizeof *claim);
        claim->of = below->of;
        strmap_put(&s->claims, local, claim, NULL);
    }
    claim->has_several |= below->has_several || !list_has_same_owner(claim->of, below->of);
    return claim;
}

/* Notes that the list has the local part. */
static void note_local(struct search *s, const struct list *list, struct span local)
{
    struct claim *claim = find_claim(s, local);
    if (claim == NULL)
        return;
    if (claim->found.first == NULL)
        claim->found.first = list;
    else if (claim->found.second == NULL && !list_has_same_owner(claim->found.first, list))
        claim->found.second = list;
    if (claim->kept == NULL && (claim->has_several || !list_has_same_owner(claim->of, list))) {
        claim->kept = arena_calloc(s->arena, 1, sizeof *claim->kept);
        strmap_put(&s->index->contested, local, claim->kept, NULL);
    }
    if (claim->kept != NULL)
        *claim->kept = claim->found;
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

void list_index_find_contested(struct list_index *index, struct span delimiters,
                               struct arena *arena)
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

const struct list *list_contesting(const struct list_index *index, const struct list *list,
                                   struct span local)
{
    const struct contest *contest = strmap_get(&index->contested, local);
    if (contest == NULL)
        return NULL;
    return list_has_same_owner(contest->first, list) ? contest->second : contest->first;
}

/* Returns a list of somebody else's that contests a mailbox of a delegate's list, or NULL. */
static const struct list *contester(const struct list_index *index, const struct list *list,
                                    struct span mailbox, struct span delimiters)
{
    struct span local = address_local(mailbox);
    const struct list *other = list_contesting(index, list, local);
    return other != NULL
               ? other
               : list_contesting(index, list, address_before_delimiter(local, delimiters));
}

/* Returns the list of the administrator's whose alias is the local part of a mailbox of another, or
 * NULL. */
static const struct list *bare_list(const struct list_index *index, const struct list *list,
                                    struct span mailbox)
{
    struct span local = address_local(mailbox);
    const struct list *other = local.n < mailbox.n ? list_get(index, LIST_BY_ADDRESS, local) : NULL;
    return other != list ? other : NULL;
}

/* Reports the first of the mailboxes of a list that another list may get. */
static void hint_list(const struct list_index *index, const struct list *list,
                      struct span delimiters, struct diagnostics *d)
{
    const struct list *other = NULL;
    struct span mailbox = list->mailbox;
    bool is_delegates = list->bounds != NULL;
    if (list_domain_is_virtual(list))
        return;
    for (size_t i = 0; i <= list->alias_count && other == NULL; i++) {
        mailbox = i == 0 ? list->mailbox : list->aliases[i - 1];
        other = is_delegates ? contester(index, list, mailbox, delimiters)
                             : bare_list(index, list, mailbox);
    }
    if (other == NULL)
        return;
    struct place place = place_of(list->file, list->line, schema[KEY_LIST].name);
    place.list = list->id;
    place.other = other->id;
    d->delegate = is_delegates ? list->bounds->owner : NULL;
    report_hint(d, is_delegates ? HINT_CONTESTED : HINT_BARE_NAME, place, mailbox, list);
    d->delegate = NULL;
}

void list_index_hint(const struct list_index *index, struct span delimiters,
                     struct diagnostics *diagnostics)
{
    for (size_t i = 0; i < index->count && (index->has_bare_names || index->contested.count > 0);
         i++)
        hint_list(index, index->lists[i], delimiters, diagnostics);
}
