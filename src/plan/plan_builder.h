/*
 * plan_builder - a plan in the making; for the files of plan/ only
 *
 * plan.c says in which order things are decided, the other files plan_*.c decide
 * them, and this keeps the edits in their order and finds out whether they change
 * anything.  All functions return 0, or -1 when out of memory, where nothing else is said.
 */
#ifndef MLMILTER_PLAN_PLAN_BUILDER_H
#define MLMILTER_PLAN_PLAN_BUILDER_H

#include "plan/plan.h"

struct builder {
    const struct facts *facts;
    const struct selection *selection;
    const struct list *list;
    struct list_texts texts; /* of the list, for a distribution */
    struct arena *arena;
    struct plan *plan;
    const struct post *post;
    const struct post_record *record; /* never NULL */
    struct span date_text;            /* the first Date or the added one; p is NULL: none */
    const char *no_archive;           /* why the post gets no Archived-At by the store's word */
    /* FIELD_BITs that `keep` of the recipient lists names: beside private recipients of a feed they
     * are deleted, since a later distribution would trust them (RULINGS 70). */
    uint64_t kept_later;
    /* FIELD_BITs of what the list does not add because an author's signature names it (RULINGS 83).
     */
    uint64_t spared;
    uint64_t left_out;          /* FIELD_BITs of spared fields that the list has */
    bool has_https_unsubscribe; /* the message, in its first List-Unsubscribe (plan_remove) */
    bool sender_is_others; /* the envelope sender is neither the list's nor null (RULINGS 100) */
    bool item_lacks_token; /* an item was left out, since its {recipient_token} could not be made */

    bool *deleted;          /* per field of the header */
    struct edit *deletions; /* room for every field that may be deleted */
    size_t deletion_count;
    bool deletes_unread; /* a field whose whole value is not known is among them (RULINGS 71) */
    struct edit *insertions;
    size_t insertion_count;

    size_t note_capacity;
    bool dropped_error; /* one of the notes that plan->notes_more counts was an error */
};

/* Prepares b for the message; the members up to `plan` are set by the caller. */
int builder_init(struct builder *b);

/* One field of the message, as a field_filter sees it. */
struct received {
    enum field_name name;
    size_t number;     /* among those of its name, from 1 */
    size_t place;      /* in the header, from 0; header_count(): the field was not kept */
    struct span value; /* then empty */
};

/* Sets *clause to that for which the field goes; NULL: it stays. 0 or -1. */
typedef int field_filter(const struct builder *b, const struct received *field,
                         const char **clause);

/* Deletes the fields of a name that `wanted` says, highest index first. */
int builder_delete(struct builder *b, enum field_name name, field_filter *wanted);

/* Inserts below what was inserted before. A value that must not reach a header is left out, with an
 * error note, and so is a spared field, without one. value has a NUL behind it, and is
 * borrowed as long as the plan is used. */
int builder_insert(struct builder *b, enum field_name name, struct span value, const char *clause);

/* Adds a note to the plan, or counts it when there are enough. */
int builder_note(struct builder *b, bool is_error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Puts "and N more" in the place of the last note if there are more than a plan may have. */
int builder_finish_notes(struct builder *b);

/* Could no line of a field hold the text of a template? Then it is not to be made: of a long
 * Message-ID and a template that repeats it come hundreds of megabytes. */
bool builder_is_too_long(const struct template *t, const struct variable_values *values);

/* A copy of formatted text in the arena; NULL when out of memory. */
const char *builder_text(struct builder *b, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The plan is to answer the message with a reply that names the list and says why. */
int builder_refuse(struct builder *b, enum plan_action action, const char *code, const char *status,
                   const char *why);

/* Puts the edits into the plan; none when every name has the same values before and after
 * (RULINGS 1). */
int builder_finish(struct builder *b);

#endif
