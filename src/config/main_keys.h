/*
 * main_keys - the keys of the main file that are about the daemon
 */
#ifndef MLMILTER_CONFIG_MAIN_KEYS_H
#define MLMILTER_CONFIG_MAIN_KEYS_H

#include "config/files/key_file.h"
#include "config/report/diagnostics.h"
#include "config/settings.h"
#include "config/syntax/raw_section.h"

/* Checks the value of `store` for its database, on a floor above: returns NULL, or the error as a
 * phrase. */
typedef const char *store_fault_ask(struct span store);

/* Fills the settings from the main file's values, which have been checked with raw_section_check,
 * and from the built-in defaults. Texts are copied, the keys of token_key_file read; ask may be
 * NULL. */
void main_keys_apply(const struct raw_section *raw, enum key_reading keys, store_fault_ask *ask,
                     struct settings *settings, struct diagnostics *diagnostics);

/* The values of a key of the main file: its own or, in *room, the built-in ones. */
#define BUILT_IN_VALUES 4
struct raw_value main_key_value(const struct raw_section *raw, enum key key,
                                struct raw_item room[BUILT_IN_VALUES]);

#endif
