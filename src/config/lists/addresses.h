/*
 * addresses - the address of a list, its aliases, senders and command addresses
 *
 *   address = ( dot-atom-text / quoted-string ) "@" ( dot-atom-text / "[" ... "]" )
 *   alias   = address / dot-atom-text              the name of a local mailbox
 *
 * with UTF-8 as RFC 6531 3.3 extends it.  Mail is never checked with this.
 */
#ifndef MLMILTER_CONFIG_LISTS_ADDRESSES_H
#define MLMILTER_CONFIG_LISTS_ADDRESSES_H

#include "config/lists/draft.h"

/* Expands and checks an address, which then lives in the arena of the settings. Returns false if it
 * is wrong, or not for this list. */
bool draft_read_address(struct list_draft *draft, const struct config_text *text,
                        struct configured_address *address);

/* Sets the list's own address, and the variables that come from it. */
void draft_address(struct list_draft *draft);

#endif
