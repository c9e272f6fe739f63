/* output - see output.h */
#include "ctl/output.h"

#include "text/visible.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

void report_error(const char *format, ...)
{
    struct strbuf text = STRBUF_INIT;
    struct strbuf line = STRBUF_INIT;
    va_list ap;
    va_start(ap, format);
    strbuf_addv(&text, format, ap);
    va_end(ap);
    strbuf_add_str(&line, "mlmilterctl: ");
    visible_add(&line, strbuf_span(&text));
    fprintf(stderr, "%s\n", strbuf_str(&line));
    strbuf_free(&line);
    strbuf_free(&text);
}

int usage_error(const struct options *o, const char *format, ...)
{
    struct strbuf text = STRBUF_INIT;
    va_list ap;
    va_start(ap, format);
    strbuf_addv(&text, format, ap);
    va_end(ap);
    fprintf(stderr, USAGE "%s", o->command->usage);
    report_error("%s", strbuf_str(&text));
    strbuf_free(&text);
    return EX_USAGE;
}

int print_more(struct span text)
{
    if (text.n == 0 || fwrite(text.p, 1, text.n, stdout) == text.n)
        return EX_OK;
    report_error("standard output: %s", strerror(errno));
    return EX_OSERR;
}

int print_and_free(struct strbuf *text, int status)
{
    int printed = print_more(strbuf_span(text));
    strbuf_free(text);
    if (printed == EX_OK && fflush(stdout) != 0) {
        report_error("standard output: %s", strerror(errno));
        printed = EX_OSERR;
    }
    return printed == EX_OK ? status : printed;
}

/* ---- colours ---- */

/* True if standard output is a terminal with colours, and NO_COLOR is unset or empty. */
static bool has_colours(void)
{
    const char *no_color = getenv("NO_COLOR");
    const char *term = getenv("TERM");
    return (no_color == NULL || *no_color == '\0') && term != NULL && *term != '\0' &&
           strcmp(term, "dumb") != 0 && isatty(STDOUT_FILENO);
}

/* Returns the number of the colour of a line (ECMA-48, 8.3.117), or NULL. */
static const char *find_colour(struct span line)
{
    static const char *const marks[][2] = {
        {"+ ", "32"},  {"- ", "31"},        {"  + ", "32"},     {"  - ", "31"},
        {"  = ", "2"}, {"  error: ", "31"}, {"  note: ", "33"}, {"list: ", "1"},
    };
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++)
        if (span_starts_nocase(line, span_cstr(marks[i][0])))
            return marks[i][1];
    return NULL;
}

int print_marked_and_free(struct strbuf *lines)
{
    struct strbuf shown = STRBUF_INIT;
    struct span rest = strbuf_span(lines);
    if (!has_colours())
        return print_and_free(lines, EX_OK);
    while (rest.n > 0) {
        struct span line = span_sub(rest, 0, span_find(rest, '\n'));
        const char *colour = find_colour(line);
        rest = span_sub(rest, line.n + 1, rest.n);
        if (colour != NULL)
            strbuf_addf(&shown, "\033[%sm", colour);
        strbuf_add_span(&shown, line);
        strbuf_add_str(&shown, colour != NULL ? "\033[0m\n" : "\n");
    }
    strbuf_free(lines);
    return print_and_free(&shown, EX_OK);
}

/* ---- quotation ---- */

/* Appends s with a backslash before each of `special`. */
static void add_with_escapes(struct strbuf *out, struct span s, const char *special)
{
    while (s.n > 0) {
        struct span character;
        bool is_visible = visible_next(&s, &character);
        char c = character.p[0];
        if (strchr(special, c) != NULL && c != '\0' && (c != '$' || (s.n > 0 && s.p[0] == '{')))
            strbuf_add_char(out, '\\');
        if (is_visible)
            strbuf_add_span(out, character);
        else
            for (size_t i = 0; i < character.n; i++)
                strbuf_addf(out, "\\x%02X", (unsigned)(unsigned char)character.p[i]);
    }
}

void add_quoted(struct strbuf *out, struct span s)
{
    strbuf_add_char(out, '"');
    add_with_escapes(out, s, "\"\\$");
    strbuf_add_char(out, '"');
}

void add_escaped(struct strbuf *out, struct span s)
{
    size_t plain = 0;
    while (plain < s.n && s.p[plain] >= ' ' && s.p[plain] <= '~' && s.p[plain] != '\\')
        plain++;
    strbuf_add(out, s.p, plain);
    add_with_escapes(out, span_sub(s, plain, s.n), "\\");
}

/* ---- inputs ---- */

int open_input(const char *path, const char **name)
{
    bool is_standard = path == NULL || strcmp(path, "-") == 0;
    int fd = is_standard ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_NOCTTY | O_CLOEXEC);
    *name = is_standard ? "standard input" : path;
    if (fd < 0)
        report_error("%s: %s", *name, strerror(errno));
    else if (is_standard && isatty(fd))
        report_error("reading the message from the terminal; Ctrl-D ends it");
    return fd;
}

int read_input(const char *path, struct strbuf *out)
{
    char block[65536];
    const char *name;
    ssize_t n = -1;
    int fd = open_input(path, &name);
    if (fd < 0)
        return EX_OSERR;
    while ((n = read(fd, block, sizeof block)) > 0)
        strbuf_add(out, block, (size_t)n);
    if (n < 0)
        report_error("%s: %s", name, strerror(errno));
    close(fd);
    return n < 0 ? EX_OSERR : EX_OK;
}
