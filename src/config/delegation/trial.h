/*
 * trial - the lists of a text that somebody else wrote: a trial, then the real thing
 */
#ifndef MLMILTER_CONFIG_DELEGATION_TRIAL_H
#define MLMILTER_CONFIG_DELEGATION_TRIAL_H

#include "config/delegation/delegate.h"
#include "config/lists/build.h"
#include "config/report/diagnostics.h"
#include "text/span.h"

#include <stddef.h>

struct confuse_reader;

struct delegated_text {
    struct list_builder *in_force; /* borrowed */
    struct list_builder *target;   /* of the text being read */
    struct confuse_reader *reader;
    struct diagnostics found; /* about the text tried last */
    size_t lists;             /* entered for the delegate at hand: for the caller to set to 0 */
};

/* 0 or -1 (memory); delegated_text_free is needed in both cases. */
int delegated_text_init(struct delegated_text *text, struct list_builder *in_force);
void delegated_text_free(struct delegated_text *text);

/* Builds the lists of a text apart from those in force. 0; 1: something is wrong, and text->found
 * says what: this may be that memory was out, which is then the text's own affair (RULINGS 87); -1:
 * not even that can be said. */
int delegated_text_try(struct delegated_text *text, const struct delegate *delegate,
                       const char *path, struct span content);

/* Enters the lists of a text that has just been tried. path is borrowed until the builder is freed.
 * 0 or -1 (memory). */
int delegated_text_enter(struct delegated_text *text, const struct delegate *delegate,
                         const char *path, struct span content);

/* What has been found becomes the caller's, to free. */
struct diagnostics delegated_text_take_errors(struct delegated_text *text);

#endif
