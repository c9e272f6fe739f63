/* number - see number.h */
#include "text/number.h"

#include "text/ascii.h"

bool number_parse(struct span text, uint64_t most, uint64_t *number)
{
    uint64_t value = 0;
    for (size_t i = 0; i < text.n; i++) {
        uint64_t digit = (uint64_t)(text.p[i] - '0');
        if (!ascii_is_digit(text.p[i]) || digit > most || value > (most - digit) / 10)
            return false;
        value = value * 10 + digit;
    }
    if (text.n > 0)
        *number = value;
    return text.n > 0;
}
