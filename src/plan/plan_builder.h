/*
 * plan_builder - a plan in the making; for the files of plan/ only
 *
 * plan.c decides about the post and the Message-ID, plan_stamp.c makes the
 * list's fields, and this keeps the edits in their order and finds out whether
 * they change anything.
 */
#ifndef MLMILTER_PLAN_PLAN_BUILDER_H
#define MLMILTER_PLAN_PLAN_BUILDER_H

#include "plan/plan.h"

struct builder {
    const struct facts *facts;
    const struct selection *selection;
    const struct list *list;
    struct arena *arena;
    struct plan *plan;

    struct span id_text; /* the Message-ID as hashed, unfolded and trimmed; p is NULL: none */
    struct span id;      /* the same without its brackets */
    const char *hash;    /* Message-ID-Hash; NULL: none */

    bool *deleted;          /* per field of the header */
    struct edit *deletions; /* room for every field of the header */
    size_t deletion_count;
    struct edit *insertions;
    size_t insertion_count;
    size_t insertion_room;
};

/* All return 0, or -1 when memory is out. */

/* Prepares b for the message; the members up to `plan` are set by the caller. */
int builder_init(struct builder *b);

/* Deletes the fields of a name that `wanted` says, highest index first. number counts from 1. */
typedef bool field_filter(const struct builder *b, enum field_name name, size_t number,
                          struct span value);
int builder_delete(struct builder *b, enum field_name name, field_filter *wanted,
                   const char *clause);

/* Inserts below what was inserted before. A value that must not reach a header is left out, with an
 * error note. value is borrowed until the plan is done. */
int builder_insert(struct builder *b, enum field_name name, struct span value, const char *clause);

int builder_note(struct builder *b, bool is_error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A copy of formatted text in the arena; NULL when memory is out. */
const char *builder_text(struct builder *b, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Puts the edits into the plan; none when every name has the same values before and after
 * (RULINGS 1). */
int builder_finish(struct builder *b);

/* plan_stamp.c: inserts the fields of the list. */
int plan_stamp(struct builder *b);

/* plan_stamp.c: a field of this name stays, because `keep` says so and the message has one. */
bool plan_keeps(const struct builder *b, enum field_name name);

#endif
