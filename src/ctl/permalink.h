/*
 * permalink - permanent links of messages
 */
#ifndef MLMILTER_CTL_PERMALINK_H
#define MLMILTER_CTL_PERMALINK_H

#include "ctl/tool.h"
#include "plan/message_values.h"
#include "spec/uri_template.h"

/* Compiles the template of --template, by default {archive}/{message_id_hash}; if is_to, that of
 * --to, by default {message_id}, which may lack scheme and host. Tries it with samples, and with
 * `archive` unless its p is NULL. tokens may be NULL. Returns EX_OK, or EX_USAGE after a message.
 */
int permalink_compile(const struct options *o, bool is_to, uint64_t allowed,
                      const struct token_names *tokens, struct span archive, struct arena *arena,
                      struct template *out);

enum permalink_result { PERMALINK_MADE, PERMALINK_NO_VALUE, PERMALINK_ELSEWHERE };

/* Appends the URL that a template gives for a message, with the variables of the source's list if
 * it has one; `values` are further ones. Returns PERMALINK_NO_VALUE with *missing (RULINGS 53), or
 * PERMALINK_ELSEWHERE if a segment of its path is ".", ".." or empty (RULINGS 86). */
enum permalink_result permalink_add(const struct template *t, const struct message_source *source,
                                    struct variable_values values, struct arena *arena,
                                    struct strbuf *out, enum variable *missing);

#endif
