/*
 * lint_report - findings of one message, a line each
 */
#ifndef MLMILTER_CTL_LINT_LINT_REPORT_H
#define MLMILTER_CTL_LINT_LINT_REPORT_H

#include "ctl/archive/archive.h"
#include "lint/findings.h"
#include "text/strbuf.h"

#include <stdbool.h>

enum lint_form { LINT_TEXT, LINT_COLOURED, LINT_JSON };

/* Appends "FILE:LINE: level: Field text [clause, name]; ...", or a JSON object, for each finding.
 * at: where the message is; m: it, taken apart. */
void lint_report(const struct lint_findings *findings, const struct archive_message *at,
                 const struct message *m, enum lint_form form, struct strbuf *out);

/* Appends the word for a level, as it stands in all reports. */
void lint_report_level(enum lint_level level, enum lint_form form, struct strbuf *out);

#endif
