/*
 * options - a command of mlmilterctl, and the options on its command line (types only)
 */
#ifndef MLMILTER_CTL_OPTIONS_H
#define MLMILTER_CTL_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <sysexits.h>

/* The exit status "no": not found, not valid. Others are EX_USAGE 64, EX_DATAERR 65, EX_UNAVAILABLE
 * 69, EX_OSERR 71 and EX_CONFIG 78. */
#define EXIT_NO 1

struct recipient_option {
    const char *address, *mta_address; /* --recipient, --mta-recipient */
};

/* A command line. Texts are argv's, and NULL if they are not given. */
struct options {
    const struct command *command; /* NULL: not known yet */
    const char *config_path;
    bool config_is_given; /* -c, not the default path */
    bool all, authenticated, diff, help, json, rev1, version;
    const char *base, *client, *daemon, *domain, *first, *format, *id, *list, *list_domain;
    const char *normalize, *sender, *sendmail_cf, *template_text, *to;
    struct recipient_option *recipients; /* owned */
    size_t recipient_count, recipient_capacity;
    char **arguments; /* NULL after the last */
    size_t argument_count;
};

struct command {
    const char *name;
    int (*run)(const struct options *options); /* returns the exit status */
    const char *takes;  /* names of its options, each between blanks; "+": the first argument ends
                           the options */
    size_t least, most; /* arguments */
    const char *usage;  /* lines, each with its line end */
};

#endif
