/*
 * findings - what the doctor found, in the order in which it must be mended (RULINGS 91)
 *
 * Checks say what they find in that order. Texts are copied. One thread.
 */
#ifndef MLMILTER_CTL_DOCTOR_FINDINGS_H
#define MLMILTER_CTL_DOCTOR_FINDINGS_H

#include "text/arena.h"
#include "text/strbuf.h"

#include <stdbool.h>
#include <stddef.h>

enum finding_kind {
    FINDING_MEND,   /* no post is stamped, or not every one, until this is mended */
    FINDING_ADVICE, /* works, but is unwise or surprising */
    FINDING_UNSEEN, /* could not be looked at, for example because we are not root; no error */
    FINDING_FINE,
    FINDING_KINDS
};

struct finding;

struct findings {
    struct arena arena;
    struct finding *first, *last;
};

void findings_init(struct findings *findings);
void findings_free(struct findings *findings);

/* name: a stable slug for programs, static. cure: the lines to type, or NULL. The format makes one
 * sentence that says what is wrong; further lines quote. Any octets may be in both. */
void findings_say(struct findings *findings, enum finding_kind kind, const char *name,
                  const char *cure, const char *format, ...) __attribute__((format(printf, 5, 6)));

/* How many there are of a kind. */
size_t findings_count(const struct findings *findings, enum finding_kind kind);

enum findings_form { FINDINGS_TEXT, FINDINGS_COLOURED, FINDINGS_JSON };

/* Appends all of them, by kind and then in the order in which they were said: as text, in which
 * what is not visible (text/visible.h) is "?"; or as JSON Lines with kind, name, text and, where
 * there is one, cure. */
void findings_write(const struct findings *findings, enum findings_form form, struct strbuf *out);

#endif
