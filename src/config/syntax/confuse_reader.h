/*
 * confuse_reader - the values of statements, as libConfuse reads them
 *
 * The only user of libConfuse, which has global state: one thread at a time.  libConfuse alone
 * decides what is a key, a value and a section (mlmilter.conf(5), GRAMMAR); it gets one statement
 * after the other, and an error in one costs that one only.
 */
#ifndef MLMILTER_CONFIG_SYNTAX_CONFUSE_READER_H
#define MLMILTER_CONFIG_SYNTAX_CONFUSE_READER_H

#include "config/report/diagnostics.h"
#include "config/syntax/raw_section.h"
#include "config/syntax/statements.h"

/* Gets a statement that has been read: the section, or a section with one value of the main file.
 * The section is the visitor's for this call, its texts until the next list or file. 0 or -1 (out
 * of memory), which ends the reading. */
typedef int (*statement_visit)(void *context, enum key kind, const struct raw_section *section);

struct confuse_reader;

/* NULL: out of memory. Diagnostics and context are borrowed. */
struct confuse_reader *confuse_reader_new(struct diagnostics *diagnostics, statement_visit visit,
                                          void *context);
void confuse_reader_free(struct confuse_reader *reader);

/* Begins a file, whose statements are borrowed until the next one. */
void confuse_reader_begin(struct confuse_reader *reader, const struct statements *statements);

/* Reads the statements from first up to end, which all have that name. REFUSED: the form of one is
 * wrong; the others have been visited. */
enum outcome confuse_read(struct confuse_reader *reader, enum key name, size_t first, size_t end);

#endif
