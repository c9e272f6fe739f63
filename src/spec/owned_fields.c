/* owned_fields - see owned_fields.h */
#include "spec/owned_fields.h"

#include "mail/fold.h"
#include "spec/list_fields.h"
#include "spec/list_id.h"
#include "spec/uri.h"
#include "text/cursor.h"

#define FIRST_OWNED FIELD_MESSAGE_ID_HASH

/* In the order of field_name.h: the row of a name is its distance from the first. */
const struct owned_field owned_fields[] = {
    /* name, form, form and single clause, removed_with_private_recipients, never_kept, clauses:
     * removal, insertion, nested */
    {FIELD_MESSAGE_ID_HASH, FORM_HASH, "SU-01", "SU-07", true, true, "SU-07", "SU-01", NULL},
    {FIELD_X_MESSAGE_ID_HASH, FORM_OLD_NAME, "SU-08", NULL, true, true, "SU-08", NULL, NULL},
    {FIELD_X_MESSAGE_ID_HEADER, FORM_OLD_NAME, "SU-08", NULL, true, true, "SU-08", NULL, NULL},
    {FIELD_ARCHIVED_AT, FORM_URI, "AT-01", NULL, false, false, "AT-15", "AT-01", "AT-05"},
    {FIELD_X_ARCHIVED_AT, FORM_OLD_NAME, "AT-08", NULL, false, false, "AT-08", NULL, NULL},
    {FIELD_LIST_ID, FORM_LIST_ID, "LI-01", "LI-05", true, false, "LI-12", "LI-09", NULL},
    {FIELD_LIST_HELP, FORM_URI_LIST, "LH-05", "LH-02", false, false, "LH-08", "LH-01", "LH-10"},
    {FIELD_LIST_SUBSCRIBE, FORM_URI_LIST, "LH-05", "LH-02", false, false, "LH-08", "LH-01",
     "LH-10"},
    {FIELD_LIST_UNSUBSCRIBE, FORM_URI_LIST, "LH-05", "LH-02", false, false, "LH-08", "LH-01",
     "LH-10"},
    {FIELD_LIST_UNSUBSCRIBE_POST, FORM_ONE_CLICK, "RFC 8058 3.1", "RFC 8058 3.1", false, false,
     "RFC 8058", "RFC 8058", NULL},
    {FIELD_LIST_POST, FORM_URI_LIST, "LH-05", "LH-02", false, false, "LH-08", "LH-01", "LH-12"},
    {FIELD_LIST_OWNER, FORM_URI_LIST, "LH-05", "LH-02", false, false, "LH-08", "LH-01", "LH-10"},
    {FIELD_LIST_ARCHIVE, FORM_URI_LIST, "LH-05", "LH-02", false, false, "LH-08", "LH-01", "LH-11"},
    {FIELD_X_LIST_SEQUENCE, FORM_NUMBER, "SU-16", "SU-16", true, true, "SU-16", "SU-16", NULL},
    {FIELD_X_LIST_SEQUENCE_NUMBER, FORM_NUMBER, "R1-04", "R1-04", true, true, "R1-08", "R1-04",
     NULL},
    {FIELD_X_LIST_ID_HASH, FORM_LIST_HASH, "R1-01", "R1-01", true, true, "R1-08", "R1-01", NULL},
    {FIELD_X_ALT_MESSAGE_ID, FORM_TEXT, "public-inbox", NULL, true, false, "public-inbox",
     "public-inbox", NULL},
    {FIELD_LIST_SEQUENCE, FORM_OLD_NAME, "SU-27", NULL, true, true, "SU-27", NULL, NULL},
};

const size_t owned_field_count = sizeof(owned_fields) / sizeof(owned_fields[0]);

_Static_assert(sizeof(owned_fields) / sizeof(owned_fields[0]) == FIELD_NAME_COUNT - FIRST_OWNED,
               "the owned fields are the last names of field_name.h");
_Static_assert(FIELD_NAME_COUNT <= 64, "FIELD_BIT has 64 bits");

const struct owned_field *owned_field_find(enum field_name name)
{
    if (name < FIRST_OWNED || name >= FIELD_NAME_COUNT)
        return NULL;
    return &owned_fields[name - FIRST_OWNED];
}

/* True if mail programs find a URI in the text of a value: "(c) <https://x.example/> y". */
static bool has_uri(struct span text, struct arena *arena)
{
    struct cursor c = cursor_of(text);
    struct span uri;
    bool first = true, found = false;
    while (!found && list_field_next_uri(&c, &first, arena, &uri))
        found = uri_scheme(uri).n > 0;
    return found;
}

bool owned_field_is_readable(const struct owned_field *owned, struct span value,
                             struct arena *arena)
{
    struct span text = fold_text(value, arena), id;
    if (fold_has_stray_cr(value))
        return false;
    switch (owned->form) {
    case FORM_URI:
        return has_uri(text, arena);
    case FORM_URI_LIST:
        return has_uri(text, arena) || (owned->name == FIELD_LIST_POST && list_field_is_no(text));
    case FORM_LIST_ID:
        return list_id_read(text, arena, &id);
    case FORM_ONE_CLICK:
        return span_eq_nocase(text, span_cstr(LIST_FIELDS_ONE_CLICK));
    case FORM_OLD_NAME:
        return owned->name != FIELD_X_ARCHIVED_AT || has_uri(text, arena);
    case FORM_TEXT:
    case FORM_HASH:
    case FORM_LIST_HASH:
    case FORM_NUMBER:
        break;
    }
    return true;
}
