/*
 * lint_report - findings of one message, a line each
 */
#ifndef MLMILTER_CTL_LINT_LINT_REPORT_H
#define MLMILTER_CTL_LINT_LINT_REPORT_H

#include "ctl/archive/archive.h"
#include "lint/lint.h"
#include "text/strbuf.h"

#include <stdbool.h>

enum lint_form { LINT_TEXT, LINT_COLOURED, LINT_JSON };

/* Appends "FILE:LINE: level: Field text [clause, name]; ...", or a JSON object, for each finding.
 * at: the place of the message m. */
void lint_report(const struct lint *lint, const struct archive_message *at, const struct message *m,
                 enum lint_form form, struct strbuf *out);

/* Appends the word for a level. */
void lint_report_level(enum lint_level level, enum lint_form form, struct strbuf *out);

#endif
