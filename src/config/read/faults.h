/*
 * faults - errors in values that depend on no other value
 *
 *   socket = ( "inet:" / "inet6:" ) port "@" host / [ "unix:" / "local:" ] path
 *
 * Pure; texts are static.
 */
#ifndef MLMILTER_CONFIG_READ_FAULTS_H
#define MLMILTER_CONFIG_READ_FAULTS_H

#include "config/read/report.h"
#include "config/read/schema.h"
#include "config/read/trust.h"
#include "text/span.h"

/* Reports an entry that is wrong on its own, and sets is_wrong. */
void entry_check(const char *file, struct entry *entry, struct diagnostics *d);

/* Returns what is wrong with a socket, as libmilter names sockets, or REMARK_NONE. */
enum remark socket_fault(struct span text);

/* Return what is unwise about a socket, or a rule, that is right (RULINGS 84), or REMARK_NONE. */
enum remark socket_hint(struct span text);
enum remark trust_hint(const struct trust_rule *rule); /* in trust.c */

/* Returns where the path of a UNIX socket begins in the text, or text.n. */
size_t socket_path(struct span text);

/* Reads the mode of a file. Returns false if the text is none. */
bool mode_read(struct span digits, unsigned *mode);

#endif
