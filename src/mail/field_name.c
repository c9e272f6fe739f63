/* field_name - see field_name.h. The table is tested against the names as the RFCs spell them. */
#include "mail/field_name.h"

#define SPELLING(name, literal) [name] = {literal, sizeof(literal) - 1},

static const struct span known_names[FIELD_NAME_COUNT] = {[FIELD_OTHER] = {"", 0},
                                                          FIELD_NAMES(SPELLING)};

bool field_name_is(enum field_name id, struct span name)
{
    return known_names[id].n == name.n && span_eq_nocase(known_names[id], name);
}

/* Tries all names, for each field of each message: fast, as their lengths are compared first. */
enum field_name field_name_find(struct span name)
{
    for (int i = FIELD_OTHER + 1; i < FIELD_NAME_COUNT; i++)
        if (field_name_is((enum field_name)i, name))
            return (enum field_name)i;
    return FIELD_OTHER;
}

bool field_name_is_resent(struct span name)
{
    return span_starts_nocase(name, span_cstr("Resent-"));
}

const char *field_name_text(enum field_name name)
{
    return known_names[name].p;
}
