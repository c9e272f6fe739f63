/*
 * outcome - how work ended that may be refused (types only)
 */
#ifndef MLMILTER_TEXT_OUTCOME_H
#define MLMILTER_TEXT_OUTCOME_H

/* What a function returns that checks what somebody wrote. */
enum outcome {
    DONE,     /* what was asked for is there */
    REFUSED,  /* what was given is wrong, and a diagnostic says why; the work can go on */
    NO_MEMORY /* out of memory: nothing can be said of what was given; stop */
};

#endif
