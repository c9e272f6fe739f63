/*
 * tool - the options, output and configuration that all commands of mlmilterctl use
 *
 * One thread.  Settings are freed by the exit of the program, which wipes their keys.  A command
 * keeps in static variables all else that it has until its end, and does not free it.
 */
#ifndef MLMILTER_CTL_TOOL_H
#define MLMILTER_CTL_TOOL_H

#include "config/load.h"
#include "config/read/report.h"
#include "text/strbuf.h"

#include <stdbool.h>
#include <stdio.h>
#include <sysexits.h>

/* The exit status "no": not found, not valid. Others are EX_USAGE 64, EX_DATAERR 65, EX_UNAVAILABLE
 * 69, EX_OSERR 71 and EX_CONFIG 78. */
#define EXIT_NO 1

struct recipient_option {
    const char *address, *mta_address, *mta_mailer; /* --recipient, --mta-recipient, --mta-mailer */
};

/* A command line. Texts are argv's, and NULL if they are not given. */
struct options {
    const struct command *command; /* while it is not known, one without a name */
    const char *config_path;
    bool config_is_given; /* -c, not the default path */
    bool all, authenticated, diff, from_pages, help, ids, json, rev1, show, version, yes;
    const char *base, *client, *daemon, *domain, *first, *format, *id, *list, *list_domain;
    const char *normalize, *prefix, *sender, *sendmail_cf, *template_text, *to;
    struct recipient_option *recipients; /* owned; as many as the command line may have */
    size_t recipient_count;
    struct strbuf ignored; /* a line for each --ignore */
    char **arguments;      /* NULL after the last */
    size_t argument_count;
};

struct command {
    const char *name;
    int (*run)(const struct options *options); /* returns the exit status */
    size_t least, most;                        /* arguments */
    const char *usage;                         /* lines with all of its options */
};

int run_attach(const struct options *o);
int run_check(const struct options *o);
int run_doctor(const struct options *o);
int run_explain(const struct options *o);
int run_filter(const struct options *o);
int run_hash(const struct options *o);
int run_import(const struct options *o);
int run_lint(const struct options *o);
int run_lists(const struct options *o);
int run_map(const struct options *o);
int run_new_list_id(const struct options *o);
int run_reload(const struct options *o);
int run_sequence(const struct options *o);
int run_show(const struct options *o);
int run_status(const struct options *o);
int run_url(const struct options *o);
int run_verify_token(const struct options *o);

/* ---- tool.c: results, errors, progress ---- */

/* Writes "mlmilterctl: ..." and a line end to standard error. A character that is not visible
 * (text/visible.h) becomes "?": file names and arguments from a web page may have any byte. */
void report_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

#define USAGE "usage: mlmilterctl [-c FILE] COMMAND [ARGUMENT...]\n"

/* Reports a mistake on the command line after the usage of the command. Returns EX_USAGE. */
int usage_error(const struct options *o, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Writes the text to standard output, waits until the system has it, and frees it. Returns status.
 * If that fails, for example because the disk is full, ends the program with EX_OSERR. */
int print_and_free(struct strbuf *text, int status);

/* Writes one of many texts to a buffer, which print_and_free writes at the end. */
void print_more(struct span text);

/* Appends a text; on a terminal with colours, unless NO_COLOR is set, with the rendition of
 * ECMA-48, 8.3.117: "31" is red. */
void add_rendered(struct strbuf *out, struct span text, const char *rendition);

/* Shows a line of progress on standard error, if that is a terminal, at most once in 250 ms. The
 * next line, an error or a result on a terminal replaces it. */
void show_progress(const char *format, ...) __attribute__((format(printf, 1, 2)));
void hide_progress(void);

/* Appends s with a backslash before each character of `special`; "$" only before "{". Bytes of an
 * invisible character become \xHH. */
void add_escaped(struct strbuf *out, struct span s, const char *special);

/* Opens a file, or standard input if path is NULL or "-"; a terminal gets a message that input is
 * awaited. Sets *name for messages. Returns a descriptor, or -1 after a message. */
int open_input(const char *path, const char **name);

/* Becomes the script that reads the pages of an old archive, and runs `map --ids`. Returns an exit
 * status after a message. */
int become_pages(const struct options *o, const char *format, bool wants_date);

/* ---- load.c: the configuration and its lists, and the user of the daemon ----
 *
 * Root becomes the user of the daemon before it touches the store: the daemon could not open a file
 * that root creates, and root can read files that the daemon cannot. */

/* Loads a configuration, once in a run. Returns settings, or NULL after messages (the exit status
 * is EX_CONFIG then). */
struct settings *load_settings(const struct options *o, enum settings_extent extent,
                               enum key_reading keys);

/* Loads the main file alone, without keys. Returns its settings even if it is wrong, and sets
 * *is_right to false then. Reports errors; if wants_pid_file, only if pid_file is NULL. */
struct settings *load_main_file(const struct options *o, bool wants_pid_file, bool *is_right);

/* Prints each error in a line of standard error; with_all also delegated errors, then hints. */
void report_diagnostics(const struct diagnostics *diagnostics, bool with_all);

/* Returns the list of that id, address or alias; or NULL after a message (the exit status is
 * EXIT_NO then). */
const struct list *find_list(const struct settings *settings, const char *name);

/* Returns the id or address of a list that is nearest to a name; p is NULL if none is near. */
struct span nearest_list(const struct list_index *index, struct span name);

/* Becomes the configured user for good, if the process is root. Stays root, with a warning, if the
 * default user does not exist. Returns EX_OK, or after a message EX_CONFIG or EX_OSERR. */
int become_user(const struct settings *settings);

#endif
