/*
 * show_list - the values that count, and the source of each
 *
 * The text is a `list` section that `check` accepts, with the sources in comments; JSON has one
 * object for each value.  A value without effect is in a comment, since in a section it may be an
 * error (RULINGS 84).
 */
#ifndef MLMILTER_CTL_SHOW_LIST_H
#define MLMILTER_CTL_SHOW_LIST_H

#include "config/settings.h"

/* Appends the values of a list, whose files are read again. The settings have the places of lists.
 * Returns false if the list is no longer in its file. */
bool show_list(const struct settings *settings, const char *main_path, const struct list *list,
               bool as_json, struct strbuf *out);

/* Appends the keys of the main file, which may be wrong. */
void show_main(const struct settings *settings, const char *main_path, bool as_json,
               struct strbuf *out);

#endif
