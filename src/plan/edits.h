/*
 * edits - a plan while it is being made: insertions, notes, what stays; for plan/ only
 */
#ifndef MLMILTER_PLAN_EDITS_H
#define MLMILTER_PLAN_EDITS_H

#include "config/lists/list.h"
#include "plan/plan.h"
#include "spec/owned_fields.h"

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
    bool allows_one_click;  /* List-Unsubscribe as inserted allows List-Unsubscribe-Post */

    /* Sets of FIELD_BITs. */
    uint64_t kept_later; /* `keep` of a list of the transaction names them: its manager's copy would
                            keep them */
    uint64_t forbidden;  /* the author's signature forbids to add them (RULINGS 83) */
    uint64_t withheld;   /* kept_later, of an alias list's fields (RULINGS 109) */
    uint64_t left_out;   /* not inserted, because forbidden or withheld */
};

/* Formats a text in the arena. */
const char *build_text(const struct build *b, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Adds a note to the plan, or counts it if there are PLAN_NOTES_MAX. */
void notes_add(struct build *b, bool is_error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Replaces the last note by "and N more" if some were only counted. */
void notes_complete(struct build *b);

/* Refuses the message; why is printable ASCII. */
void build_refuse(struct build *b, enum plan_action action, const char *code, const char *status,
                  const char *why);

/* Sets the number of the post, and applies the policies about the store's answer. */
void record_apply(struct build *b);

/* Returns the place of the first field of that name that a program can read, or the number of
 * fields (RULINGS 128). */
size_t edits_first_readable(const struct build *b, enum field_name name);

/* True if the list's `keep` leaves the message's own field of this name. List-Unsubscribe-Post is
 * kept only with a List-Unsubscribe that is kept and has https (RULINGS 26). */
bool edits_keep(const struct build *b, enum field_name name);

/* True if the message is a parent's post and this field is the parent's (RULINGS 27, 28). */
bool edits_are_parents(const struct build *b, enum field_name name);

/* Adds a deletion of the field at this place. number: among the fields of its name, from 1. */
void edits_delete(struct build *b, size_t place, size_t number, const char *clause);

/* Inserts a field below the fields inserted before, unless it must not be. value is borrowed as
 * long as the plan. Returns true if it is inserted. */
bool edits_insert(struct build *b, enum field_name name, const char *value, const char *clause);

/* Inserts an owned field of the list, unless value is empty, or the message's own field stays, of
 * which there can be one only (Archived-At: several). */
bool edits_insert_owned(struct build *b, const struct owned_field *owned, const char *value);

/* True if each insertion restores the value that a deletion takes from this place of its name
 * (RULINGS 1). */
bool edits_change_nothing(const struct build *b);

/* Deletes the owned fields that must go, and with duplicate_message_id = "delete" the Message-IDs
 * after the first. */
void removal_delete(struct build *b);

/* Sets the fields that the author's signature forbids to add. */
void signatures_forbid(struct build *b);

/* Notes the signatures that cover an edit (RFC 6376). */
void signatures_note(struct build *b);

/* Inserts the fields of a distribution, in the order of RULINGS 2. */
void stamp_fields(struct build *b);

/* Inserts an Archived-At for each template. */
void stamp_archived_at(struct build *b, struct variable_values values);

/* Inserts List-Unsubscribe with the items for this transaction; sets b->allows_one_click. */
void stamp_unsubscribe(struct build *b, struct variable_values values);

/* True if no line of a field can hold the text of the template: one that repeats a long Message-ID
 * would make hundreds of megabytes. Escaping and padding only make it longer. */
bool stamp_is_too_long(const struct template *t, const struct variable_values *values);

/* Makes an item of a text. Returns NULL, or the reason why it has no URI. *missing is the variable
 * without a usable value, or VAR_COUNT for another reason, on which the operator should act. */
const char *stamp_make_item(const struct build *b, const struct list_text *text,
                            const struct variable_values *values, struct list_item *item,
                            enum variable *missing);

#endif
