/*
 * rules - the one table of what lint finds in a message (RULINGS 93)
 *
 * Names are for programs and for doc/lint.md, and stay.  Pure; any thread.
 */
#ifndef MLMILTER_LINT_RULES_H
#define MLMILTER_LINT_RULES_H

enum lint_level {
    LINT_ERROR,   /* a clause is violated: mail programs ignore the field, or read it wrongly */
    LINT_WARNING, /* a clause's SHOULD is missed, or some programs read it wrongly */
    LINT_ADVICE,  /* unwise, or what only a configuration of mlmilter would write */
    LINT_LEVEL_COUNT
};

enum lint_rule {
    /* the header as a whole */
    LINT_HEADER_CUT,
    LINT_HEADER_UNREAD,
    /* Message-ID */
    LINT_MESSAGE_ID_MISSING,
    LINT_MESSAGE_ID_EMPTY,
    LINT_MESSAGE_ID_BRACKETS,
    LINT_MESSAGE_ID_FORM,
    LINT_MESSAGE_ID_COPIES,
    /* any owned field */
    LINT_COPIES,
    LINT_OLD_NAME,
    LINT_CONTROL_CHARACTER,
    LINT_LINE_TOO_LONG,
    LINT_NOT_UTF8,
    LINT_NOT_ASCII,
    LINT_ENCODED_WORD_FORM,
    LINT_ENCODED_WORD_PLACE,
    LINT_ENCODED_WORD_QUOTED,
    LINT_ENCODED_LINE,
    /* what is made of the Message-ID, and numbers */
    LINT_HASH_WRONG,
    LINT_HASH_CASE,
    LINT_LIST_HASH_WRONG,
    LINT_NUMBER_FORM,
    /* Archived-At */
    LINT_ARCHIVED_AT_FORM,
    LINT_ARCHIVED_AT_FOLD,
    LINT_ARCHIVED_AT_SEVERAL,
    LINT_ARCHIVED_AT_TWICE,
    LINT_ARCHIVED_AT_HASH,
    LINT_ARCHIVED_AT_UNWANTED,
    /* List-Id */
    LINT_LIST_ID_MISSING,
    LINT_LIST_ID_NO_ID,
    LINT_LIST_ID_FORM,
    LINT_LIST_ID_SPACE,
    LINT_LIST_ID_OUTSIDE,
    LINT_LIST_ID_PHRASE,
    LINT_LIST_ID_DESCRIPTION,
    LINT_LIST_ID_RANDOM,
    LINT_LIST_ID_AUTHORITY,
    /* the fields of RFC 2369 */
    LINT_BRACKETS,
    LINT_IGNORED,
    LINT_COMMENT_OPEN,
    LINT_NO_MAILTO,
    /* any URI */
    LINT_URI_SPACE,
    LINT_URI_HARMFUL,
    LINT_URI_TEMPLATE,
    LINT_URI_FORM,
    LINT_URI_SCHEME,
    LINT_URI_HTTP,
    LINT_URI_MAILTO,
    /* RFC 8058, DKIM, and what large providers ask for */
    LINT_ONE_CLICK_VALUE,
    LINT_ONE_CLICK_HTTPS,
    LINT_ONE_CLICK_UNSIGNED,
    LINT_ONE_CLICK_MISSING,
    LINT_UNSUBSCRIBE_MISSING,
    LINT_DKIM_MISSING,
    LINT_DKIM_UNCOVERED,
    LINT_FROM_UNSIGNED,
    LINT_RULE_COUNT
};

struct lint_rule_text {
    const char *name;
    enum lint_level level;
    const char *clause;  /* NULL: that of the field (spec/owned_fields.h) */
    const char *title;   /* what is wrong, for a summary */
    const char *instead; /* what to write, or to do, where the message does not tell more */
    const char *cure; /* what makes mlmilter cure it: "mlmilter" alone, or with a key; NULL: not */
};

extern const struct lint_rule_text lint_rules[LINT_RULE_COUNT];

/* "error", "warning" or "advice". Static storage. */
const char *lint_level_text(enum lint_level level);

#endif
