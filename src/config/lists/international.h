/*
 * international - addresses in any script (RFC 6531, AT-07)
 *
 * A domain has two forms, with A-labels and with U-labels (RFC 5890 2.3.2.1), and
 * mail may come to either; what is compared has A-labels.
 */
#ifndef MLMILTER_CONFIG_LISTS_INTERNATIONAL_H
#define MLMILTER_CONFIG_LISTS_INTERNATIONAL_H

#include "spec/template_try.h"
#include "text/arena.h"
#include "text/span.h"

struct configured_address {
    struct span text;         /* as written */
    struct span mailbox;      /* as addresses are compared: spec/mailbox.h */
    struct span ascii_domain; /* its domain with A-labels if that is another one, else empty */
};

/* Takes an address that address_fault accepts; what is made of it lives in the arena. 0; 1: *fault
 * (static) says what is wrong with its domain, as a phrase behind it in quotes; -1: memory. */
int address_configured(struct span text, struct arena *arena, struct configured_address *out,
                       const char **fault);

#endif
