/*
 * main_keys - the keys of the main file that are about the daemon, and its tokens
 */
#ifndef MLMILTER_CONFIG_MAIN_KEYS_H
#define MLMILTER_CONFIG_MAIN_KEYS_H

#include "config/read/key_file.h"
#include "config/read/section.h"
#include "config/settings.h"
#include "config/store_kinds.h"

/* Fills the settings from the keys outside of all sections, and from the built-in values. Reads the
 * keys of token_key_file. ask may be NULL. */
void main_keys_apply(const struct section *top, enum key_reading keys, store_fault_ask *ask,
                     struct settings *settings, struct diagnostics *diagnostics);

/* Adds the tokens of the sections `token` among these (SU-24, SU-25, RULINGS 48). One that is wrong
 * is added too, so that no list that uses it is reported. */
void tokens_apply(const struct section *sections, size_t count, struct settings *settings,
                  struct diagnostics *diagnostics);

#endif
