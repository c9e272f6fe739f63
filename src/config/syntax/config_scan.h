/*
 * config_scan - the form of a configuration file, before libConfuse sees it
 *
 *   file       = *( assignment / section )
 *   section    = key [ title ] "{" *assignment "}"
 *   assignment = key "=" ( value / "{" [ value *( "," value ) ] [ "," ] "}" )
 *
 * Finds what libConfuse would report late, wrongly or never: see
 * config/syntax/config_lex.h; unknown, repeated and misplaced keys and sections, all of
 * them.  Takes the text apart in two, each with every line where it was: the
 * sections `list`, and everything else.
 */
#ifndef MLMILTER_CONFIG_SYNTAX_CONFIG_SCAN_H
#define MLMILTER_CONFIG_SYNTAX_CONFIG_SCAN_H

#include "config/report/diagnostics.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SCAN_KEY_BIT(key) (UINT64_C(1) << (key))

struct section_lines {
    int *lines; /* owned */
    size_t count;
    size_t capacity;
};

struct config_scan {
    char *lists;   /* the text given, all but the `list` sections blank */
    size_t length; /* octets of lists */
    char *rest;    /* owned: all but the lists; NULL for a list file */
    size_t rest_length;
    struct section_lines list_lines;    /* where each list section begins, in order */
    struct section_lines section_lines; /* the same of tokens and delegates, which are in rest */
    uint64_t list_keys; /* SCAN_KEY_BITs of all keys in `list` sections and in `defaults` */
    bool has_main_keys; /* a key of the main file, `defaults`, `token` or `delegate` stands there */
};

enum config_scan_kind { SCAN_MAIN_FILE, SCAN_LIST_FILE };

/* text is changed and borrowed. 0: libConfuse may read the result (errors that do not hinder it may
 * have been added to the diagnostics, what they are about is blank); 1: it must not; -1: out of
 * memory. The caller frees with config_scan_free in every case. */
int config_scan(struct config_scan *scan, enum config_scan_kind kind, const char *file, char *text,
                size_t length, struct diagnostics *diagnostics);

void config_scan_free(struct config_scan *scan);

#endif
