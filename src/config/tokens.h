/*
 * tokens - named tokens of the main file (SU-24, SU-25, RULINGS 48)
 *
 *   name = %x61-7A *( %x61-7A / DIGIT / "_" )
 */
#ifndef MLMILTER_CONFIG_TOKENS_H
#define MLMILTER_CONFIG_TOKENS_H

#include "config/report/diagnostics.h"
#include "config/settings.h"
#include "config/syntax/raw_section.h"
#include "text/arena.h"
#include "text/span.h"

/* Takes the sections of one main file, one after the other. */
struct token_sections {
    struct settings *settings;       /* borrowed */
    struct diagnostics *diagnostics; /* borrowed */
    struct span *names;              /* those of the settings */
    int lines[TOKENS_MAX];           /* where each token stands */
};

/* Adds the token of a section, which has been checked. One that is wrong is added too, so that what
 * uses it is not complained about. */
void token_sections_add(struct token_sections *sections, const struct raw_section *raw);

#endif
