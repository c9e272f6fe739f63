/*
 * permalink - permanent links of messages
 */
#ifndef MLMILTER_CTL_PERMALINK_H
#define MLMILTER_CTL_PERMALINK_H

#include "ctl/tool.h"
#include "spec/uri_template.h"

/* Prints a line for each message, as `map` does without --from-pages. Returns the exit status. */
int map_messages(const struct options *o);

/* Compiles --to, by default {message_id}: a URI, or one without scheme and host, with these
 * variables. Returns EX_OK, or EX_USAGE after a message. */
int compile_to(const struct options *o, uint64_t allowed, struct arena *arena,
               struct template *out);

#endif
