/*
 * date - the Date field (RFC 5322 3.3, obsolete forms of 4.3 included)
 */
#ifndef MLMILTER_MAIL_DATE_H
#define MLMILTER_MAIL_DATE_H

#include "text/span.h"

#include <stdbool.h>

/* A day in UTC. */
struct date {
    int year;  /* four digits */
    int month; /* 1 to 12 */
    int day;   /* 1 to 31 */
};

/* Reads an unfolded, trimmed Date value and shifts it to UTC. Comments, a missing or wrong day of
 * the week, two- and three-digit years, missing seconds and named zones are understood; an unknown
 * zone, "-0000" and no zone count as UTC (RULINGS 46). false: not a date, or outside of the years
 * 1900 to 9999. */
bool date_parse(struct span text, struct date *date);

/* English names: "July", "Jul". month is 1 to 12. Static storage. */
const char *date_month_name(int month);
const char *date_month_abbr(int month);

#endif
