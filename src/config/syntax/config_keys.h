/*
 * config_keys - may a key or section stand where it does? (for config_scan)
 *
 * Known, in the right place, of the right form, and not there before.
 */
#ifndef MLMILTER_CONFIG_SYNTAX_CONFIG_KEYS_H
#define MLMILTER_CONFIG_SYNTAX_CONFIG_KEYS_H

#include "config/report/diagnostics.h"
#include "config/syntax/config_scan.h"
#include "config/syntax/schema.h"
#include "text/span.h"

#include <stdbool.h>
#include <stdint.h>

/* Of one file. */
struct config_keys {
    enum config_scan_kind kind;
    const char *file;
    struct diagnostics *diagnostics;
    int seen_main[KEY_COUNT];  /* line of the key's first appearance */
    int seen_inner[KEY_COUNT]; /* the same, in the section at hand */
    uint64_t list_keys;        /* see struct config_scan */
    bool has_main_keys;        /* the same */
};

/* Takes a key; braces: its value is a list. false: it cannot be taken, complained about. */
bool config_keys_take(struct config_keys *keys, enum key_section section, struct span name,
                      int line, bool braces);

/* Takes a section, whose keys come next; key is KEY_COUNT if it is not known. Returns the same. */
bool config_keys_take_section(struct config_keys *keys, enum key key, struct span name, int line,
                              bool has_title);

#endif
