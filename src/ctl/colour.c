/* colour - see colour.h */
#include "ctl/colour.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ECMA-48, 8.3.117 */
static const char *const codes[COLOUR_COUNT] = {"", "31", "32", "33", "1", "2"};

bool colour_wanted(int fd)
{
    const char *no_color = getenv("NO_COLOR");
    const char *term = getenv("TERM");
    return (no_color == NULL || *no_color == '\0') && term != NULL && *term != '\0' &&
           strcmp(term, "dumb") != 0 && isatty(fd);
}

void colour_add(struct strbuf *out, bool wanted, enum colour colour, struct span text)
{
    bool coloured = wanted && colour != COLOUR_PLAIN && text.n > 0;
    if (coloured)
        strbuf_addf(out, "\033[%sm", codes[colour]);
    strbuf_add_span(out, text);
    if (coloured)
        strbuf_add_str(out, "\033[0m");
}

static enum colour colour_of(struct span line)
{
    static const struct {
        const char *mark;
        enum colour colour;
    } marks[] = {
        {"+ ", COLOUR_GREEN},        {"- ", COLOUR_RED},      {"  + ", COLOUR_GREEN},
        {"  - ", COLOUR_RED},        {"  = ", COLOUR_DIM},    {"  error: ", COLOUR_RED},
        {"  note: ", COLOUR_YELLOW}, {"list: ", COLOUR_BOLD},
    };
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++)
        if (span_starts_nocase(line, span_cstr(marks[i].mark)))
            return marks[i].colour;
    return COLOUR_PLAIN;
}

void colour_add_marked(struct strbuf *out, bool wanted, struct span lines)
{
    while (lines.n > 0) {
        struct span line = span_sub(lines, 0, span_find(lines, '\n'));
        bool ended = line.n < lines.n;
        colour_add(out, wanted, colour_of(line), line);
        lines = span_sub(lines, line.n + 1, lines.n);
        if (ended)
            strbuf_add_char(out, '\n');
    }
}
