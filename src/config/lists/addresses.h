/*
 * addresses - may this be the address of a list, a sender or a list manager's robot?
 *
 *   address = ( dot-atom-text / quoted-string ) "@" ( dot-atom-text / "[" ... "]" )
 *
 * with UTF-8 as RFC 6531 3.3 extends it; config/lists/international.h knows whether a domain is
 * one.
 */
#ifndef MLMILTER_CONFIG_LISTS_ADDRESSES_H
#define MLMILTER_CONFIG_LISTS_ADDRESSES_H

#include "text/span.h"

/* NULL, or what is wrong as a phrase behind the address in quotes. Static storage. Pure. */
const char *address_fault(struct span address);

/* The same for an alias: LOCAL@DOMAIN, or the name of a local mailbox without a domain. */
const char *alias_fault(struct span alias);

#endif
