/*
 * milters - the filters that an MTA is told to ask, and which of them is ours
 *
 *   smtpd_milters = *( milter ( "," / blank ) )          (postconf(5))
 *   milter  = place / "{" place *( "," name "=" value ) "}"
 *   place   = "inet:" host ":" port / ( "unix:" / "local:" ) path
 *
 * libmilter, and so `socket` and Sendmail, spells the same otherwise
 * (config/socket_fault.h).  Nothing is looked up: a host's name may be any of its
 * addresses.  Texts are borrowed.  Pure.
 */
#ifndef MLMILTER_CTL_DOCTOR_MILTERS_H
#define MLMILTER_CTL_DOCTOR_MILTERS_H

#include "text/span.h"
#include "text/strbuf.h"

#include <stdbool.h>
#include <stddef.h>

#define MILTERS_MAX 32 /* those after are not looked at */

struct milter_place {
    struct span host, port; /* over TCP; the host without brackets */
    struct span path;       /* of a UNIX socket; .n > 0: it is one */
};

struct milter {
    struct span text; /* as it stands in the list */
    struct milter_place place;
    struct span default_action; /* its own; empty: none */
};

struct milters {
    struct milter items[MILTERS_MAX];
    size_t count;
};

enum milter_match {
    MILTER_OTHER,
    MILTER_NEAR, /* probably ours was meant */
    MILTER_OURS
};

/* As Postfix reads them. */
void milters_parse(struct span value, struct milters *milters);

/* As libmilter reads one. */
struct milter_place milter_place(struct span socket);

/* folder: Postfix' queue directory, where its relative paths begin, and for a chrooted one all of
 * them; empty: the MTA has none. */
enum milter_match milter_matches(const struct milter_place *ours, const struct milter_place *theirs,
                                 struct span folder, bool is_chrooted);

/* Does it usually sign (OpenDKIM, rspamd, dkimpy), by port or path? */
bool milter_signs(const struct milter_place *place);

/* Appends our place as Postfix writes it, a path relative to its folder where it is below. */
void milter_spell(struct strbuf *out, const struct milter_place *ours, struct span folder);

/* Appends the list with ours at the place of item `old`, or (old == count) added; where that may be
 * anywhere, before the last one that signs. `moved`: the item `old` is taken away, not replaced. */
void milters_with(struct strbuf *out, const struct milters *milters, size_t old, bool moved,
                  struct span ours);

#endif
