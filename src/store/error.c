/* error - see database.h */
#include "store/database.h"

#include "text/ascii.h"

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
    /* Texts of libraries contain line ends. */
    n = strlen(error->text);
    for (size_t i = 0; i < n; i++)
        if (ascii_is_control(error->text[i]))
            error->text[i] = ' ';
    while (n > 0 && error->text[n - 1] == ' ')
        error->text[--n] = '\0';
    return -1;
}
