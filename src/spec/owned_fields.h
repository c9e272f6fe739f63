/*
 * owned_fields - the one table of the fields that only the list may set
 *
 * A row has the form of a field, and the clauses by which it is removed and inserted (RULINGS 4,
 * 70, 89; SU-07, SU-08, SU-16, SU-27, R1-08, AT-08, LI-12, LH-08, RFC 8058).
 */
#ifndef MLMILTER_SPEC_OWNED_FIELDS_H
#define MLMILTER_SPEC_OWNED_FIELDS_H

#include "mail/field_name.h"
#include "text/arena.h"
#include "text/span.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The form of a value. */
enum owned_form {
    FORM_TEXT,
    FORM_HASH,      /* of the Message-ID: spec/message_id.h */
    FORM_LIST_HASH, /* of Message-ID and Date: spec/message_id.h */
    FORM_NUMBER,    /* decimal digits */
    FORM_URI,       /* "<URI>": spec/archived_at.h */
    FORM_LIST_ID,   /* spec/list_id.h */
    FORM_URI_LIST,  /* spec/list_fields.h */
    FORM_ONE_CLICK, /* spec/list_fields.h */
    FORM_OLD_NAME   /* no field of this name should be written */
};

/* Each clause begins with its id, "SU-03" (doc/CONFORMANCE.md), "RFC 2919", "RULINGS 37" or
 * "public-inbox". */
struct owned_field {
    enum field_name name;
    enum owned_form form;
    const char *form_clause;
    const char *single_clause; /* the clause that allows one field at most; NULL: there is none */
    /* Removed also from a feed that reaches private recipients (RULINGS 70); a List-Id only if its
     * id is that of a configured list, or of a parent of a list among the recipients. */
    bool removed_with_private_recipients;
    /* Its specification says MUST strip: `keep` cannot name it (RULINGS 26; SU-07, SU-08, SU-16,
     * SU-27, R1-08). */
    bool never_kept;
    const char *removal_clause;   /* the clause of a deletion */
    const char *insertion_clause; /* the clause of an insertion; NULL: never generated */
    const char *nested_clause;    /* the clause for a nested list; NULL: no other */
};

/* The table, in the order of mlmilter.conf(5) and of deletion (RULINGS 4). */
extern const struct owned_field owned_fields[];
extern const size_t owned_field_count;

/* Returns the entry of a name, or NULL. */
const struct owned_field *owned_field_find(enum field_name name);

/* True if a program can read the value, which may be folded (RULINGS 26, 28, 29): it has no CR
 * inside (mail/fold.h), and what its form asks for: a URI in brackets ("NO" in List-Post, too), an
 * id (RULINGS 18), or One-Click. Values of other forms are readable. */
bool owned_field_is_readable(const struct owned_field *owned, struct span value,
                             struct arena *arena);

/* The bit of a field_name in a set of owned fields. */
#define FIELD_BIT(name) (UINT64_C(1) << (name))

#endif
