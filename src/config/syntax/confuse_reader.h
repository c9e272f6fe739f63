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

/* Takes a statement: the section, or a section with one value of the main file. The section is the
 * visitor's for this call, its texts until the next list or file. */
typedef void (*statement_visit)(void *context, enum key kind, const struct raw_section *section);

struct confuse_reader;

/* Creates a reader. Diagnostics and context are borrowed. */
struct confuse_reader *confuse_reader_new(struct diagnostics *diagnostics, statement_visit visit,
                                          void *context);
void confuse_reader_free(struct confuse_reader *reader);

/* Begins a file, whose statements are borrowed until the next one. */
void confuse_reader_begin(struct confuse_reader *reader, const struct statements *statements);

/* Reads the statements from first up to end, which all have that name. Returns true, or false if
 * the form of one is wrong; every other statement has been visited. */
bool confuse_read(struct confuse_reader *reader, enum key name, size_t first, size_t end);

#endif
