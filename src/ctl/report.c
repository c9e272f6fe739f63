/* Results and trouble: see report.h. */
#include "ctl/report.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sysexits.h>

void report_error(const char *format, ...)
{
    va_list ap;

    fputs("mlmilterctl: ", stderr);
    va_start(ap, format);
    vfprintf(stderr, format, ap);
    va_end(ap);
    fputc('\n', stderr);
}

int report_no_memory(void)
{
    report_error("out of memory");
    return EX_OSERR;
}

/* Where a signal can interrupt us, whoever catches it knows what to say. */
static int say_output_error(void)
{
    if (errno != EINTR)
        report_error("standard output: %s", strerror(errno));
    return EX_OSERR;
}

int write_output(struct span text)
{
    if ((text.n == 0 || fwrite(text.p, 1, text.n, stdout) == text.n) && fflush(stdout) == 0)
        return EX_OK;
    return say_output_error();
}

int write_more(struct span text)
{
    return fwrite(text.p, 1, text.n, stdout) == text.n ? EX_OK : say_output_error();
}

bool output_failed(void)
{
    return ferror(stdout) != 0;
}
