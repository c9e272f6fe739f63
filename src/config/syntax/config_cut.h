/*
 * config_cut - a scanned text in two: its `list` sections, and the rest of a main file
 */
#ifndef MLMILTER_CONFIG_SYNTAX_CONFIG_CUT_H
#define MLMILTER_CONFIG_SYNTAX_CONFIG_CUT_H

#include "config/syntax/config_scan.h"

#include <stddef.h>

/* The octets of a list section in the text. */
struct list_place {
    size_t begin, end;
};

/* Blanks all but the sections in scan->lists, and makes scan->rest of a main file; lines stay where
 * they were. There is a place for each of scan->list_lines. 0 or -1 (memory). */
int config_cut(struct config_scan *scan, enum config_scan_kind kind,
               const struct list_place *lists);

#endif
