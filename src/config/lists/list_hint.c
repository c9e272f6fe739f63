/* list_hint - see list_hint.h */
#include "config/lists/list_hint.h"

/* Where the line of a hint is to be added; NULL: it is only counted. */
static struct diagnostics *count(struct list_draft *draft, enum key key, const char *what,
                                 bool from_defaults)
{
    return hint_groups_count(&draft->builder->hints, key, what, draft->list,
                             from_defaults ? 1 : HINT_LISTS_TOLD);
}

void hint_text(struct list_draft *draft, enum key key, const struct config_texts *texts,
               const struct config_text *text, const char *what)
{
    struct diagnostics *d = count(draft, key, what, texts->from_defaults);
    if (d != NULL)
        complain_value(d, SEVERITY_HINT, draft_place(draft, texts, text), schema[key].name,
                       text->raw.text, what);
}

void hint_key(struct list_draft *draft, enum key key, const char *what)
{
    bool own = draft_is_own(draft, key);
    struct diagnostics *d = count(draft, key, what, !own);
    struct place place = draft_key_place(draft, key);
    struct shown list;
    if (d != NULL)
        diagnostics_add(d, SEVERITY_HINT, place.file, own ? draft_line(draft, key) : place.line,
                        own ? "%s: %s, in list \"%s\""
                            : "%s: %s, in list \"%s\", which takes it from the defaults",
                        schema[key].name, what, shown_text(draft->list->id, &list));
}

void hint_list(struct list_draft *draft, enum key key, const char *what)
{
    struct diagnostics *d = count(draft, key, what, false);
    struct shown shown;
    if (d != NULL)
        diagnostics_add(d, SEVERITY_HINT, draft->raw->file, draft->raw->line,
                        "%s: %s, in list \"%s\"", schema[key].name, what,
                        shown_text(draft->list->id, &shown));
}
