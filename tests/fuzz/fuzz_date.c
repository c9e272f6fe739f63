/* The Date field: what is read is a day, and what is written is the day that the C library says
 * (RFC 5322 3.3, RULINGS 46). Input: a line with seconds since 1970, and a Date value. */
#include "fuzz.h"

#include "mail/date.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

const char *const fuzz_grammar[] = {
    "S=%s\n%w%c%d%c %m %y%c%t%z%c",
    "s=0|-1|951782400|253402300799|-2208988801|-9223372036854775808|%n%n%n%n%n|-%n%n%n%n%n",
    "w=|Wed, |mer,|Mon (b),\t|Wed ",
    "c=|||| | (x)|\r\n (y (z) \\) )|(",
    "d=1|4|04|29|30|31|0%n|%n",
    "m=Jul|feb|DEC|Jan|Apr|July|%*",
    "y=2007|07|99|107|1900|9999|%n",
    "t=%n:%n|16:49:58|23:59:60|00:00|1:2|16 : 49|%n:%n:%n",
    "z=| +0900| -0001| GMT| EDT| x| +02:00| +0260| -%n| CEST %n",
    "n=00|59|60|23|24|12|1|%*",
    NULL,
};

static void check_read(struct span text)
{
    struct date date = {0, 0, 0};
    if (!date_parse(text, &date))
        return;
    fuzz_require_text(date.year >= 1900 && date.year <= 9999 && date.month >= 1 &&
                          date.month <= 12 && date.day >= 1 && date.day <= 31,
                      "a day", text);
    fuzz_require(strlen(date_month_name(date.month)) >= 3, "a month");
}

static void check_written(int64_t seconds)
{
    struct strbuf text = STRBUF_INIT;
    char expected[64];
    struct date date;
    struct tm tm;
    date_format(&text, seconds);
    if (seconds < INT64_C(-2208988800))
        seconds = INT64_C(-2208988800);
    if (seconds > INT64_C(253402300799))
        seconds = INT64_C(253402300799);
    time_t moment = (time_t)seconds;
    fuzz_require(gmtime_r(&moment, &tm) != NULL, "the C library knows the moment");
    strftime(expected, sizeof expected, "%a, %-d %b %Y %H:%M:%S +0000", &tm);
    fuzz_require_text(span_eq(strbuf_span(&text), span_cstr(expected)), expected,
                      strbuf_span(&text));
    fuzz_require(date_parse(strbuf_span(&text), &date) && date.year == tm.tm_year + 1900 &&
                     date.month == tm.tm_mon + 1 && date.day == tm.tm_mday,
                 "what is written can be read");
    strbuf_free(&text);
}

void fuzz_input(struct span rest)
{
    check_written(strtoll(fuzz_own_cstr(fuzz_line(&rest)), NULL, 10));
    check_read(fuzz_own(rest));
}
