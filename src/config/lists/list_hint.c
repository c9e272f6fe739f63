/* list_hint - see list_hint.h */
#include "config/lists/list_hint.h"

/* Where the line of a hint is to be added; NULL: it is only counted. */
static struct diagnostics *count(struct list_draft *draft, enum key key, const char *what,
                                 bool from_defaults)
{
    return hint_groups_count(draft->builder->hints, schema[key].name, what, draft->list,
                             from_defaults ? 1 : HINT_LISTS_TOLD);
}

void hint_text(struct list_draft *draft, enum key key, const struct config_texts *texts,
               const struct config_text *text, const char *what)
{
    struct diagnostics *d = count(draft, key, what, texts->from_defaults);
    if (d != NULL)
        say(d, SEVERITY_HINT, draft_place(draft, text), text->raw.text, "%s", what);
}

static void about_list(struct list_draft *draft, struct diagnostics *d, struct place place,
                       const char *what)
{
    struct shown list;
    if (d != NULL)
        say(d, SEVERITY_HINT, place, NO_VALUE, "%s, in list \"%s\"", what,
            shown_text(draft->list->id, &list));
}

void hint_key(struct list_draft *draft, enum key key, const char *what)
{
    bool own = draft_is_own(draft, key);
    struct diagnostics *d = count(draft, key, what, !own);
    struct place place = draft_key_place(draft, key);
    if (own)
        place.line = draft_line(draft, key);
    if (own)
        about_list(draft, d, place, what);
    else if (d != NULL)
        say(d, SEVERITY_HINT, place, NO_VALUE, "%s", what);
}

void hint_list(struct list_draft *draft, enum key key, const char *what)
{
    struct place place = place_of(draft->raw->file, draft->raw->line, schema[key].name);
    about_list(draft, count(draft, key, what, false), place, what);
}
