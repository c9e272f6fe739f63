/* timeouts - see timeouts.h; with -DTIMEOUT_DIVISOR the table of the tests */
#include "system/timeouts.h"

#ifndef TIMEOUT_DIVISOR
#define TIMEOUT_DIVISOR 1
#endif

/* Never 0, which means no limit to some functions. */
#define PART(name, milliseconds)  .name = ((milliseconds) + TIMEOUT_DIVISOR - 1) / TIMEOUT_DIVISOR,
#define WHOLE(name, milliseconds) .name = (milliseconds),

const struct timeouts timeouts = {TIMEOUTS(PART, WHOLE)};
