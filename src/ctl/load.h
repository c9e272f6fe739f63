/*
 * load - the configuration and its lists, and the user of the daemon
 *
 * Root becomes that user before it touches the store: the daemon could not open a file that root
 * creates, and root can read files that the daemon cannot.  One thread.
 */
#ifndef MLMILTER_CTL_LOAD_H
#define MLMILTER_CTL_LOAD_H

#include "config/load.h"
#include "config/read/report.h"
#include "config/settings.h"
#include "ctl/options.h"
#include "text/strbuf.h"

/* Loads a configuration. Returns settings, for settings_free, which have the places of lists; or
 * NULL after the errors were reported (the exit status is EX_CONFIG then). */
struct settings *load_settings(const struct options *o, enum settings_extent extent,
                               enum key_reading keys);

/* Loads the main file alone, without keys, even a wrong one. Reports its errors; if wants_pid_file,
 * only if pid_file is NULL. Sets *is_right to whether there are none. */
struct settings *load_main_file(const struct options *o, bool wants_pid_file, bool *is_right);

/* Reports errors on standard error, one line each; with_all also errors of delegated files, then
 * hints. */
void report_diagnostics(const struct diagnostics *diagnostics, bool with_all);

/* Return the list of that id; or of that id, address or alias. Return NULL after a message (the
 * exit status is EXIT_NO then). */
const struct list *find_list(const struct settings *settings, const char *id);
const struct list *find_any_list(const struct settings *settings, const char *name);

/* Becomes the configured user for good, if the process is root. Stays root, with a warning, if the
 * default user does not exist. Returns EX_OK, or after a message EX_CONFIG or EX_OSERR. */
int become_user(const struct settings *settings);

/* True if this user cannot write or create the store's file; appends the reason. */
bool store_is_unwritable(const struct settings *settings, struct strbuf *why);

#endif
