/* postfix_values - finds values in the output of postconf(1). */
#include "ctl/doctor/postfix_values.h"

#include "text/ascii.h"
#include "text/number.h"

#include <string.h>

bool next_line(struct span *rest, struct span *line)
{
    if (rest->n == 0)
        return false;
    *line = span_sub(*rest, 0, span_find(*rest, '\n'));
    *rest = span_sub(*rest, line->n + 1, rest->n);
    return true;
}

bool next_word(struct span *rest, const char *separators, struct span *word)
{
    size_t begin = 0, end;
    while (begin < rest->n && strchr(separators, rest->p[begin]) != NULL)
        begin++;
    for (end = begin; end < rest->n && strchr(separators, rest->p[end]) == NULL;)
        end++;
    *word = span_sub(*rest, begin, end - begin);
    *rest = span_sub(*rest, end, rest->n);
    return word->n > 0;
}

bool text_contains(struct span s, const char *word)
{
    for (size_t i = 0; i + strlen(word) <= s.n; i++)
        if (span_starts_nocase(span_sub(s, i, s.n), span_cstr(word)))
            return true;
    return false;
}

/* The value of the line "key = value" */
static struct span find_value(struct span text, struct span key)
{
    struct span line;
    while (next_line(&text, &line)) {
        if (line.n >= key.n + 2 && span_eq(span_sub(line, 0, key.n), key) &&
            memcmp(line.p + key.n, " =", 2) == 0)
            return span_trim(span_sub(line, key.n + 2, line.n));
    }
    return span_of(NULL, 0);
}

struct span postfix_value(const struct postfix_values *values, const char *parameter,
                          const struct postfix_service *service, bool *is_own)
{
    struct span value = {0};
    if (service != NULL) {
        struct strbuf key = STRBUF_INIT;
        strbuf_add_span(&key, service->name);
        strbuf_add_char(&key, '/');
        strbuf_add_span(&key, service->type);
        strbuf_addf(&key, "/%s", parameter);
        value = find_value(values->overrides, strbuf_span(&key));
        strbuf_free(&key);
    }
    if (is_own != NULL)
        *is_own = value.p != NULL;
    return value.p != NULL ? value : find_value(values->main, span_cstr(parameter));
}

/* master(5): service type private unpriv chroot wakeup maxproc command. "-" for chroot is the
 * default, "y" before compatibility_level 1. */
bool next_service(const struct postfix_values *values, struct span *rest,
                  struct postfix_service *service)
{
    struct span line, columns[8];
    while (next_line(rest, &line)) {
        size_t n = 0;
        while (n < 8 && next_word(&line, " \t", &columns[n]))
            n++;
        if (n < 8)
            continue;
        struct span level = postfix_value(values, "compatibility_level", NULL, NULL);
        service->name = columns[0];
        service->type = columns[1];
        service->command = columns[7];
        service->is_chrooted =
            columns[4].p[0] == 'y' || (columns[4].p[0] == '-' && span_eq(level, span_cstr("0")));
        return true;
    }
    return false;
}

bool service_is_loopback(const struct postfix_service *service)
{
    static const char *const begins[] = {"127.", "localhost:", "[::1]:", "::1:"};
    for (size_t i = 0; i < sizeof begins / sizeof begins[0]; i++)
        if (span_starts_nocase(service->name, span_cstr(begins[i])))
            return true;
    return span_eq(service->type, span_cstr("unix"));
}

bool service_is_submission(const struct postfix_service *service)
{
    static const char *const names[] = {"submission", "submissions", "smtps", "587", "465"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (span_ends_nocase(service->name, span_cstr(names[i])))
            return true;
    return false;
}

bool value_has_word(struct span value, const char *word)
{
    struct span at;
    while (next_word(&value, ", \t", &at))
        if (span_eq_nocase(at, span_cstr(word)))
            return true;
    return false;
}

bool postfix_seconds(struct span text, unsigned *seconds)
{
    static const struct {
        char letter;
        unsigned seconds;
    } units[] = {{'s', 1}, {'m', 60}, {'h', 3600}, {'d', 86400}, {'w', 604800}};
    unsigned unit = 1;
    uint64_t number;
    for (size_t i = 0; i < sizeof units / sizeof units[0] && text.n > 0; i++) {
        if (ascii_lower(text.p[text.n - 1]) != units[i].letter)
            continue;
        unit = units[i].seconds;
        text.n--;
        break;
    }
    if (!number_parse(text, 4000, &number))
        return false;
    *seconds = (unsigned)number * unit;
    return true;
}
