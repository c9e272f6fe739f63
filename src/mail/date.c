/* date - see date.h. Minutes are kept while the zone is applied; seconds never move the day. */
#include "mail/date.h"

#include "mail/rfc5322.h"
#include "text/ascii.h"
#include "text/cursor.h"

enum { DATE_FIRST_YEAR = 1900, DATE_LAST_YEAR = 9999, MINUTES_A_DAY = 24 * 60 };

/* The first second of the first year and the last one of the last year, counted from 1970. */
#define FIRST_SECOND  (-INT64_C(2208988800))
#define LAST_SECOND   INT64_C(253402300799)
#define SECONDS_A_DAY 86400

static const char *const month_names[12] = {"January",   "February", "March",    "April",
                                            "May",       "June",     "July",     "August",
                                            "September", "October",  "November", "December"};
static const char *const month_abbrs[12] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                            "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

const char *date_month_name(int month)
{
    return month_names[month - 1];
}

const char *date_month_abbr(int month)
{
    return month_abbrs[month - 1];
}

static int days_in(int year, int month)
{
    static const int days[12] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return days[month - 1] + (month == 2 && leap);
}

static void next_day(struct date *d)
{
    if (++d->day <= days_in(d->year, d->month))
        return;
    d->day = 1;
    if (++d->month <= 12)
        return;
    d->month = 1;
    d->year++;
}

static void previous_day(struct date *d)
{
    if (--d->day >= 1)
        return;
    if (--d->month < 1) {
        d->month = 12;
        d->year--;
    }
    d->day = days_in(d->year, d->month);
}

/* min to max digits (at most 8), no digit behind them. Returns how many, 0 when there is no such
 * number. */
static int take_number(struct cursor *c, int min, int max, int *number)
{
    int n = 0;
    *number = 0;
    while (n < max && ascii_is_digit(cursor_peek(c))) {
        *number = *number * 10 + (*c->p++ - '0');
        n++;
    }
    return n < min || ascii_is_digit(cursor_peek(c)) ? 0 : n;
}

/* day-of-week = ([FWS] day-name) / obs-day-of-week; then ",". Any word will do, and the comma may
 * be missing (RULINGS 46). */
static bool skip_day_of_week(struct cursor *c)
{
    const char *begin = c->p;
    while (!cursor_at_end(c) && (ascii_is_alpha(*c->p) || (unsigned char)*c->p >= 0x80))
        c->p++;
    if (c->p == begin)
        return true;
    if (!rfc5322_skip_cfws(c))
        return false;
    cursor_take(c, ',');
    return rfc5322_skip_cfws(c);
}

/* month = "Jan" / "Feb" / ... / "Dec" */
static bool take_month(struct cursor *c, int *month)
{
    struct span text = span_sub(cursor_rest(c), 0, 3);
    for (int i = 0; i < 12; i++) {
        if (span_eq_nocase(text, span_of(month_abbrs[i], 3))) {
            c->p += 3;
            *month = i + 1;
            return true;
        }
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
    return digits != 0 && *year >= DATE_FIRST_YEAR && *year <= DATE_LAST_YEAR;
}

/* date = day month year, CFWS between them (obs-day, obs-year) */
static bool take_date(struct cursor *c, struct date *d)
{
    return take_number(c, 1, 2, &d->day) != 0 && rfc5322_skip_cfws(c) && take_month(c, &d->month) &&
           rfc5322_skip_cfws(c) && take_year(c, &d->year) && d->day >= 1 &&
           d->day <= days_in(d->year, d->month);
}

/* time-of-day = hour ":" minute [":" second], CFWS between them (obs-hour and the like); hour may
 * have one digit (RULINGS 46) */
static bool take_time(struct cursor *c, int *minutes)
{
    int hour, minute, second = 0;
    if (take_number(c, 1, 2, &hour) == 0 || !rfc5322_skip_cfws(c) || !cursor_take(c, ':') ||
        !rfc5322_skip_cfws(c) || take_number(c, 2, 2, &minute) == 0 || !rfc5322_skip_cfws(c))
        return false;
    if (cursor_take(c, ':') && (!rfc5322_skip_cfws(c) || take_number(c, 2, 2, &second) == 0))
        return false;
    *minutes = hour * 60 + minute;
    return hour <= 23 && minute <= 59 && second <= 60;
}

/*
 *   zone     = (FWS ( "+" / "-" ) 4DIGIT) / obs-zone              RFC 5322 3.3
 *              and ( "+" / "-" ) 2DIGIT ":" 2DIGIT                RULINGS 46
 *   obs-zone = "UT" / "GMT" / "EST" / "EDT" / "CST" / "CDT" / "MST" / "MDT" / "PST" / "PDT" /
 *              ALPHA                                              RFC 5322 4.3
 *
 * Minutes east of UTC. A word that is none of these, single letters too, counts as UTC. Words may
 * stand behind a numeric one, which has said all ("+0200 CEST").
 */
static int zone_of(struct span word, bool *numeric)
{
    static const struct {
        const char *name;
        int hours;
    } zones[] = {{"EST", -5}, {"EDT", -4}, {"CST", -6}, {"CDT", -5},
                 {"MST", -7}, {"MDT", -6}, {"PST", -8}, {"PDT", -7}};
    *numeric = false;
    for (size_t i = 0; i < sizeof zones / sizeof *zones; i++)
        if (span_eq_nocase(word, span_cstr(zones[i].name)))
            return zones[i].hours * 60;
    struct cursor c = cursor_of(word);
    bool west = cursor_take(&c, '-');
    int hours, minutes;
    if (!west && !cursor_take(&c, '+'))
        return 0;
    int digits = take_number(&c, 2, 4, &hours);
    if (digits == 4) {
        minutes = hours % 100;
        hours /= 100;
    } else if (digits != 2 || !cursor_take(&c, ':') || take_number(&c, 2, 2, &minutes) == 0) {
        return 0;
    }
    if (!cursor_at_end(&c) || minutes > 59)
        return 0;
    *numeric = true;
    minutes += hours * 60;
    return west ? -minutes : minutes;
}

static struct span take_word(struct cursor *c)
{
    const char *begin = c->p;
    while (!cursor_at_end(c) && !ascii_is_blank(*c->p) && *c->p != '\r' && *c->p != '\n' &&
           *c->p != '(')
        c->p++;
    return span_of(begin, (size_t)(c->p - begin));
}

/* date-time = [ day-of-week "," ] date time [CFWS]                RFC 5322 3.3
 * and words behind a numeric zone                                  RULINGS 46 */
bool date_parse(struct span text, struct date *date)
{
    struct cursor c = cursor_of(text);
    struct date d;
    int minutes;
    bool numeric;
    if (!rfc5322_skip_cfws(&c) || !skip_day_of_week(&c) || !take_date(&c, &d) ||
        !rfc5322_skip_cfws(&c) || !take_time(&c, &minutes) || !rfc5322_skip_cfws(&c))
        return false;
    minutes -= zone_of(take_word(&c), &numeric);
    if (!rfc5322_skip_cfws(&c))
        return false;
    while (numeric && !cursor_at_end(&c)) {
        (void)take_word(&c);
        if (!rfc5322_skip_cfws(&c))
            return false;
    }
    if (!cursor_at_end(&c))
        return false;
    for (; minutes < 0; minutes += MINUTES_A_DAY)
        previous_day(&d);
    for (; minutes >= MINUTES_A_DAY; minutes -= MINUTES_A_DAY)
        next_day(&d);
    if (d.year < DATE_FIRST_YEAR || d.year > DATE_LAST_YEAR)
        return false;
    *date = d;
    return true;
}

/* The date that stands this number of days after 1 January 1900. */
static struct date day_of(int days)
{
    struct date d = {DATE_FIRST_YEAR, 1, 1};
    for (int length; days >= (length = 337 + days_in(d.year, 2)); days -= length)
        d.year++;
    for (int length; days >= (length = days_in(d.year, d.month)); days -= length)
        d.month++;
    d.day += days;
    return d;
}

/* date-time = day-of-week "," day month year time-of-day zone      RFC 5322 3.3 */
void date_format(struct strbuf *out, int64_t seconds)
{
    static const char *const day_names[7] = {"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"};
    if (seconds < FIRST_SECOND)
        seconds = FIRST_SECOND;
    if (seconds > LAST_SECOND)
        seconds = LAST_SECOND;
    seconds -= FIRST_SECOND;
    int days = (int)(seconds / SECONDS_A_DAY);
    int second = (int)(seconds % SECONDS_A_DAY);
    struct date d = day_of(days);
    /* 1 January 1900 was a Monday. */
    strbuf_addf(out, "%s, %d %s %04d %02d:%02d:%02d +0000", day_names[days % 7], d.day,
                date_month_abbr(d.month), d.year, second / 3600, second / 60 % 60, second % 60);
}
