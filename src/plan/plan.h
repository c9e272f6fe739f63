/*
 * plan - the decision about one message: which list, which post, which edits, or a refusal
 *
 * The daemon, mlmilterctl and the tests decide by decide() alone.  Equal facts and answers of the
 * store give equal plans.
 */
#ifndef MLMILTER_PLAN_PLAN_H
#define MLMILTER_PLAN_PLAN_H

#include "mail/field_name.h"
#include "plan/post.h"
#include "plan/selection.h"
#include "text/arena.h"
#include "text/span.h"

#include <stdbool.h>
#include <stddef.h>

enum edit_op { EDIT_DELETE, EDIT_INSERT };

struct edit {
    enum edit_op op;
    enum field_name name;
    /* EDIT_DELETE: the number of the field among all of its name in the message as received,
     * from 1. EDIT_INSERT: its place in the header after all edits before it, from 1 (the top). */
    unsigned index;
    /* EDIT_DELETE: the old value, unfolded and trimmed, of any bytes. EDIT_INSERT: the new value,
     * checked by mail/field_check.h. */
    struct span value;
    const char *text; /* EDIT_INSERT: the value */
    const char *clause;
};

enum plan_action { ACTION_ACCEPT, ACTION_REJECT, ACTION_TEMPFAIL };

/* Most notes of a message. If there are more, the last one counts them (RULINGS 87). */
#define PLAN_NOTES_MAX 20

struct plan_note {
    bool is_error; /* the operator should act */
    const char *text;
};

struct plan {
    enum plan_action action;
    /* The reply of ACTION_REJECT and ACTION_TEMPFAIL; text is printable ASCII. */
    const char *reply_code, *reply_status, *reply_text;
    /* All deletions, then all insertions, in the order of application. There are none with
     * ROLE_NONE, or if they would not change the message. */
    struct edit *edits;
    size_t edit_count, removed, added;          /* removed: deletions; added: insertions */
    struct plan_note notes[PLAN_NOTES_MAX + 6]; /* room for hints of an explanation */
    size_t note_count;
    size_t notes_more; /* N if the last note is "and N more" */
    bool has_error;    /* a note is an error, perhaps one that is only counted */

    /* For the log; empty if the post has none. */
    struct span message_id; /* with its brackets, as hashed or added */
    struct span message_id_hash;
    struct span archived_at; /* the first URI */
    uint64_t number;         /* X-List-Sequence; 0: none */
    const char *contest;     /* the mailbox of two owners' lists (RULINGS 111); NULL: none */
};

struct decided {
    struct selection selection;
    struct post post;
    struct post_record record;
    struct plan plan;
};

struct decide_store {
    /* Looks up d->post in the store and fills d->record. */
    void (*ask)(void *self, struct decided *d);
    void *self;
};

/* Decides about a message. With `forced` it is a distribution of this list, else (NULL) the rules
 * choose the list. Texts are borrowed from the facts and their settings, or live in the arena. */
void decide(const struct facts *facts, const struct list *forced, const struct decide_store *store,
            struct arena *arena, struct decided *d);

#endif
