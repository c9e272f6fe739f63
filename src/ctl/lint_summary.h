/*
 * lint_summary - findings of a message, a line each; and of an archive: counts, shares, three
 * examples each
 *
 * The size of a summary does not depend on the archive.  One thread.
 */
#ifndef MLMILTER_CTL_LINT_SUMMARY_H
#define MLMILTER_CTL_LINT_SUMMARY_H

#include "ctl/archive.h"
#include "lint/lint.h"

#include <stdint.h>

#define LINT_EXAMPLES 3

struct lint_example {
    struct strbuf file;
    bool has_offset; /* an mbox */
    uint64_t offset, line;
    struct strbuf message_id;
};

struct lint_counts {
    uint64_t findings;
    uint64_t messages;     /* with at least one */
    uint64_t last_message; /* number of the last of them */
    const char *clause;    /* of the first of them */
    struct lint_example examples[LINT_EXAMPLES];
};

struct lint_summary {
    uint64_t messages;                     /* that were judged */
    uint64_t without_fields;               /* that have no list field (RULINGS 105) */
    uint64_t with_level[LINT_LEVEL_COUNT]; /* messages whose worst finding is this */
    struct lint_counts rules[LINT_RULE_COUNT];
};

/* Appends "FILE:LINE: level: Field text [clause, name]; ...", or a JSON object, for each finding.
 * at: the place of the message m. */
void lint_report(const struct lint *lint, const struct archive_message *at, const struct message *m,
                 bool json, struct strbuf *out);

/* Adds a message, as lint_message left it. */
void lint_summary_add(struct lint_summary *summary, const struct lint *lint,
                      const struct archive_message *at);

/* Appends first the number of messages, then each finding, the worst level and in it the most
 * frequent first. */
void lint_summary_write(const struct lint_summary *summary, bool json, struct strbuf *out);

void lint_summary_free(struct lint_summary *summary);

#endif
