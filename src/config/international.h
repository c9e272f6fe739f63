/*
 * international - addresses in any script (RFC 6531, AT-07)
 *
 * A domain has two forms, with A-labels and with U-labels (RFC 5890 2.3.2.1), and
 * mail may come to either; the part before the "@" has one form only.
 */
#ifndef MLMILTER_CONFIG_INTERNATIONAL_H
#define MLMILTER_CONFIG_INTERNATIONAL_H

#include "spec/uri_template.h"
#include "text/arena.h"
#include "text/span.h"

#include <stdbool.h>
#include <stddef.h>

/* As given, with A-labels, and with U-labels. */
#define ADDRESS_FORMS_MAX 3

struct address_forms {
    struct span forms[ADDRESS_FORMS_MAX]; /* the address itself first, each of them once */
    size_t count;
    struct span ascii_domain; /* its domain with A-labels if that is another one, else empty */
};

/* All forms of an address that address_fault accepts; those that are made live in the arena. 0; 1:
 * *fault (static) says what is wrong with its domain, as a phrase behind it in quotes; -1: memory.
 */
int address_forms(struct span address, struct arena *arena, struct address_forms *out,
                  const char **fault);

/* Does the host name of a URI ("scheme://host") hold the variable? */
bool template_host_has(const struct template *uri, enum variable variable);

#endif
