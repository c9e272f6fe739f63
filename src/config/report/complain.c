/* complain - puts messages about keys and values together. */
#include "config/report/complain.h"

#include "spec/list_id.h"
#include "text/utf8.h"

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

void complain(struct diagnostics *d, const char *file, int line, struct span name,
              const char *fault)
{
    struct shown shown;
    diagnostics_add(d, SEVERITY_ERROR, file, line, "%s: %s", shown_text(name, &shown), fault);
}

void complain_value(struct diagnostics *d, enum severity severity, struct place place,
                    const char *name, struct span value, const char *fault)
{
    struct shown shown;
    struct shown list;
    if (place.list.n == 0)
        diagnostics_add(d, severity, place.file, place.line, "%s: \"%s\" %s", name,
                        shown_text(value, &shown), fault);
    else
        diagnostics_add(d, severity, place.file, place.line,
                        "%s: \"%s\" %s, in list \"%s\", which takes it from the defaults", name,
                        shown_text(value, &shown), fault, shown_text(place.list, &list));
}

void complain_unknown(struct diagnostics *d, const char *file, int line, enum key_section section,
                      struct span key)
{
    struct shown shown;
    const char *name = shown_text(key, &shown);
    static const char *const section_names[] = {[SECTION_MAIN] = "the main file",
                                                [SECTION_LIST] = "a list",
                                                [SECTION_TOKEN] = "a token",
                                                [SECTION_DELEGATE] = "a delegate"};
    const char *nearest = NULL;
    if (d->errors < DIAGNOSTICS_KEPT) /* else nobody sees it, and it takes its time */
        nearest = schema_nearest(section, key);
    if (section == SECTION_MAIN && schema_find(SECTION_LIST, key) != KEY_COUNT)
        diagnostics_add(d, SEVERITY_ERROR, file, line,
                        "%s: is a key of a list (expected inside of a section \"list\" or "
                        "\"defaults\")",
                        name);
    else if (section != SECTION_MAIN && schema_find(SECTION_MAIN, key) != KEY_COUNT)
        diagnostics_add(d, SEVERITY_ERROR, file, line,
                        "%s: is a key of the main file (expected outside of the sections)", name);
    else if (nearest != NULL)
        diagnostics_add(d, SEVERITY_ERROR, file, line, "%s: is not known (did you mean \"%s\"?)",
                        name, nearest);
    else
        diagnostics_add(d, SEVERITY_ERROR, file, line, "%s: is not known (expected a key of %s)",
                        name, section_names[section]);
}

/* An address, or an id in brackets: what was probably meant, in *meant. false: it is neither. */
static bool find_meant(struct span title, struct shown *meant)
{
    if (title.n > 2 && title.p[0] == '<' && title.p[title.n - 1] == '>')
        title = span_sub(title, 1, title.n - 2);
    size_t at = span_find(title, '@');
    shown_text(title, meant);
    if (title.n >= sizeof meant->text)
        return false;
    if (at < title.n)
        meant->text[at] = '.';
    return list_id_fault(span_cstr(meant->text)) == NULL;
}

void complain_list_id(struct diagnostics *d, struct place place, struct span title)
{
    struct shown shown, meant;
    if (find_meant(title, &meant))
        diagnostics_add(d, SEVERITY_ERROR, place.file, place.line,
                        "%s: \"%s\" is no list id (did you mean \"%s\"?)", schema[KEY_LIST].name,
                        shown_text(title, &shown), meant.text);
    else
        complain_value(d, SEVERITY_ERROR, place, schema[KEY_LIST].name, title,
                       list_id_fault(title));
}
