/*
 * session - one connection from an MTA and the message that it carries
 *
 * Knows nothing of libmilter: callbacks.c tells it what came and does what it
 * says.  libmilter calls back for one connection from several threads, one after
 * the other, so a session needs no lock, but nothing of it may be thread-local.
 * A connection that carries no message holds no more than the structure and a
 * little memory for the next one.
 */
#ifndef MLMILTER_MILTER_SESSION_H
#define MLMILTER_MILTER_SESSION_H

#include "mail/header.h"
#include "milter/host.h"
#include "plan/decide.h"
#include "plan/envelope.h"
#include "text/arena.h"
#include "text/span.h"
#include "text/strbuf.h"

#include <stdbool.h>

struct sockaddr;

enum verdict_kind {
    VERDICT_CONTINUE, /* go on; the message may be ours */
    VERDICT_ACCEPT,   /* done: it may pass */
    VERDICT_REPLY     /* answer with the reply below */
};

struct verdict {
    enum verdict_kind kind;
    /* With VERDICT_REPLY: its parts, borrowed from static storage or from the session until
     * session_end. */
    const char *code;
    const char *status;
    const char *text;
};

struct session {
    const struct milter_host *host; /* borrowed, outlives the session */

    /* The connection. */
    unsigned long granted;  /* the protocol bits that both sides agreed upon */
    struct client client;   /* its texts are not used: they come with each message */
    const char *rcpt_macro; /* {rcpt_addr} of this message's last RCPT: see callbacks.c */

    /* The message. */
    bool in_message;
    bool incomplete; /* libmilter lost a fact: see callbacks.c */
    bool not_heeded; /* a recipient was put off, and Sendmail may deliver to it: see session.c */
    struct held_settings held;
    struct envelope envelope;
    struct header header;
    struct arena arena;    /* what selection and plan take */
    struct strbuf text;    /* a text under construction */
    struct strbuf packets; /* the edits on their way to the MTA */
    struct decided decided;
    struct verdict verdict; /* what session_decide made of it */
};

struct session *session_new(const struct milter_host *host);
void session_free(struct session *s);

/* Sets the client; host_name may be NULL, address is NULL when the MTA has none. */
void session_client(struct session *s, const char *host_name, const struct sockaddr *address);

/* MAIL: begins a message (and ends one that was left open). daemon_name may be NULL. */
void session_begin(struct session *s, const char *sender, const char *daemon_name,
                   bool authenticated);

/* RCPT: VERDICT_CONTINUE, or VERDICT_REPLY with 452. mta_address and mta_mailer are {rcpt_addr} and
 * {rcpt_mailer}, or NULL where the MTA tells none. */
struct verdict session_recipient(struct session *s, const char *argument, const char *mta_address,
                                 const char *mta_mailer, const char *queue_id);

/* A field of the header. What cannot be kept is remembered and answered at the end. */
void session_field(struct session *s, const char *name, const char *value);

/* DATA: VERDICT_CONTINUE, VERDICT_ACCEPT or VERDICT_REPLY. */
struct verdict session_data(struct session *s, const char *queue_id);

/* End of message: decides. The plan whose edits are to be made, or NULL: there are none.
 * mta_message_id is Sendmail's {msg_id} or NULL. session_outcome must follow. */
const struct plan *session_decide(struct session *s, const char *mta_message_id,
                                  const char *queue_id);

enum session_outcome {
    SESSION_DONE,   /* the edits were made, or there were none */
    SESSION_FAILED, /* an edit could not be sent: the message is deferred */
    SESSION_CUT_OFF /* the program ends before they were sent: the message is deferred */
};

/* What became of it: logs and counts that. VERDICT_ACCEPT or VERDICT_REPLY. */
struct verdict session_outcome(struct session *s, enum session_outcome outcome,
                               const char *queue_id);

/* The message is over, whichever way. May be called without a message. */
void session_end(struct session *s);

#endif
