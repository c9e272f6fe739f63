/*
 * edits - a plan while it is being made: insertions, notes, what stays; for plan/ only
 */
#ifndef MLMILTER_PLAN_EDITS_H
#define MLMILTER_PLAN_EDITS_H

#include "plan/plan.h"
#include "spec/owned_fields.h"

/* The result of an insertion. */
enum insert_result {
    INSERT_NOT_ASKED,
    INSERTED,
    INSERT_EMPTY,     /* the list has no such field */
    INSERT_KEPT,      /* `keep` leaves the message's own field (RULINGS 26) */
    INSERT_PARENTS,   /* the parent's field stays (RULINGS 28) */
    INSERT_FORBIDDEN, /* the author's signature forbids it (RULINGS 83) */
    INSERT_WITHHELD,  /* `keep` of another recipient list would take it for its own (RULINGS 109) */
    INSERT_FAULTY     /* its value must not reach a header */
};

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
    enum insert_result results[FIELD_NAME_COUNT];

    /* Sets of FIELD_BITs. */
    uint64_t kept_later; /* `keep` of the recipient lists will leave these names in the copies of
                            their managers; see is_harmful() in removal.c (RULINGS 70) */
    uint64_t forbidden;  /* see INSERT_FORBIDDEN */
    uint64_t withheld;   /* see INSERT_WITHHELD */
};

/* Formats a text in the arena. */
const char *build_text(const struct build *b, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Adds a note to the plan, or counts it if there are PLAN_NOTES_MAX. */
void notes_add(struct build *b, bool is_error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Replaces the last note by "and N more" if some were only counted. */
void notes_complete(struct build *b);

/* Returns the place of the first field of that name that a program can read, or the number of
 * fields (RULINGS 128). */
size_t edits_first_readable(const struct build *b, enum field_name name);

/* True if the list's `keep` leaves the message's own field of this name. List-Unsubscribe-Post is
 * kept only with a List-Unsubscribe that is kept and has https (RULINGS 26). */
bool edits_keep(const struct build *b, enum field_name name);

/* True if the message is a parent's post and this field is the parent's (RULINGS 27, 28). */
bool edits_are_parents(const struct build *b, enum field_name name);

/* Inserts a field below the fields inserted before. value is borrowed as long as the plan. */
enum insert_result edits_insert(struct build *b, enum field_name name, const char *value,
                                const char *clause);

/* Inserts an owned field of the list. */
enum insert_result edits_insert_owned(struct build *b, const struct owned_field *owned,
                                      const char *value);

/* Adds a deletion of the field at this place. number: among the fields of its name, from 1. */
void edits_delete(struct build *b, size_t place, size_t number, const char *clause);

/* True if each insertion restores the value that a deletion takes from this place of its name
 * (RULINGS 1). */
bool edits_change_nothing(const struct build *b);

/* Refuses the message; why is printable ASCII. */
void build_refuse(struct build *b, enum plan_action action, const char *code, const char *status,
                  const char *why);

/* Sets the number of the post, and applies the policies about the store's answer. */
void record_apply(struct build *b);

/* Deletes the owned fields that must go, and with duplicate_message_id = "delete" the Message-IDs
 * after the first. */
void removal_delete(struct build *b);

/* Sets the fields that the author's signature forbids to add (RULINGS 83). */
void signatures_forbid(struct build *b);

/* Notes the signatures that cover an edit (RFC 6376). */
void signatures_note(struct build *b);

#endif
