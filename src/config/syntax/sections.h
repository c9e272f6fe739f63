/*
 * sections - the sections of main files and list files
 *
 * Which statements may stand in them, and in which order they are visited: the lists come last, as
 * they need everything else.
 */
#ifndef MLMILTER_CONFIG_SYNTAX_SECTIONS_H
#define MLMILTER_CONFIG_SYNTAX_SECTIONS_H

#include "config/report/diagnostics.h"
#include "config/syntax/raw_section.h"
#include "config/syntax/statements.h"

enum section_kind {
    SECTION_KIND_TOKEN,
    SECTION_KIND_DELEGATE,
    SECTION_KIND_MAIN, /* the keys outside of all sections */
    SECTION_KIND_DEFAULTS,
    SECTION_KIND_LIST
};

/* Takes a section. It is the visitor's for this call, the file's name for as long as that lives. */
typedef void (*section_visit)(void *context, enum section_kind kind, struct raw_section *section);

struct sections;

/* Creates a reader of sections. Diagnostics and context are borrowed. */
struct sections *sections_new(struct diagnostics *diagnostics, section_visit visit, void *context);
void sections_free(struct sections *sections);

/* Visits what a main file holds aside from lists: its tokens and delegates as they stand there, and
 * then its keys and its `defaults`, each of them even if nothing is set. Two sections may have one
 * title: the visitor looks for that. */
void sections_of_main(struct sections *sections, const struct statements *statements);

/* Visits the lists of a main file, or of a list file, which may hold nothing else, in their order.
 * No list is visited after a main file in which the form of a token, of the defaults or of
 * something unknown is wrong: it may lack what they hold. */
void sections_lists(struct sections *sections, const struct statements *statements);
void sections_of_list_file(struct sections *sections, const struct statements *statements);

/* The line of the list behind the first n; 0: there is none. */
int sections_list_line(const struct statements *statements, size_t n);

/* Is there a statement that only a main file may hold? */
bool sections_are_main(const struct statements *statements);

#endif
