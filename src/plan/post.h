/*
 * post - which post a message is a copy of
 *
 * One post comes by many times: once per subscriber, again days later, on
 * another host.  All of them must be known as the same post, so what it is known
 * by is found out before the store is asked for its number and before the plan
 * is built.  Pure; texts live in the arena or are borrowed from the facts.
 */
#ifndef MLMILTER_PLAN_POST_H
#define MLMILTER_PLAN_POST_H

#include "plan/facts.h"
#include "plan/selection.h"
#include "spec/archived_at.h"
#include "text/arena.h"
#include "text/span.h"

#include <stdbool.h>
#include <stdint.h>

#define POST_KEY_OCTETS         32
#define POST_FINGERPRINT_OCTETS 20

/* How much header a poster may send: less than is kept, as relays and a list manager add theirs
 * before the post comes by again, and few owned fields, each of which costs the MTA an edit
 * (RULINGS 71). */
#define POST_MAX_FIELDS 4000
#define POST_MAX_OCTETS ((size_t)768 * 1024)
#define POST_MAX_OWNED  500

enum post_fault {
    POST_FINE,
    POST_TOO_LARGE,  /* a poster's header beyond these (RULINGS 71) */
    POST_NO_ID,      /* and missing_message_id = "reject" says no (SU-06) */
    POST_SEVERAL_IDS /* and so does duplicate_message_id = "reject" */
};

struct post {
    enum post_fault fault;
    struct span id_text; /* the Message-ID as hashed, unfolded and trimmed; p is NULL: none */
    struct span id;      /* the same without its brackets; empty: see post_id_is_empty */
    bool id_is_new;      /* generated: a field is to be inserted (SU-02) */
    const char *hash;    /* Message-ID-Hash; NULL: none */

    /* Of a distribution: what it says of itself. CONTENT_DIGEST only if it is one (RULINGS 11). */
    enum content_kind kind;

    bool wants_number;      /* this message is to carry a number (RULINGS 9, 10) */
    uint64_t sender_number; /* from the envelope sender (RULINGS 50); 0: none */

    /* The store is to be asked, for a number if `numbered`, and whether the Message-ID was used for
     * another post before (RULINGS 10, 33), unless that is empty. */
    bool asks_store;
    bool numbered;
    unsigned char key[POST_KEY_OCTETS];                 /* SHA-256 of id */
    unsigned char fingerprint[POST_FINGERPRINT_OCTETS]; /* SHA-1 of id, Date, From and Subject */
};

/* What the store said. */
enum post_record_state {
    RECORD_NONE,   /* it was not asked */
    RECORD_FOUND,  /* it knows the post */
    RECORD_FAILED, /* it could not answer */
    RECORD_NEXT    /* the post is new; number is the one that it would get (explain, dry_run) */
};

struct post_record {
    enum post_record_state state;
    uint64_t number; /* 0: none was asked for */
    bool reused;     /* the Message-ID belongs to another post already (SU-23) */
    unsigned char first_fingerprint[POST_FINGERPRINT_OCTETS]; /* of that one */
};

/* Finds it out. With ROLE_NONE: nothing. 0, or -1: out of memory or libcrypto failed. */
int post_identify(const struct facts *facts, const struct selection *selection, struct arena *arena,
                  struct post *out);

/* Is the Message-ID there, but nothing is in it, or in its brackets? It is hashed like any other,
 * but many posts may have it: no link is made of it, and it is nobody's first (RULINGS 6, AT-14).
 */
bool post_id_is_empty(const struct post *post);

/* Is this message refused if the store says that its Message-ID belongs to another post
 * (reused_message_id = "reject", SU-23)? Such a post is not to use up a number. */
bool post_refuses_reuse(const struct selection *selection, const struct post *post);

#endif
