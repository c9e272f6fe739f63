/*
 * session - one connection from an MTA and the message that it carries
 *
 * It does not know libmilter: callbacks.c passes on commands and returns verdicts.  libmilter calls
 * back for one connection from several threads, one after the other.  So a session needs no lock,
 * but nothing of it may be thread-local.  Between messages a session owns no other memory.
 *
 *     state     begins with             snapshot  is_stopping  fault  decided
 *     idle      connection, end         NULL      false        NULL   NULL
 *     message   MAIL                    set       false        NULL   NULL
 *     faulty    a fault, until the end  set       false        set    NULL
 *     refused   MAIL during a stop      NULL      true         NULL   NULL
 *     decided   session_decide          set       false        NULL   set
 *
 * RCPT and fields change a message only.  session_check continues a message, answers 451 to a
 * faulty or refused one, and to DATA or the end without MAIL.  session_end leads to idle.
 */
#ifndef MLMILTER_MILTER_SESSION_H
#define MLMILTER_MILTER_SESSION_H

#include "daemon/snapshot.h"
#include "mail/header.h"
#include "plan/envelope.h"
#include "plan/plan.h"
#include "text/arena.h"
#include "text/span.h"
#include "text/strbuf.h"

#include <stdbool.h>

struct sockaddr;

enum verdict_kind {
    VERDICT_CONTINUE, /* continue; the message may belong to a list */
    VERDICT_ACCEPT,   /* accept the message now */
    VERDICT_REPLY     /* send the reply in the verdict */
};

struct verdict {
    enum verdict_kind kind;
    /* Set for VERDICT_REPLY. They live in static storage, or in the session until session_end. */
    const char *code;
    const char *status;
    const char *text;
};

struct session {
    /* The connection. */
    bool is_negotiated;
    unsigned long granted; /* negotiated protocol bits */
    struct client client;  /* without texts: they come with each message */
    const char *queue_id;  /* NULL: not known yet; set in each callback that needs it */

    /* The message. */
    struct snapshot *snapshot; /* NULL: there is no message, or it is refused by a stop */
    bool is_stopping;          /* MAIL came while the program stops */
    const char *fault;         /* the reason why it cannot be decided, or NULL; static storage */
    bool deferral_ignored;     /* Sendmail may deliver to a recipient that was deferred */
    struct envelope envelope;
    struct header header;
    struct arena arena;      /* of selection and plan */
    struct strbuf text;      /* a log line or a reply */
    struct decided *decided; /* from session_decide to session_end; else NULL */
    struct verdict verdict;  /* of session_decide */
};

/* Creates the session of a new connection. */
struct session *session_new(void);
void session_free(struct session *s);

/* Sets the client. host_name may be NULL; address is NULL if the MTA has none. */
void session_client(struct session *s, const char *host_name, const struct sockaddr *address);

/* Begins a message at MAIL, after it ends an open one. daemon_name may be NULL. */
void session_begin(struct session *s, const char *sender, const char *daemon_name,
                   bool authenticated);

/* Records a probe of doctor's (daemon/probes.h) among the arguments of MAIL, if this host sent it.
 * Follows session_begin. */
void session_record_probe(const struct session *s, char *const *arguments);

/* Adds a recipient. mta_address and mta_mailer are {rcpt_addr} and {rcpt_mailer}, or NULL without
 * them. Returns VERDICT_CONTINUE, or VERDICT_REPLY with 452. */
struct verdict session_recipient(struct session *s, const char *argument, const char *mta_address,
                                 const char *mta_mailer);

/* Adds a field of the header. A header that is too large is refused at the end of the message. */
void session_field(struct session *s, const char *name, const char *value);

/* Checks a message at DATA (early) or at its end. Returns VERDICT_CONTINUE if it may belong to a
 * list, VERDICT_ACCEPT or VERDICT_REPLY. */
struct verdict session_check(struct session *s, bool is_early);

/* Decides at the end of the message; session_outcome must follow. mta_message_id is Sendmail's
 * {msg_id} or NULL. Returns the plan whose edits must be sent, or NULL without edits. */
const struct plan *session_decide(struct session *s, const char *mta_message_id);

/* Logs and counts the outcome. edits_made is false if libmilter did not take one. Returns
 * VERDICT_ACCEPT or VERDICT_REPLY. */
struct verdict session_outcome(struct session *s, bool edits_made);

/* Ends the message, if there is one. */
void session_end(struct session *s);

#endif
