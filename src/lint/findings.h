/*
 * findings - what lint found in one message
 *
 * Texts are made only if they are wanted: a summary of an archive needs the rules
 * alone.  Memory that runs out is remembered, so that a check need not ask.
 */
#ifndef MLMILTER_LINT_FINDINGS_H
#define MLMILTER_LINT_FINDINGS_H

#include "lint/rules.h"
#include "mail/message.h"
#include "spec/owned_fields.h"
#include "text/arena.h"

#include <stdbool.h>
#include <stddef.h>

/* The place, among the fields of the message, of what is missing. That of what is behind the last
 * one is message.field_count. */
#define LINT_NO_PLACE ((size_t)-1)

/* Findings of one rule in one field, at most. */
#define LINT_REPEATS 10

struct lint_finding {
    enum lint_rule rule;
    enum field_name field; /* FIELD_OTHER: the header as a whole */
    size_t place;
    size_t number;       /* in the order in which they were found */
    const char *clause;  /* static */
    const char *text;    /* one sentence without its end; "" unless texts are wanted */
    const char *instead; /* what to write, or to do */
};

struct lint_findings {
    bool wants_texts;
    struct arena arena; /* of the message */
    struct lint_finding *items;
    size_t count, capacity;
    bool last_is_kept; /* of those that were found, not one too many */
    bool out_of_memory;
};

void lint_findings_init(struct lint_findings *findings);
void lint_findings_free(struct lint_findings *findings);

/* Forgets those of the message before. */
void lint_findings_reset(struct lint_findings *findings);

/* One more, unless the field has LINT_REPEATS of that rule already: it may hold 300,000 URIs. The
 * format is of one sentence; any octets may be in it. */
void lint_find(struct lint_findings *findings, enum lint_rule rule, enum field_name field,
               size_t place, const char *format, ...) __attribute__((format(printf, 5, 6)));

/* The clause, static, of the last one that was found, where the rule stands for several. */
void lint_cite(struct lint_findings *findings, const char *clause);

/* What to write instead of the last one that was found, where that is more than the rule says. */
void lint_instead(struct lint_findings *findings, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Sorts them by their places: what is missing comes last. */
void lint_findings_sort(struct lint_findings *findings);

/* How far lines were counted, for findings in their order; at first {0, 1}. */
struct lint_lines {
    size_t place;
    size_t line;
};

/* The line of the message that a finding's field begins on, from 1; the "From " line of an mbox is
 * not counted. 0 for what has no place. */
size_t lint_line(struct lint_lines *at, const struct lint_finding *finding,
                 const struct message *m);

#endif
