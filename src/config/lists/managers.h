/*
 * managers - what `manager = "..."` stands for
 *
 * Each list manager has addresses of its own around a list's address.  A preset
 * is a section with them, like `defaults`, and counts after it (RULINGS 90).
 */
#ifndef MLMILTER_CONFIG_LISTS_MANAGERS_H
#define MLMILTER_CONFIG_LISTS_MANAGERS_H

#include "config/lists/texts.h"
#include "config/syntax/raw_section.h"

/* In the order of the key's words in config/syntax/schema.c. */
enum manager {
    MANAGER_MAILMAN3,
    MANAGER_MAILMAN2,
    MANAGER_MLMMJ,
    MANAGER_SYMPA,
    MANAGER_EZMLM,
    MANAGER_MAJORDOMO,
    MANAGER_COUNT
};

struct preset {
    enum manager manager;
    struct raw_section section; /* file and lines are none: nobody wrote it */
    struct config_texts texts[KEY_COUNT];
};

struct list_draft;

/* Finds the preset of the list, which must have its texts compiled; says what excludes one.
 * Before any value of the list is read but the address. */
void draft_manager(struct list_draft *draft);

#endif
