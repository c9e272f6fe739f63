/* sendmail_cf - finds options and filters in a sendmail.cf. */
#include "ctl/doctor/sendmail_cf.h"

#include "ctl/doctor/postfix_values.h"
#include "text/ascii.h"

static bool next_setting(struct span *rest, char letter, struct span *setting)
{
    struct span line;
    while (next_line(rest, &line)) {
        while (rest->n > 0 && ascii_is_blank(rest->p[0])) {
            struct span more;
            next_line(rest, &more);
            line.n = (size_t)(more.p + more.n - line.p);
        }
        if (line.n == 0 || line.p[0] != letter)
            continue;
        *setting = span_trim(span_sub(line, 1, line.n));
        return true;
    }
    return false;
}

/* "name = value" -> value; .p is NULL: it is of another name. */
static struct span value_of(struct span setting, const char *name)
{
    size_t equals = span_find(setting, '=');
    bool is_it = equals < setting.n &&
                 span_eq_nocase(span_trim(span_sub(setting, 0, equals)), span_cstr(name));
    return is_it ? span_trim(span_sub(setting, equals + 1, setting.n)) : span_of(NULL, 0);
}

struct span cf_option(struct span cf, const char *name)
{
    struct span setting, value = {0};
    while (next_setting(&cf, 'O', &setting)) {
        struct span this = value_of(setting, name);
        if (this.p != NULL)
            value = this;
    }
    return value;
}

bool cf_next_filter(struct span *rest, struct cf_filter *filter)
{
    struct span setting, part;
    if (!next_setting(rest, 'X', &setting))
        return false;
    *filter = (struct cf_filter){0};
    filter->name = span_trim(span_sub(setting, 0, span_find(setting, ',')));
    setting = span_sub(setting, span_find(setting, ','), setting.n);
    while (next_word(&setting, ",", &part)) {
        struct span value = value_of(part, "S");
        if (value.p != NULL)
            filter->socket = value;
        else if ((value = value_of(part, "F")).p != NULL)
            filter->flags = value;
        else if ((value = value_of(part, "T")).p != NULL)
            filter->times = value;
    }
    return true;
}

bool cf_names_filter(struct span names, struct span filter, size_t *place)
{
    struct span name;
    for (*place = 0; next_word(&names, ", ;\t", &name); (*place)++)
        if (span_eq_nocase(name, filter))
            return true;
    return false;
}

bool cf_listener_has(struct span cf, struct span filter)
{
    struct span setting, part;
    size_t place;
    while (next_setting(&cf, 'O', &setting)) {
        struct span value = value_of(setting, "DaemonPortOptions");
        while (value.p != NULL && next_word(&value, ",", &part)) {
            struct span names = value_of(span_trim(part), "InputMailFilters");
            if (names.p == NULL)
                names = value_of(span_trim(part), "I");
            if (names.p != NULL && cf_names_filter(names, filter, &place))
                return true;
        }
    }
    return false;
}

bool cf_seconds(struct span times, char letter, unsigned *seconds)
{
    struct span part;
    while (next_word(&times, "; ", &part))
        if (part.n > 2 && part.p[0] == letter && part.p[1] == ':')
            return postfix_seconds(span_sub(part, 2, part.n), seconds);
    return false;
}
