/*
 * confuse_reader - the sections of a scanned text, with their values as written
 *
 * The only user of libConfuse, which has global state: one thread at a time.
 */
#ifndef MLMILTER_CONFIG_SYNTAX_CONFUSE_READER_H
#define MLMILTER_CONFIG_SYNTAX_CONFUSE_READER_H

#include "config/report/diagnostics.h"
#include "config/syntax/config_scan.h"
#include "config/syntax/raw_section.h"

enum section_kind {
    SECTION_KIND_TOKEN,
    SECTION_KIND_DELEGATE,
    SECTION_KIND_MAIN, /* the keys outside of all sections */
    SECTION_KIND_DEFAULTS,
    SECTION_KIND_LIST
};

/* Gets a section that has been read. It is the visitor's for this call, the file's name for as long
 * as that lives. 0 or -1 (memory), which ends the reading. */
typedef int (*section_visit)(void *context, enum section_kind kind, struct raw_section *section);

struct confuse_reader;

/* NULL when memory is out. Diagnostics and context are borrowed. */
struct confuse_reader *confuse_reader_new(struct diagnostics *diagnostics, section_visit visit,
                                          void *context);
void confuse_reader_free(struct confuse_reader *reader);

/* Visits what a scanned main file holds aside from lists: its tokens and delegates as they stand
 * there, and then its keys and its `defaults`, each of them even if nothing is set. Two sections
 * may have one title: the visitor looks for that. file is borrowed for as long as sections are. 0
 * or -1 (memory). */
int confuse_read_main(struct confuse_reader *reader, const char *file,
                      const struct config_scan *scan);

/* Visits the lists of a scanned file in their order. 0 or -1 (memory). */
int confuse_read_lists(struct confuse_reader *reader, const char *file,
                       const struct config_scan *scan);

#endif
