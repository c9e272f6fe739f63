/* all_stores - for builds without SQLite: tests of the configuration name a store, and none opens
 * it */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#define HAVE_SQLITE 1
#undef HAVE_CONFIG_H
#include "../../src/config/store_kinds.c"
