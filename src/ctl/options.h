/*
 * options - the commands of mlmilterctl, and the options on its command line
 *
 * One table has all options; a command lists the names of those that it takes.  One thread.
 */
#ifndef MLMILTER_CTL_OPTIONS_H
#define MLMILTER_CTL_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

/* The exit status "no": not found, not valid. Other statuses are EX_USAGE 64, EX_DATAERR 65,
 * EX_UNAVAILABLE 69, EX_OSERR 71 and EX_CONFIG 78. */
#define EXIT_NO 1

#define MANY_ARGUMENTS ((size_t)-1)

/* A command line. Texts are argv's, and NULL if they are not given. */
struct options {
    const struct command *command; /* NULL: not known yet */
    const char *config_path;
    bool config_is_given; /* -c, not the default path */
    bool all, authenticated, diff, json, rev1;
    const char *base, *client, *daemon, *domain, *first, *format, *id, *list, *list_domain;
    const char *normalize, *sender, *sendmail_cf, *template_text, *to;
    /* Owned; each recipient has its --mta-recipient, or NULL. */
    const char **recipients, **mta_recipients;
    size_t recipient_count;
    char **arguments; /* NULL after the last */
    size_t argument_count;
};

struct command {
    const char *name;
    int (*run)(const struct options *options); /* returns the exit status */
    const char *takes;  /* names of its options, each between blanks; "+" first: an argument ends
                           the options */
    size_t least, most; /* arguments */
    const char *usage;  /* lines, each with its line end */
};

/* Reads the options of o->command, or without one those before the command. Returns true, or false
 * with the exit status: after a mistake, help or version. */
bool options_read(struct options *o, int argc, char **argv, int *status);
void options_free(struct options *o);

/* Prints on standard error how the command is used, and then the mistake. Returns EX_USAGE. */
int usage_error(const struct options *o, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Prints on standard output how a command, or (NULL) each command, is used. Returns the exit
 * status. */
int usage_print(const struct command *command);

/* The table, in the order of the help; a row without a name ends it. */
extern const struct command commands[];

#endif
