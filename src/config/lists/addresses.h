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

/* Binds and checks an address, which then lives in the arena of the settings. REFUSED: it is wrong,
 * or not for this list. */
enum outcome draft_bind_address(struct list_draft *draft, const struct config_text *text,
                                struct configured_address *address);

/* Sets the list's own address, and the variables that come from it. 0 or -1 (memory). */
int draft_address(struct list_draft *draft);

#endif
