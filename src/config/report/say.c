/* say - puts messages about keys and values together. */
#include "config/report/say.h"

#include "text/utf8.h"

#include <stdarg.h>
#include <string.h>

const char *shown_text(struct span value, struct shown *shown)
{
    static const char cut[] = "...";
    size_t n = value.n;
    if (n >= sizeof shown->text) {
        size_t most = sizeof shown->text - sizeof cut;
        n = 0;
        for (;;) { /* whole characters only */
            size_t length = utf8_length(span_sub(value, n, value.n));
            if (length == 0)
                length = 1;
            if (n + length > most)
                break;
            n += length;
        }
    }
    if (n > 0)
        memcpy(shown->text, value.p, n);
    shown->text[n] = '\0';
    if (n < value.n)
        memcpy(shown->text + n, cut, sizeof cut);
    for (size_t i = 0; i < n; i++)
        if (shown->text[i] == '\0')
            shown->text[i] = '?';
    return shown->text;
}

struct place place_of(const char *file, int line, const char *key)
{
    return (struct place){.file = file, .line = line, .key = key};
}

void say(struct diagnostics *d, enum severity severity, struct place place, struct span value,
         const char *format, ...)
{
    struct strbuf text = STRBUF_INIT;
    struct shown shown;
    va_list ap;
    if (!diagnostics_has_room(d, severity))
        return;
    if (place.key != NULL)
        strbuf_addf(&text, "%s: ", shown_text(span_cstr(place.key), &shown));
    if (value.p != NULL)
        strbuf_addf(&text, "\"%s\" ", shown_text(value, &shown));
    va_start(ap, format);
    strbuf_addv(&text, format, ap);
    va_end(ap);
    if (place.list.n > 0)
        strbuf_addf(&text, ", in list \"%s\"", shown_text(place.list, &shown));
    if (place.list.n > 0 && place.taken_from != NULL)
        strbuf_addf(&text, ", which takes it from %s", place.taken_from);
    diagnostics_keep(d, severity, place.file, place.line, strbuf_span(&text));
    strbuf_free(&text);
}
