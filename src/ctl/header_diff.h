/*
 * header_diff - the header of a message before and after, field by field
 */
#ifndef MLMILTER_CTL_HEADER_DIFF_H
#define MLMILTER_CTL_HEADER_DIFF_H

#include "text/span.h"
#include "text/strbuf.h"

/* Appends the fields of both, with a mark before each line: "+ " for a field that only the new
 * message has, "- " for one that only the old one has, "  " for the others. What is not
 * visible (text/visible.h) is "?". The body is not shown. */
void header_diff_add(struct strbuf *out, struct span before, struct span after);

#endif
