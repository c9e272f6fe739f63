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

/* Load the whole configuration, with the places of lists; or the main file with its key files and
 * without lists. Return settings, for settings_free; or NULL after the errors were reported (the
 * exit status is EX_CONFIG then). */
struct settings *load_settings(const struct options *o, enum key_reading keys);
struct settings *load_keys(const struct options *o);

/* Loads the main file alone, without keys. Sets *settings, even if it is wrong. Returns false after
 * its errors were reported. */
bool load_main_file(const struct options *o, struct settings **settings);

/* Returns the configured pid file, for free(), even if the rest of the main file is wrong. Returns
 * NULL after a message (the exit status is EX_CONFIG then). */
char *load_pid_file(const struct options *o);

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
