/*
 * plan_check - what must hold for every plan, whatever the message
 */
#ifndef MLMILTER_TESTS_FUZZ_PLAN_CHECK_H
#define MLMILTER_TESTS_FUZZ_PLAN_CHECK_H

#include "plan/plan.h"

/* One field of a header after the edits. */
struct edited_field {
    enum field_name id;
    struct span name;
    struct span text; /* unfolded, trimmed */
    size_t place;     /* in the header before; SIZE_MAX: it was inserted */
};

struct edited_header {
    struct edited_field *fields;
    size_t count;
};

/* The header with the edits made, as an MTA makes them; in the arena. */
void plan_check_apply(const struct header *header, const struct plan *plan, struct arena *arena,
                      struct edited_header *out);

/* Requires: edits are in their order and about fields that are there; what is inserted may be sent;
 * afterwards an owned field of the message is gone, or stays because `keep`, a parent or private
 * recipients want that (RULINGS 1 to 4, 22, 26 to 29, 70). */
void plan_check(const struct facts *facts, const struct selection *selection,
                const struct plan *plan);

#endif
