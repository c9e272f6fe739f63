/*
 * trial - the lists of a text that somebody else wrote
 *
 * They are built beside those in force: an error leaves no trace of the text,
 * and without one its lists are adopted as they are.
 */
#ifndef MLMILTER_CONFIG_DELEGATION_TRIAL_H
#define MLMILTER_CONFIG_DELEGATION_TRIAL_H

#include "config/delegation/delegate.h"
#include "config/delegation/previous.h"
#include "config/lists/build.h"
#include "config/report/diagnostics.h"
#include "text/span.h"

#include <stdbool.h>
#include <stddef.h>

struct sections;

struct trial {
    struct list_builder *builder; /* borrowed: of the lists in force */
    struct sections *sections;
    struct diagnostics found; /* about the text that was tried last */
    const struct delegate *delegate;
    size_t lists;                       /* in force for the delegate at hand: the caller's to set */
    const struct delegated_file **kept; /* borrowed: gets the texts that are right */
};

void trial_init(struct trial *trial, struct list_builder *builder,
                const struct delegated_file **kept);
void trial_free(struct trial *trial);

/* Builds the lists of a text and adopts them. Returns true, or false after an error, which is in
 * trial->found: then no list of the text is in force. */
bool trial_take(struct trial *trial, const struct delegate *delegate, const char *path,
                struct span text);

#endif
