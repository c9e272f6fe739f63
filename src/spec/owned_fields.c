/* owned_fields - see owned_fields.h */
#include "spec/owned_fields.h"

#define FIRST_OWNED FIELD_MESSAGE_ID_HASH

/* field_name.h lists these names in the same order, so a name's row is its distance from the first.
 */
const struct owned_field owned_fields[] = {
    /* name, removed_beside_private_recipients, never_kept, keep_all_copies, removal and insertion
     * clause */
    {FIELD_MESSAGE_ID_HASH, true, true, false, "SU-07", "SU-01"},
    {FIELD_X_MESSAGE_ID_HASH, true, true, false, "SU-08", NULL},
    {FIELD_X_MESSAGE_ID_HEADER, true, true, false, "SU-08", NULL},
    {FIELD_ARCHIVED_AT, false, false, true, "SU-09", "AT-01"},
    {FIELD_X_ARCHIVED_AT, false, false, false, "AT-08", NULL},
    {FIELD_LIST_ID, true, false, false, "LI-12", "LI-09"},
    {FIELD_LIST_HELP, false, false, false, "LH-08", "LH-01"},
    {FIELD_LIST_SUBSCRIBE, false, false, false, "LH-08", "LH-01"},
    {FIELD_LIST_UNSUBSCRIBE, false, false, false, "LH-08", "LH-01"},
    {FIELD_LIST_UNSUBSCRIBE_POST, false, false, false, "RFC 8058", "RFC 8058"},
    {FIELD_LIST_POST, false, false, false, "LH-08", "LH-01"},
    {FIELD_LIST_OWNER, false, false, false, "LH-08", "LH-01"},
    {FIELD_LIST_ARCHIVE, false, false, false, "LH-08", "LH-01"},
    {FIELD_X_LIST_SEQUENCE, true, true, false, "SU-16", "SU-16"},
    {FIELD_X_LIST_SEQUENCE_NUMBER, true, true, false, "R1-08", "R1-04"},
    {FIELD_X_LIST_ID_HASH, true, true, false, "R1-08", "R1-01"},
    {FIELD_X_ALT_MESSAGE_ID, true, false, false, "public-inbox", "public-inbox"},
    {FIELD_LIST_SEQUENCE, true, true, false, "SU-27", NULL},
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
