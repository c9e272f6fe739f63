/* selection_list_id - see selection_list_id.h */
#include "plan/selection_list_id.h"

#include "spec/list_id.h"

bool list_id_names_parent(const struct list *list, struct span id)
{
    const struct nesting *nesting = list->nesting;
    for (size_t i = 0; nesting != NULL && i < nesting->parent_count; i++) {
        if (span_eq_nocase(nesting->parents[i], id))
            return true;
    }
    return false;
}

/* The lists that the fields name, each once, in their order. */
struct collected {
    const struct list **lists;
    size_t count;
};

static void collect(struct collected *c, const struct list *list)
{
    for (size_t i = 0; i < c->count; i++) {
        if (c->lists[i] == list)
            return;
    }
    c->lists[c->count++] = list;
}

/* Ids that are not ours, and those of lists that are chosen otherwise, do not count. */
static int collect_lists(const struct facts *facts, struct arena *arena, struct collected *c)
{
    const struct header *header = facts->header;
    c->lists = arena_calloc(arena, header_count(header), sizeof(struct list *));
    c->count = 0;
    if (c->lists == NULL)
        return -1;
    for (size_t i = header_find(header, FIELD_LIST_ID, 0); i < header_count(header);
         i = header_find(header, FIELD_LIST_ID, i + 1)) {
        struct span id;
        bool found = list_id_read(header_field(header, i).value, arena, &id);
        const struct list *list = found ? list_by_id(&facts->settings->index, id) : NULL;
        if (list != NULL && list->select == SELECT_LIST_ID)
            collect(c, list);
    }
    return 0;
}

/* Is the list only there because another one of these is below it? Two that name each other prove
 * nothing about each other (RULINGS 78). */
static bool is_parent_of_another(const struct collected *c, const struct list *list)
{
    for (size_t i = 0; i < c->count; i++) {
        const struct list *other = c->lists[i];
        if (other != list && list_id_names_parent(other, list->id) &&
            !list_id_names_parent(list, other->id))
            return true;
    }
    return false;
}

/* Of more lists than this the parents are not looked at, so that the sender decides, or nobody: a
 * post with 1,000 List-Ids of lists with 1,000 parents took 8 s. No post is nested as deep. */
#define COMPARED_MAX 64

/* Parents of others go (RULINGS 19); where that leaves none, in a circle of three or more, all
 * stay. */
static int drop_parents(struct collected *c, struct arena *arena)
{
    struct collected left = {arena_calloc(arena, c->count, sizeof(struct list *)), 0};
    if (left.lists == NULL)
        return -1;
    for (size_t i = 0; i < c->count; i++) {
        if (!is_parent_of_another(c, c->lists[i]))
            left.lists[left.count++] = c->lists[i];
    }
    if (left.count > 0)
        *c = left;
    return 0;
}

/* The one that the envelope sender speaks for; of several the longest address wins (RULINGS 75). */
static const struct list *list_of_sender(const struct facts *facts, const struct collected *c)
{
    const struct list *best = NULL;
    size_t longest = 0;
    for (size_t i = 0; i < c->count; i++) {
        size_t length = list_derives_sender(c->lists[i], facts->envelope->sender_mailbox);
        if (length > longest) {
            longest = length;
            best = c->lists[i];
        }
    }
    return best;
}

/* The milter sees a parent's copy for an alias list once, and behind that stand all of the
 * sublist's subscribers. */
static const struct list *only_sublist(const struct envelope *envelope, const struct list *parent)
{
    const struct list *list;
    if (envelope->list_count != 1 || envelope->several_recipients)
        return NULL;
    list = envelope->lists[0].list;
    if (list->select != SELECT_RECIPIENT || !list_id_names_parent(list, parent->id))
        return NULL;
    return list;
}

int list_id_find(const struct facts *facts, struct arena *arena, struct list_id_finding *out)
{
    struct collected c;
    *out = (struct list_id_finding){NULL, false, NULL};
    if (collect_lists(facts, arena, &c) != 0)
        return -1;
    if (c.count == 0)
        return 0;
    if (c.count > 1 && c.count <= COMPARED_MAX && drop_parents(&c, arena) != 0)
        return -1;
    out->list = c.lists[0];
    if (c.count > 1) {
        const struct list *of_sender = list_of_sender(facts, &c);
        out->ambiguous = of_sender == NULL;
        if (of_sender != NULL)
            out->list = of_sender;
    }
    if (!out->ambiguous)
        out->sublist = only_sublist(facts->envelope, out->list);
    return 0;
}

static bool all_name_parent(const struct envelope *envelope, struct span id)
{
    for (size_t i = 0; i < envelope->list_count; i++) {
        if (!list_id_names_parent(envelope->lists[i].list, id))
            return false;
    }
    return true;
}

int list_id_find_parent(const struct facts *facts, const struct list *list, bool of_all_recipients,
                        struct arena *arena, bool *found, size_t *place)
{
    const struct header *header = facts->header;
    *found = false;
    for (size_t i = header_find(header, FIELD_LIST_ID, 0); i < header_count(header);
         i = header_find(header, FIELD_LIST_ID, i + 1)) {
        struct span id;
        if (list_id_read(header_field(header, i).value, arena, &id) &&
            list_id_names_parent(list, id) &&
            (!of_all_recipients || all_name_parent(facts->envelope, id))) {
            *found = true;
            *place = i;
            return 0;
        }
    }
    return 0;
}
