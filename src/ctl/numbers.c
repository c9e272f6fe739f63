/* Digits and nothing else: see numbers.h. */
#include "ctl/numbers.h"

#include "text/ascii.h"

bool number_parse(const char *text, uint64_t most, uint64_t *number)
{
    uint64_t n = 0;

    if (*text == '\0')
        return false;
    for (; *text != '\0'; text++) {
        if (!ascii_is_digit(*text))
            return false;
        n = n * 10 + (uint64_t)(*text - '0');
        if (n > most || n > STORE_NUMBER_MAX)
            return false;
    }
    *number = n;
    return true;
}
