/*
 * date - the Date field (RFC 5322 3.3, obsolete forms of 4.3 included)
 */
#ifndef MLMILTER_MAIL_DATE_H
#define MLMILTER_MAIL_DATE_H

#include "text/span.h"
#include "text/strbuf.h"

#include <stdbool.h>
#include <stdint.h>

/* A day in UTC. */
struct date {
    int year;  /* four digits */
    int month; /* 1 to 12 */
    int day;   /* 1 to 31 */
};

/* Reads an unfolded, trimmed Date value and shifts it to UTC. Obsolete forms are read: comments, no
 * or a wrong day of the week, short years, no seconds, named zones. An unknown name, "-0000" and no
 * zone count as UTC; a zone that is neither letters nor +hhmm or -hhmm makes it no date (RULINGS
 * 46). Returns false if it is no date of the years 1900 to 9999. */
bool date_parse(struct span text, struct date *date);

/* Appends a moment, in seconds since 1970 UTC, as the value of a Date field (RFC 5322 3.3):
 * "Wed, 4 Jul 2007 07:49:58 +0000". A moment outside of the years 1900 to 9999 is moved to the
 * nearer end. */
void date_format(struct strbuf *out, int64_t seconds);

/* Returns the English name of month 1 to 12. Its first three letters are those of a Date field.
 * Static storage. */
const char *date_month_name(int month);

#endif
