/* tool - see tool.h */
#include "ctl/tool.h"

#include "system/monotonic.h"
#include "text/visible.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PROGRESS_PAUSE 250 /* ms */

static int progress_width;      /* of the line that is shown; 0: none */
static int64_t progress_change; /* monotonic_now() when it was shown; 0: progress has not begun */

void hide_progress(void)
{
    if (progress_width > 0) /* without an escape sequence, as any terminal does */
        fprintf(stderr, "\r%*s\r", progress_width, "");
    progress_width = 0;
}

void show_progress(const char *format, ...)
{
    int64_t now = monotonic_now();
    va_list ap;
    if (progress_change == 0)
        progress_change = now;
    if (now - progress_change < PROGRESS_PAUSE || !isatty(STDERR_FILENO))
        return;
    hide_progress();
    va_start(ap, format);
    progress_width = vfprintf(stderr, format, ap);
    va_end(ap);
    progress_change = now;
}

static __attribute__((format(printf, 1, 0))) void report(const char *format, va_list ap)
{
    struct strbuf text = STRBUF_INIT, line = STRBUF_INIT;
    strbuf_addv(&text, format, ap);
    visible_add(&line, strbuf_span(&text));
    hide_progress();
    fprintf(stderr, "mlmilterctl: %s\n", strbuf_str(&line));
    strbuf_free(&line);
    strbuf_free(&text);
}

void report_error(const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    report(format, ap);
    va_end(ap);
}

int usage_error(const struct options *o, const char *format, ...)
{
    va_list ap;
    fprintf(stderr, USAGE "%s", o->command->usage);
    va_start(ap, format);
    report(format, ap);
    va_end(ap);
    return EX_USAGE;
}

/* Ends the program if standard output could not be written. */
static void check_output(bool is_written)
{
    if (is_written)
        return;
    report_error("standard output: %s", strerror(errno));
    exit(EX_OSERR);
}

void print_more(struct span text)
{
    if (progress_width > 0 && isatty(STDOUT_FILENO))
        hide_progress();
    check_output(text.n == 0 || fwrite(text.p, 1, text.n, stdout) == text.n);
}

int print_and_free(struct strbuf *text, int status)
{
    print_more(strbuf_span(text));
    strbuf_free(text);
    check_output(fflush(stdout) == 0);
    return status;
}

void add_rendered(struct strbuf *out, struct span text, const char *rendition)
{
    const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
    bool has_colours = (no_color == NULL || *no_color == '\0') && term != NULL && *term != '\0' &&
                       strcmp(term, "dumb") != 0 && isatty(STDOUT_FILENO);
    if (has_colours)
        strbuf_addf(out, "\033[%sm", rendition);
    strbuf_add_span(out, text);
    strbuf_add_str(out, has_colours ? "\033[0m" : "");
}

void add_escaped(struct strbuf *out, struct span s, const char *special)
{
    while (s.n > 0) {
        struct span character;
        bool is_visible = visible_next(&s, &character);
        char c = character.p[0];
        if (is_visible && strchr(special, c) != NULL && (c != '$' || (s.n > 0 && s.p[0] == '{')))
            strbuf_add_char(out, '\\');
        if (is_visible)
            strbuf_add_span(out, character);
        else
            for (size_t i = 0; i < character.n; i++)
                strbuf_addf(out, "\\x%02X", (unsigned)(unsigned char)character.p[i]);
    }
}

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
