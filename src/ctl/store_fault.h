/*
 * store_fault - what those who only look at a store should know
 */
#ifndef MLMILTER_CTL_STORE_FAULT_H
#define MLMILTER_CTL_STORE_FAULT_H

#include "config/settings.h"
#include "text/strbuf.h"

#include <stdbool.h>

/* Of a store in a file that this user could neither write nor make: appends why, and returns true.
 * A file that is not there is like an empty store, and so the look itself finds no fault. */
bool store_is_unwritable(const struct settings *settings, struct strbuf *why);

#endif
