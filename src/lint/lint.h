/*
 * lint - faults in the header of a list's message, clause by clause (RULINGS 93)
 *
 * It checks any message, stamped by mlmilter or not.  One struct lint serves any number of
 * messages, one after the other; one thread.
 */
#ifndef MLMILTER_LINT_LINT_H
#define MLMILTER_LINT_LINT_H

#include "lint/rules.h"
#include "mail/message.h"
#include "text/arena.h"
#include "text/span.h"
#include "text/strbuf.h"

#include <stdbool.h>
#include <stddef.h>

enum lint_level {
    LINT_ERROR,   /* a clause is violated: mail programs ignore the field, or read it wrongly */
    LINT_WARNING, /* a "should" of a clause is missed, or some programs read the field wrongly */
    LINT_ADVICE,  /* unwise, or written only on request of mlmilter's configuration */
    LINT_LEVEL_COUNT
};

#define LINT_RULE(rule, ...) rule,

enum lint_rule { LINT_RULES(LINT_RULE) LINT_RULE_COUNT };

/* A row of the table. */
struct lint_rule_text {
    const char *name;
    enum lint_level level;
    const char *clause, *text, *instead, *cure;
};

extern const struct lint_rule_text lint_rules[LINT_RULE_COUNT];

/* "error", "warning", "advice" */
extern const char *const lint_level_texts[LINT_LEVEL_COUNT];

#define LINT_NO_PLACE ((size_t)-1) /* of a missing field */
#define LINT_REPEATS  10           /* findings of one rule in one field, at most */

struct lint_finding {
    enum lint_rule rule;
    enum field_name field; /* FIELD_OTHER: the header as a whole */
    size_t place;          /* among the fields of the message */
    struct span shown;     /* the part that is wrong, or empty; lives as long as the findings */
    const char *clause;    /* that it is about; static storage */
};

/* Appends "mlmilter" with what its configuration needs, or nothing if it does not cure the finding.
 * needs_sender is that of the message. */
void lint_add_cure(struct strbuf *out, enum lint_rule rule, enum field_name field,
                   bool needs_sender);

struct lint {
    struct span domain; /* set by the caller: the list's, or empty if the message names it */
    /* The findings in the last message, sorted by place; missing fields are last. */
    struct lint_finding *findings;
    size_t count;
    struct span id;    /* the text of its Message-ID; .p is NULL if it has none */
    bool needs_sender; /* no List-Id has an id, so mlmilter knows the list only by the sender */
    size_t capacity;
    struct arena arena;
};

void lint_init(struct lint *l);
void lint_free(struct lint *l);

/* Checks a message. The findings point into m, and live until the next call. */
void lint_message(struct lint *l, const struct message *m);

#endif
