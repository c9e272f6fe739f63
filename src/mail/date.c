/* date - see date.h */
#include "mail/date.h"

#include "mail/rfc5322.h"
#include "text/ascii.h"
#include "text/cursor.h"

#include <time.h>

/* The first second of 1900 and the last one of 9999, counted from 1970. */
#define FIRST_SECOND (-INT64_C(2208988800))
#define LAST_SECOND  INT64_C(253402300799)

static const char *const month_names[12] = {"January",   "February", "March",    "April",
                                            "May",       "June",     "July",     "August",
                                            "September", "October",  "November", "December"};

const char *date_month_name(int month)
{
    return month_names[month - 1];
}

/* Reads a number of min to max digits (at most 8) and the CFWS after it. Returns the number of
 * digits, or 0 if it is wrong or a comment is not closed. */
static int take_number(struct cursor *c, int min, int max, int *number)
{
    int n = 0;
    for (*number = 0; n < max && ascii_is_digit(cursor_peek(c)); n++)
        *number = *number * 10 + (*c->p++ - '0');
    return n < min || ascii_is_digit(cursor_peek(c)) || !rfc5322_skip_cfws(c) ? 0 : n;
}

/* day-of-week = ([FWS] day-name) / obs-day-of-week; then ",". Any word is a day-name. */
static bool skip_day_of_week(struct cursor *c)
{
    const char *begin = c->p;
    while (!cursor_at_end(c) && (ascii_is_alpha(*c->p) || (unsigned char)*c->p >= 0x80))
        c->p++;
    return c->p == begin || (rfc5322_skip_cfws(c) && cursor_take(c, ',') && rfc5322_skip_cfws(c));
}

/* month = "Jan" / "Feb" / ... / "Dec"; CFWS after it. */
static bool take_month(struct cursor *c, int *month)
{
    struct span text = span_sub(cursor_rest(c), 0, 3);
    for (*month = 0; *month < 12; ++*month)
        if (span_eq_nocase(text, span_of(month_names[*month], 3))) {
            c->p += 3;
            return rfc5322_skip_cfws(c);
        }
    return false;
}

/* year = (FWS 4*DIGIT FWS) / obs-year; obs-year = [CFWS] 2*DIGIT [CFWS]: two digits up to 49 mean
 * 20xx, other two digits and three digits count from 1900. */
static bool take_year(struct cursor *c, int *year)
{
    int digits = take_number(c, 2, 8, year);
    if (digits == 2)
        *year += *year < 50 ? 2000 : 1900;
    else if (digits == 3)
        *year += 1900;
    *year -= 1900;
    return digits != 0 && *year >= 0 && *year <= 9999 - 1900;
}

/* date = day month year; time-of-day = hour ":" minute [":" second]; CFWS is between them (obs-day,
 * obs-year, obs-hour and the like). */
static bool take_date_and_time(struct cursor *c, struct tm *tm)
{
    if (take_number(c, 1, 2, &tm->tm_mday) == 0 || !take_month(c, &tm->tm_mon) ||
        !take_year(c, &tm->tm_year) || take_number(c, 2, 2, &tm->tm_hour) == 0 ||
        !cursor_take(c, ':') || !rfc5322_skip_cfws(c) || take_number(c, 2, 2, &tm->tm_min) == 0)
        return false;
    int second = 0;
    if (cursor_take(c, ':') && (!rfc5322_skip_cfws(c) || take_number(c, 2, 2, &second) == 0))
        return false;
    return tm->tm_hour <= 23 && tm->tm_min <= 59 && second <= 60;
}

/* clang-format off */
/*
 *   zone     = (FWS ( "+" / "-" ) 4DIGIT) / obs-zone              RFC 5322 3.3
 *   obs-zone = "UT" / "GMT" / "EST" / "EDT" / "CST" / "CDT" / "MST" / "MDT" / "PST" / "PDT" /
 *              ALPHA                                              RFC 5322 4.3
 *
 * Reads the minutes east of UTC. Other words of letters, and no word at all, count as UTC (RULINGS
 * 46). Returns false for any other text.
 */
/* clang-format on */
static bool read_zone(struct span word, int *minutes)
{
    static const char *const names[] = {"EDT", "EST", "CDT", "CST", "MDT", "MST", "PDT", "PST"};
    struct cursor c = cursor_of(word);
    int number;
    *minutes = 0;
    for (int i = 0; i < 8; i++) /* four to eight hours west */
        if (span_eq_nocase(word, span_cstr(names[i])))
            *minutes = -(4 + (i + 1) / 2) * 60;
    while (ascii_is_alpha(cursor_peek(&c)))
        c.p++;
    if (cursor_at_end(&c))
        return true;
    bool west = cursor_take(&c, '-');
    if ((!west && !cursor_take(&c, '+')) || take_number(&c, 4, 4, &number) == 0)
        return false;
    *minutes = (west ? -1 : 1) * (number / 100 * 60 + number % 100);
    return cursor_at_end(&c) && number % 100 <= 59;
}

/* date-time = [ day-of-week "," ] date time [CFWS]                RFC 5322 3.3 */
bool date_parse(struct span text, struct date *date)
{
    struct cursor c = cursor_of(text);
    struct tm tm = {0};
    if (!rfc5322_skip_cfws(&c) || !skip_day_of_week(&c) || !take_date_and_time(&c, &tm))
        return false;
    struct span zone = cursor_rest(&c);
    zone.n = span_find_any(zone, " \t\r\n(");
    c.p += zone.n;
    int day = tm.tm_mday, zone_minutes;
    if (!read_zone(zone, &zone_minutes) || !rfc5322_skip_cfws(&c) || !cursor_at_end(&c))
        return false;
    time_t moment = timegm(&tm);
    if (tm.tm_mday != day) /* no such day */
        return false;
    moment -= (time_t)zone_minutes * 60;
    if (moment < FIRST_SECOND || moment > LAST_SECOND || gmtime_r(&moment, &tm) == NULL)
        return false;
    *date = (struct date){tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday};
    return true;
}

/* date-time = day-of-week "," day month year time-of-day zone      RFC 5322 3.3 */
void date_format(struct strbuf *out, int64_t seconds)
{
    static const char day_names[] = "SunMonTueWedThuFriSat";
    time_t moment = seconds < FIRST_SECOND ? FIRST_SECOND : seconds;
    moment = moment > LAST_SECOND ? LAST_SECOND : moment;
    struct tm tm = {0};
    (void)gmtime_r(&moment, &tm); /* cannot fail for these years */
    strbuf_addf(out, "%.3s, %d %.3s %04d %02d:%02d:%02d +0000", day_names + 3 * tm.tm_wday,
                tm.tm_mday, month_names[tm.tm_mon], tm.tm_year + 1900, tm.tm_hour, tm.tm_min,
                tm.tm_sec);
}
