/* hint_groups - see hint_groups.h */
#include "config/report/hint_groups.h"

#include "config/report/say.h"

struct hint_group {
    struct hint_group *older;
    const char *key;
    const char *what;
    size_t lists;
    const void *last; /* of these */
    struct {
        size_t at;   /* in `found` */
        size_t most; /* see hint_groups_count */
    } lines[HINT_LISTS_TOLD];
    size_t line_count;
};

void hint_groups_init(struct hint_groups *groups)
{
    arena_init(&groups->arena, 0);
    groups->newest = NULL;
    diagnostics_init(&groups->found);
}

void hint_groups_free(struct hint_groups *groups)
{
    arena_free(&groups->arena);
    diagnostics_free(&groups->found);
    groups->newest = NULL;
}

/* Returns the group of a hint, which is created if it is missing. */
static struct hint_group *group_of(struct hint_groups *groups, const char *key, const char *what)
{
    struct hint_group *group = groups->newest;
    while (group != NULL && (group->what != what || group->key != key))
        group = group->older;
    if (group != NULL)
        return group;
    group = arena_alloc(&groups->arena, sizeof *group);
    *group = (struct hint_group){.older = groups->newest, .key = key, .what = what};
    groups->newest = group;
    return group;
}

struct diagnostics *hint_groups_count(struct hint_groups *groups, const char *key, const char *what,
                                      const void *list, size_t most)
{
    struct hint_group *group = group_of(groups, key, what);
    group->lists += group->last != list ? 1 : 0; /* a list may have it more than once */
    group->last = list;
    if (group->line_count >= most || group->line_count >= HINT_LISTS_TOLD)
        return NULL;
    group->lines[group->line_count].at = groups->found.count;
    group->lines[group->line_count++].most = most;
    return &groups->found;
}

/* The oldest first, as hints about one line keep their order. */
static void take_all(struct hint_groups *groups, const struct hint_groups *others,
                     const struct hint_group *group)
{
    if (group == NULL)
        return;
    take_all(groups, others, group->older);
    for (size_t i = 0; i < group->line_count; i++) {
        struct diagnostics *d =
            hint_groups_count(groups, group->key, group->what, group->last, group->lines[i].most);
        if (d == NULL || group->lines[i].at >= others->found.count)
            continue;
        const struct diagnostic *item = &others->found.items[group->lines[i].at];
        say(d, SEVERITY_HINT, place_of(item->file, item->line, NULL), NO_VALUE, "%s", item->text);
    }
    group_of(groups, group->key, group->what)->lists += group->lists - 1; /* the last is counted */
}

void hint_groups_take(struct hint_groups *groups, const struct hint_groups *others)
{
    take_all(groups, others, others->newest);
}

static void tell_group(const struct hint_groups *groups, const struct hint_group *group,
                       struct diagnostics *diagnostics)
{
    size_t lines = group->lists > HINT_LISTS_TOLD ? 1 : group->line_count;
    for (size_t i = 0; i < lines; i++) {
        if (group->lines[i].at >= groups->found.count)
            continue; /* there were too many hints to keep it */
        const struct diagnostic *item = &groups->found.items[group->lines[i].at];
        if (group->lists > HINT_LISTS_TOLD)
            say(diagnostics, SEVERITY_HINT, place_of(item->file, item->line, NULL), NO_VALUE,
                "%s (and so in %zu lists)", item->text, group->lists);
        else
            say(diagnostics, SEVERITY_HINT, place_of(item->file, item->line, NULL), NO_VALUE, "%s",
                item->text);
    }
}

static void tell_all(const struct hint_groups *groups, const struct hint_group *group,
                     struct diagnostics *diagnostics)
{
    if (group == NULL)
        return;
    tell_all(groups, group->older, diagnostics);
    tell_group(groups, group, diagnostics);
}

void hint_groups_tell(struct hint_groups *groups, struct diagnostics *diagnostics)
{
    tell_all(groups, groups->newest, diagnostics);
    hint_groups_free(groups);
}
