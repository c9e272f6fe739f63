/* long_timeouts - system/timeouts.h for tests of the store that wait for answers: a busy machine
 * only makes them slow */
#include "system/timeouts.h"

#define LONG(name, milliseconds) .name = 50 * (milliseconds),

const struct timeouts timeouts = {TIMEOUTS(LONG, LONG)};
