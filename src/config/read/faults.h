/*
 * faults - what is wrong with a text, and what is unwise about one that is right
 *
 *   socket = ( "inet:" / "inet6:" ) port "@" host / [ "unix:" / "local:" ] path
 *
 * Pure.  A function takes a text as it is written, and returns REMARK_NONE if it finds nothing; the
 * rows of schema.h say for which keys.
 */
#ifndef MLMILTER_CONFIG_READ_FAULTS_H
#define MLMILTER_CONFIG_READ_FAULTS_H

#include "config/read/remarks.h"
#include "text/span.h"

#include <stdbool.h>
#include <stddef.h>

/* Bytes of a line. libConfuse reads a text in time that grows with the square of its length. */
#define LINE_BYTES_MAX 16384

/* Finds a character that no text or line may have. A line may have tabs. */
enum remark characters_fault(struct span text, bool is_line);

/* Finds a line that is too long, or has characters that no file may have. */
enum remark lines_fault(struct span text, int *line);

enum remark socket_fault(struct span text); /* as libmilter names sockets */
enum remark mode_fault(struct span text);
enum remark account_fault(struct span name);
enum remark file_fault(struct span path);
enum remark pattern_fault(struct span path);
enum remark delegated_pattern_fault(struct span path);
enum remark delimiter_fault(struct span text);
enum remark trust_fault(struct span text);
enum remark parent_fault(struct span id);
enum remark keep_fault(struct span name);
enum remark number_fault(struct span text);

/* Hints, of texts that are right. */
enum remark socket_hint(struct span text);
enum remark mode_hint(struct span text);
enum remark trust_hint(struct span text);
enum remark parent_hint(struct span id);
enum remark keep_hint(struct span name);
enum remark item_hint(struct span text); /* these two: uri_hints.c */
enum remark link_hint(struct span text);

/* Returns where the path of a UNIX socket begins in the text, or text.n. */
size_t socket_path(struct span text);

/* Reads the mode of a file. Returns false if the text is none. */
bool mode_read(struct span digits, unsigned *mode);

#endif
