/*
 * plan_builder - a plan in the making; for the files of plan/ only
 *
 * plan.c says in which order things are decided, the other files plan_*.c decide
 * them, and this keeps the edits in their order and finds out whether they change
 * anything.
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
    const struct post *post;
    const struct post_record *record; /* never NULL */
    struct span date_text;            /* the first Date or the added one; p is NULL: none */
    const char *no_archive;           /* why the post gets no Archived-At by the store's word */
    /* FIELD_BITs of what the list managers' lists among the recipients would keep at their own
     * distribution (RULINGS 22, 70). */
    uint64_t kept_later;
    /* FIELD_BITs of what the list does not add because an author's signature names it (RULINGS 83).
     */
    uint64_t spared;
    uint64_t left_out;          /* of what was not inserted for one of these reasons */
    bool has_https_unsubscribe; /* the message, in its first List-Unsubscribe (plan_remove) */
    bool item_lacks_key; /* the key of a {recipient_token} was not read: an item was left out */

    bool *deleted;          /* per field of the header */
    struct edit *deletions; /* room for every field that may be deleted */
    size_t deletion_count;
    bool deletes_unread; /* a field whose whole value is not known is among them (RULINGS 71) */
    struct edit *insertions;
    size_t insertion_count;

    size_t note_capacity;
    bool dropped_error; /* one of the notes that plan->notes_more counts was an error */
};

/* All return 0, or -1 when out of memory. */

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
 * error note, and so is a field that kept_later or spared names. value is borrowed until the plan
 * is done. */
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

/* Puts the edits into the plan; none when every name has the same values before and after
 * (RULINGS 1). */
int builder_finish(struct builder *b);

/* plan.c: the message is answered with a reply that names the list and says why. */
int plan_refuse(struct builder *b, enum plan_action action, const char *code, const char *status,
                const char *why);

/* plan_removal.c: deletes the owned fields that are to go. */
int plan_remove(struct builder *b);

/* plan_removal.c: a field of this name stays, because `keep` says so and the message has one. Not
 * List-Unsubscribe-Post alone, nor beside a List-Unsubscribe without https (RULINGS 26). */
bool plan_keeps(const struct builder *b, enum field_name name);

/* plan_removal.c: the message is a parent's post, and this field is the parent's to set. */
bool plan_leaves_to_parent(const struct builder *b, enum field_name name);

/* plan_removal.c: the clause by which a nested list replaces or adds this field; NULL: none. */
const char *plan_nested_clause(enum field_name name);

/* plan_record.c: the number of the post, and what follows from what the store said: notes, a
 * refusal, no Archived-At. */
int plan_heed_record(struct builder *b);

/* plan_stamp.c: inserts the fields of the list. */
int plan_stamp(struct builder *b);

/* plan_stamp.c: inserts an owned field that the list has, unless `keep` leaves the message's own,
 * or the parent's stays. */
int plan_stamp_field(struct builder *b, enum field_name name, struct span value);

/* plan_archived_at.c: inserts an Archived-At for each template. */
int plan_stamp_archived_at(struct builder *b);

/* plan_list_fields.c: inserts List-Id and the fields of RFC 2369 and RFC 8058. */
int plan_stamp_list_fields(struct builder *b);

/* plan_signatures.c: sets b->spared. */
int plan_spare_signed(struct builder *b);

/* plan_signatures.c: notes which DKIM-Signatures and ARC-Message-Signatures cover fields that the
 * plan edits. */
int plan_note_signatures(struct builder *b);

#endif
