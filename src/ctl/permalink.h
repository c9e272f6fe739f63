/*
 * permalink - from a template and a header to a URL, for url and map
 */
#ifndef MLMILTER_CTL_PERMALINK_H
#define MLMILTER_CTL_PERMALINK_H

#include "mail/header.h"
#include "plan/message_values.h"
#include "spec/uri_template.h"
#include "text/arena.h"
#include "text/strbuf.h"

#include <stdbool.h>

/* Compiles a template of URIs, and tries it with the values that are known. may_be_path: it may
 * also be the part of a URI after the host. Returns NULL, or the fault as a phrase after the
 * template. */
const char *permalink_compile(const char *text, bool may_be_path, uint64_t allowed,
                              const struct token_names *tokens, const struct variable_values *known,
                              struct arena *arena, struct template *out);

/* Sets what comes from the header: id, date, and the number that the post was given, which a copy
 * carries if the list has numbers (SU-18). Texts are borrowed or live in the arena. */
void permalink_read_source(struct message_source *source, const struct header *header,
                           struct arena *arena);

/* Appends the link that a template has for a message; `values` has further values. Returns 0; 1 if
 * there is no value for *missing (RULINGS 53); or 2 if it would lead elsewhere (RULINGS 86). */
int permalink_add(const struct template *t, const struct message_source *source,
                  struct variable_values values, struct arena *arena, struct strbuf *out,
                  enum variable *missing);

#endif
