/*
 * post - the post that a message is a copy of
 *
 * A post comes many times: once for each subscriber, again days later, on another host.
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
 * a list manager add fields. */
#define POST_MAX_FIELDS 4000
#define POST_MAX_OCTETS ((size_t)768 * 1024)
#define POST_MAX_OWNED  500

enum post_fault {
    POST_FINE,
    POST_TOO_LARGE,  /* RULINGS 71, 97 */
    POST_STRAY_CR,   /* a CR inside a field, which some readers take for its end (RULINGS 116) */
    POST_NO_ID,      /* missing_message_id = "reject" (SU-06) */
    POST_SEVERAL_IDS /* duplicate_message_id = "reject" */
};

/* Where the number of a post comes from (RULINGS 9, 10, 50). */
enum number_source {
    NUMBER_NONE,
    NUMBER_FROM_SENDER, /* the list manager's own, in the envelope sender */
    NUMBER_FROM_STORE
};

struct post {
    enum post_fault fault;
    struct span fault_name; /* POST_STRAY_CR: the name of the field */
    struct span id_text;    /* the Message-ID as hashed, unfolded and trimmed; p is NULL: none */
    struct span id;         /* the id without its brackets; may be empty (RULINGS 6) */
    bool id_is_new;         /* generated: a field is inserted (SU-02) */
    const char *hash;       /* Message-ID-Hash; NULL: none */

    enum content_kind kind; /* of a distribution; CONTENT_DIGEST only if it is one (RULINGS 11) */

    enum number_source number_source;
    bool checks_reuse; /* asks the store whether another post had this Message-ID (RULINGS 33) */
    unsigned char key[POST_KEY_OCTETS];                 /* for the store: SHA-256 of id */
    unsigned char fingerprint[POST_FINGERPRINT_OCTETS]; /* SHA-1 of id, Date, From and Subject */
};

/* The store's answer about a post. */
struct store_answer {
    uint64_t number; /* 0: no number */
    bool is_new;     /* the post, or its number, is not in the database */
    bool reused;     /* another post had this key first (SU-23) */
    bool is_used_up; /* the list is at POST_NUMBER_MAX: there is no answer */
    unsigned char first_fingerprint[POST_FINGERPRINT_OCTETS]; /* of the first post with this key */
};

enum post_record_state {
    RECORD_NONE,   /* the store was not asked */
    RECORD_FAILED, /* it could not answer */
    RECORD_KNOWN   /* it answered; a number of a new post is the next one (explain, dry_run) */
};

struct post_record {
    enum post_record_state state;
    struct store_answer answer; /* of RECORD_KNOWN */
};

static inline bool post_needs_store(const struct post *post)
{
    return post->number_source == NUMBER_FROM_STORE || post->checks_reuse;
}

/* Identifies the post. With ROLE_NONE it is empty. */
struct post post_identify(const struct facts *facts, const struct selection *selection,
                          struct arena *arena);

/* True if the Message-ID is there and empty. Many posts may have it: it is hashed, but it gives no
 * link, and is never reported as reused (RULINGS 6, AT-14). */
bool post_id_is_empty(const struct post *post);

/* True if the message is refused if another post has its Message-ID (SU-23). It must not use up a
 * number. */
bool post_refuses_reuse(const struct selection *selection, const struct post *post);

/* Returns mlmmj's own number of a post, at most POST_NUMBER_MAX, from its envelope sender; 0: it
 * has none (RULINGS 50). ASCII letter case does not count:
 *
 *   sender = local-part-of-address ("+" / "-") "bounces-" 1*DIGIT ["-" anything] "@" anything */
uint64_t sender_number(struct span sender, struct span address);

#endif
