/* error - see error.h */
#include "store/error.h"

#include "text/ascii.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int store_fail(struct store_error *error, const char *format, ...)
{
    va_list ap;
    size_t n;
    va_start(ap, format);
    vsnprintf(error->text, sizeof error->text, format, ap);
    va_end(ap);
    /* Texts of libraries have line ends. */
    n = strlen(error->text);
    while (n > 0 && (ascii_is_control(error->text[n - 1]) || error->text[n - 1] == ' '))
        error->text[--n] = '\0';
    for (size_t i = 0; i < n; i++)
        if (ascii_is_control(error->text[i]))
            error->text[i] = ' ';
    return -1;
}

int store_fail_used_up(struct store_error *error, struct span list)
{
    return store_fail(error, "%.*s: the list has used up its numbers", (int)list.n, list.p);
}

int store_fail_floor(struct store_error *error, struct span list, uint64_t last, uint64_t floor)
{
    return store_fail(error,
                      "%.*s: its last number was %" PRIu64 " and is %" PRIu64
                      " now: did an older copy come in its place? (mlmilterctl sequence set)",
                      (int)list.n, list.p, floor, last);
}
