/*
 * stamp - a plan while it is being made, and the fields that a distribution gets; for plan.c only
 */
#ifndef MLMILTER_PLAN_STAMP_H
#define MLMILTER_PLAN_STAMP_H

#include "plan/plan.h"

struct build {
    const struct facts *facts;
    const struct selection *selection;
    const struct list *list;
    const struct post *post;
    const struct post_record *record;
    struct arena *arena;
    struct plan *plan;
    struct span date;       /* the first Date or the added one; p is NULL if there is none */
    const char *no_archive; /* the store's reason for no Archived-At, or NULL */
    bool *deleted;          /* for each field of the header */

    /* Sets of FIELD_BITs. */
    uint64_t kept_later; /* fields that `keep` of a recipient list allows: with private recipients
                            of a feed they are deleted (RULINGS 70) */
    uint64_t forbidden;  /* fields that the author's signature forbids to add (RULINGS 83) */
    uint64_t left_out;   /* forbidden fields that the list has */

    bool has_https_unsubscribe; /* in the message's first List-Unsubscribe */
};

/* Formats a text in the arena. */
const char *build_text(const struct build *b, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Adds a note to the plan, or counts it if there are PLAN_NOTES_MAX. */
void build_note(struct build *b, bool is_error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Inserts a field below the fields inserted before. Leaves it out, with an error note, if the value
 * must not reach a header; without one if the author's signature forbids it. Returns true if it was
 * inserted. value has a NUL after it, and is borrowed as long as the plan. */
bool build_insert(struct build *b, enum field_name name, struct span value, const char *clause);

/* True if the list's `keep` leaves the message's own field of this name. List-Unsubscribe-Post is
 * kept only with a List-Unsubscribe that is kept and has https (RULINGS 26). */
bool build_keeps(const struct build *b, enum field_name name);

/* True if the message is a parent's post and this field is the parent's (RULINGS 27). */
bool build_is_parents(const struct build *b, enum field_name name);

/* Inserts the fields that a distribution gets from its list, in the order of RULINGS 2. */
void build_stamp(struct build *b);

#endif
