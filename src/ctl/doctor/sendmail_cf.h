/*
 * sendmail_cf - what a sendmail.cf says of filters
 *
 *   O InputMailFilters=NAME, NAME
 *   XNAME, S=inet:8894@127.0.0.1, F=T, T=C:10s;S:10s;R:30s;E:1m
 *
 * A line that begins with a blank continues the one before it.  Texts are borrowed.
 * Pure.
 */
#ifndef MLMILTER_CTL_DOCTOR_SENDMAIL_CF_H
#define MLMILTER_CTL_DOCTOR_SENDMAIL_CF_H

#include "text/span.h"

#include <stdbool.h>

struct cf_filter {
    struct span name;
    struct span socket; /* S= */
    struct span flags;  /* F=; empty: mail passes when the filter is away */
    struct span times;  /* T= */
};

/* The value that counts of an option; .p is NULL: it is not set. */
struct span cf_option(struct span cf, const char *name);

/* Takes the next filter of *rest, which is the file at first. */
bool cf_next_filter(struct span *rest, struct cf_filter *filter);

/* Is the filter in a list of names? *place counts those before it. */
bool cf_names_filter(struct span names, struct span filter, size_t *place);

/* Has a listener with filters of its own (O DaemonPortOptions=..., InputMailFilters=A;B) that one?
 */
bool cf_listener_has(struct span cf, struct span filter);

/* The seconds of one letter in T= ("R:30s"); false: not given. */
bool cf_seconds(struct span times, char letter, unsigned *seconds);

#endif
