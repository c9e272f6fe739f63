/*
 * post - the post that a message is a copy of
 *
 * A post comes many times: once for each subscriber, again days later, on another host.  All copies
 * must be recognised as one post.  Pure; texts live in the arena or are borrowed from the facts.
 */
#ifndef MLMILTER_PLAN_POST_H
#define MLMILTER_PLAN_POST_H

#include "plan/selection.h"
#include "spec/archived_at.h"
#include "text/arena.h"
#include "text/span.h"

#include <stdbool.h>
#include <stdint.h>

#define POST_KEY_OCTETS         32
#define POST_FINGERPRINT_OCTETS 20

/* The largest header of a poster (RULINGS 71). It is smaller than the daemon's limit, as relays and
 * a list manager add fields. Each owned field costs the MTA an edit. */
#define POST_MAX_FIELDS 4000
#define POST_MAX_OCTETS ((size_t)768 * 1024)
#define POST_MAX_OWNED  500

enum post_fault {
    POST_FINE,
    POST_TOO_LARGE,  /* RULINGS 71, 97 */
    POST_NO_ID,      /* missing_message_id = "reject" (SU-06) */
    POST_SEVERAL_IDS /* duplicate_message_id = "reject" */
};

struct post {
    enum post_fault fault;
    struct span id_text; /* the Message-ID as hashed, unfolded and trimmed; p is NULL: none */
    struct span id;      /* without its brackets; empty: see post_id_is_empty */
    bool id_is_new;      /* generated: a field is inserted (SU-02) */
    const char *hash;    /* Message-ID-Hash; NULL: none */

    enum content_kind kind; /* of a distribution; CONTENT_DIGEST only if it is one (RULINGS 11) */

    bool number_wanted;          /* RULINGS 9, 10 */
    uint64_t number_from_sender; /* RULINGS 50; 0: none */

    /* The store is asked: for a number, and unless the Message-ID is empty, whether another post
     * had it before (RULINGS 10, 33). */
    bool store_needed;
    bool number_from_store;
    unsigned char key[POST_KEY_OCTETS];                 /* SHA-256 of id */
    unsigned char fingerprint[POST_FINGERPRINT_OCTETS]; /* SHA-1 of id, Date, From and Subject */
};

enum post_record_state {
    RECORD_NONE,   /* the store was not asked */
    RECORD_FOUND,  /* it knows the post */
    RECORD_FAILED, /* it could not answer */
    RECORD_NEXT    /* the post is new; number is the next one (explain, dry_run) */
};

struct post_record {
    enum post_record_state state;
    uint64_t number; /* 0: none was asked for */
    bool reused;     /* the Message-ID belongs to another post already (SU-23) */
    unsigned char first_fingerprint[POST_FINGERPRINT_OCTETS]; /* of that post */
};

/* Identifies the post. With ROLE_NONE it is empty. */
struct post post_identify(const struct facts *facts, const struct selection *selection,
                          struct arena *arena);

/* True if there is a Message-ID without content. It is hashed like any other, but many posts may
 * have it: it gives no link, and is never reported as reused (RULINGS 6, AT-14). */
bool post_id_is_empty(const struct post *post);

/* True if the message must be refused if another post has its Message-ID (reused_message_id =
 * "reject", SU-23). A refused post must not use up a number. */
bool post_refuses_reuse(const struct selection *selection, const struct post *post);

#endif
