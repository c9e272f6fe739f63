/*
 * plan - the decision about one message: a list of edits, or a refusal
 *
 * Equal facts and selections give equal plans, in the daemon and in mlmilterctl.  All texts
 * live in the arena that plan_build is given, or are borrowed from settings and facts.
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
    const char *reply_code;
    const char *reply_status;
    const char *reply_text;
    struct edit *edits; /* all deletions, then all insertions, in the order of application */
    size_t edit_count;
    size_t removed; /* deletions among the edits */
    size_t added;
    struct plan_note notes[PLAN_NOTES_MAX + 6]; /* room for hints of an explanation */
    size_t note_count;
    size_t notes_more; /* N if the last note is "and N more" */
    bool has_error;    /* a note is an error, perhaps one that is only counted */

    /* For the log; empty if the post has none. */
    struct span message_id; /* with its brackets, as hashed or added */
    struct span message_id_hash;
    struct span archived_at; /* the first URI */
    uint64_t number;         /* X-List-Sequence; 0: none */

    /* RULINGS 111: two owners' lists have the mailbox. The operator should act; NULL: none. */
    const char *contest;
};

/* Makes the plan of a post and of the store's answer about it. There are no edits
 * with ROLE_NONE, or if they would not change the message. */
void plan_build(const struct facts *facts, const struct selection *selection,
                const struct post *post, const struct post_record *record, struct arena *arena,
                struct plan *out);

#endif
