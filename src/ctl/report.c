/* Results and trouble: see report.h. */
#include "ctl/report.h"

#include "text/visible.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sysexits.h>

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

/* An interrupt is reported by the command that catches the signal. */
static int output_error(void)
{
    if (errno != EINTR)
        report_error("standard output: %s", strerror(errno));
    return EX_OSERR;
}

int write_output(struct span text)
{
    if ((text.n == 0 || fwrite(text.p, 1, text.n, stdout) == text.n) && fflush(stdout) == 0)
        return EX_OK;
    return output_error();
}

int write_and_free(struct strbuf *text)
{
    int status = write_output(strbuf_span(text));
    strbuf_free(text);
    return status;
}

int write_more(struct span text)
{
    return fwrite(text.p, 1, text.n, stdout) == text.n ? EX_OK : output_error();
}

bool output_failed(void)
{
    return ferror(stdout) != 0;
}
