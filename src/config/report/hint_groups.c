/* hint_groups - see hint_groups.h */
#include "config/report/hint_groups.h"

#include "config/report/say.h"

void hint_groups_init(struct hint_groups *groups)
{
    groups->count = 0;
    diagnostics_init(&groups->found);
}

void hint_groups_free(struct hint_groups *groups)
{
    diagnostics_free(&groups->found);
    groups->count = 0;
}

struct diagnostics *hint_groups_count(struct hint_groups *groups, const char *key, const char *what,
                                      const void *list, size_t most)
{
    size_t i = 0;
    while (i < groups->count && (groups->items[i].what != what || groups->items[i].key != key))
        i++;
    if (i == HINT_GROUPS_MAX)
        return NULL;
    struct hint_group *group = &groups->items[i];
    if (i == groups->count)
        groups->items[groups->count++] = (struct hint_group){.key = key, .what = what};
    group->lists += group->last != list ? 1 : 0; /* a list may have it more than once */
    group->last = list;
    if (group->place_count >= most || group->place_count >= HINT_LISTS_TOLD)
        return NULL;
    group->places[group->place_count++] = groups->found.count;
    return &groups->found;
}

void hint_groups_rewind(struct hint_groups *groups, const struct hint_groups *earlier)
{
    struct diagnostics found = groups->found;
    *groups = *earlier;
    groups->found = found;
    groups->found.count = earlier->found.count;
    groups->found.hints = earlier->found.hints;
}

void hint_groups_tell(struct hint_groups *groups, struct diagnostics *diagnostics)
{
    for (size_t i = 0; i < groups->count; i++) {
        const struct hint_group *group = &groups->items[i];
        bool is_shared = group->lists > HINT_LISTS_TOLD;
        for (size_t k = 0; k < (is_shared ? 1 : group->place_count); k++) {
            if (group->places[k] >= groups->found.count)
                continue; /* there were too many hints to keep it */
            const struct diagnostic *item = &groups->found.items[group->places[k]];
            struct place place = place_of(item->file, item->line, NULL);
            if (is_shared)
                say(diagnostics, SEVERITY_HINT, place, NO_VALUE, "%s (and so in %zu lists)",
                    item->text, group->lists);
            else
                say(diagnostics, SEVERITY_HINT, place, NO_VALUE, "%s", item->text);
        }
    }
    hint_groups_free(groups);
}
