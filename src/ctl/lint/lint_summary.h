/*
 * lint_summary - what was found in a whole archive: counts, shares, three examples each
 *
 * Its size does not depend on the archive.  One thread.
 */
#ifndef MLMILTER_CTL_LINT_LINT_SUMMARY_H
#define MLMILTER_CTL_LINT_LINT_SUMMARY_H

#include "ctl/archive/archive.h"
#include "ctl/lint/lint_report.h"
#include "lint/lint.h"

#include <stdint.h>

#define LINT_EXAMPLES 3

struct lint_example {
    struct strbuf file;
    bool has_offset;
    uint64_t offset;
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
    uint64_t messages;
    uint64_t with_level[LINT_LEVEL_COUNT]; /* messages whose worst finding is this */
    struct lint_counts rules[LINT_RULE_COUNT];
};

void lint_summary_init(struct lint_summary *summary);
void lint_summary_free(struct lint_summary *summary);

/* Adds a message, as lint_message left it. */
void lint_summary_add(struct lint_summary *summary, const struct lint *lint,
                      const struct archive_message *at);

/* Appends it: first the number of messages, then each finding, the worst level and in it the most
 * frequent first. */
void lint_summary_write(const struct lint_summary *summary, enum lint_form form,
                        struct strbuf *out);

#endif
