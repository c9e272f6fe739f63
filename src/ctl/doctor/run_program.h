/*
 * run_program - what another program says, without waiting for it for ever
 *
 * The doctor asks the MTA's own programs.  They are started without a shell, from the
 * folders of system programs alone, with an environment of PATH, LC_ALL and MAIL_CONFIG
 * (which leads Postfix' programs to another configuration), nothing on standard input,
 * and in a process group of their own, which is killed when they take too long or say
 * too much.
 */
#ifndef MLMILTER_CTL_DOCTOR_RUN_PROGRAM_H
#define MLMILTER_CTL_DOCTOR_RUN_PROGRAM_H

#include "text/strbuf.h"

#include <stdbool.h>

enum program_stream { PROGRAM_OUT = 1, PROGRAM_ERR = 2 };

/* Milliseconds that a program may take, and octets that it may say. */
struct program_limits {
    unsigned patience;
    size_t octets;
};

extern const struct program_limits program_limits; /* what is usual */

struct program {
    const char *fault; /* why it did not end by itself, a phrase after its name; NULL: it did */
    bool is_absent;    /* there is no such program */
    int status;        /* as exit(3) had it; -1: a signal ended it, or `fault` */
    struct strbuf said;
};

/* Runs argv[0], a name without a slash, and returns when it has ended: what it said on one of its
 * streams (the other is not looked at). The caller frees with program_free. */
void program_run(const char *const *argv, enum program_stream stream,
                 const struct program_limits *limits, struct program *program);

void program_free(struct program *program);

#endif
