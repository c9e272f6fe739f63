/*
 * url_source - what an off-list copy of a post has for its URLs
 */
#ifndef MLMILTER_CTL_URL_SOURCE_H
#define MLMILTER_CTL_URL_SOURCE_H

#include "mail/header.h"
#include "plan/message_values.h"
#include "text/arena.h"

/* Sets what comes from the header: the header itself, id, date and number. Texts are borrowed or
 * live in the arena. 0 or -1 (memory). */
int url_source_read(struct message_source *source, const struct header *header,
                    struct arena *arena);

#endif
