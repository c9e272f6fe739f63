/*
 * owned_fields - the one table of the fields that only the list may set
 *
 * What is removed and when, and what is inserted, per name (RULINGS 4, 70, 89;
 * SU-07, SU-08, SU-16, SU-27, R1-08, AT-08, LI-12, LH-08, RFC 8058).
 */
#ifndef MLMILTER_SPEC_OWNED_FIELDS_H
#define MLMILTER_SPEC_OWNED_FIELDS_H

#include "mail/field_name.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct owned_field {
    enum field_name name;
    /* Removed also from the copy of a feed that reaches private recipients (RULINGS 70): for most
     * fields no; for List-Id only ids of ours. */
    bool removed_beside_private_recipients;
    /* Its specification says MUST strip: `keep` cannot name it (RULINGS 26; SU-07, SU-08, SU-16,
     * SU-27, R1-08). */
    bool never_kept;
    bool keep_all_copies;         /* `keep` leaves every copy, not only the first (RULINGS 26) */
    const char *removal_clause;   /* the clause behind a deletion */
    const char *insertion_clause; /* the clause behind an insertion; NULL: never generated */
};

/* The table, in the order of mlmilter.conf(5), which is that of deletion (RULINGS 4). */
extern const struct owned_field owned_fields[];
extern const size_t owned_field_count;

/* The entry of a name, or NULL when nobody owns it. */
const struct owned_field *owned_field_find(enum field_name name);

/* A set of owned fields: one bit for each field_name. */
#define FIELD_BIT(name) (UINT64_C(1) << (name))

#endif
