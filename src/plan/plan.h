/*
 * plan - what is to be done with one message: a list of edits, or a refusal
 *
 * The one pure function of the program: the same facts and selection give the
 * same plan, in the daemon and in mlmilterctl.  All texts live in the arena that
 * plan_build is given, or are borrowed from settings and facts.
 */
#ifndef MLMILTER_PLAN_PLAN_H
#define MLMILTER_PLAN_PLAN_H

#include "mail/field_name.h"
#include "plan/facts.h"
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
    /* EDIT_DELETE: the field's number among all of its name in the message as received, from 1.
     * EDIT_INSERT: its place from the top of the header once all edits before it are made, from 1.
     */
    unsigned index;
    /* EDIT_DELETE: the old value, unfolded and trimmed, of any octets. EDIT_INSERT: the value to
     * send, checked by mail/field_check.h, with a NUL behind it. */
    struct span value;
    const char *clause;
};

enum plan_action { ACTION_ACCEPT, ACTION_REJECT, ACTION_TEMPFAIL };

/* The most notes of a message; of more the last note says how many they are (RULINGS 87). */
#define PLAN_NOTES_MAX 20

struct plan_note {
    bool is_error; /* the operator should do something about it */
    const char *text;
};

struct plan {
    enum plan_action action;
    /* With ACTION_REJECT and ACTION_TEMPFAIL: the reply in its parts; text is printable ASCII. */
    const char *reply_code;
    const char *reply_status;
    const char *reply_text;
    struct edit *edits; /* all deletions, then all insertions, as they are to be made */
    size_t edit_count;
    size_t removed; /* deletions among the edits */
    size_t added;
    struct plan_note *notes;
    size_t note_count;
    size_t notes_more; /* N, when the last note is "and N more" */

    /* What the post is known by, for the log; empty where it has none. */
    struct span message_id; /* with its brackets, as hashed or added */
    struct span message_id_hash;
    struct span archived_at; /* the first URI */
    uint64_t number;         /* X-List-Sequence; 0: none */
};

/* Builds the plan (RULINGS A to D) with what post_identify found out, and with what the store said
 * about it (NULL: it was not asked). With ROLE_NONE, and when the message already is as it
 * should be, there are no edits. 0, or -1: out of memory or libcrypto failed. */
int plan_build(const struct facts *facts, const struct selection *selection,
               const struct post *post, const struct post_record *record, struct arena *arena,
               struct plan *out);

/* Is one of the notes an error? */
bool plan_has_error(const struct plan *plan);

#endif
