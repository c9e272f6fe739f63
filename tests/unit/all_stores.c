/* all_stores - for builds without SQLite: tests of the configuration name a store, and none opens
 * it */
#define HAVE_SQLITE 1
#include "../../src/config/store_kinds.c"
