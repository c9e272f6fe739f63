/*
 * scan - one pass over the bytes of a configuration file: the grammar of mlmilter.conf(5)
 *
 *   file      = *statement
 *   statement = name "=" ( text / "{" [ text *( "," text ) [ "," ] ] "}" )
 *             / name [ text ] "{" *statement "}"
 *
 * It knows quotes, braces, comments and lines, but no keys.
 */
#ifndef MLMILTER_CONFIG_READ_SCAN_H
#define MLMILTER_CONFIG_READ_SCAN_H

#include "config/read/remarks.h"
#include "text/span.h"

#include <stdbool.h>
#include <stddef.h>

/* All spans are in the text that is scanned, or empty. */

/* The first error. */
struct scan_fault {
    enum remark remark; /* REMARK_NONE: none */
    int line;
    struct span section; /* the name of the section that the key is in, or empty */
    struct span key;
    struct span text;             /* the text or name that is wrong, or that belongs to the key */
    struct span sign;             /* the sign that is wrong, or a second text */
    struct span words_key, words; /* a value without quotes, and the words after it on its line */
    struct span whole; /* a value without quotes, with the commas or braces in it, or empty */
    int first_line;    /* where the section or the braces begin that are still open; 0: none are */
};

enum scan_kind {
    SCAN_TEXT,       /* name = text */
    SCAN_FIRST_TEXT, /* name = { text */
    SCAN_NEXT_TEXT,
    SCAN_NO_TEXT, /* name = {} */
    SCAN_SECTION, /* name { or name text { */
    SCAN_END      /* of a section */
};

/* A part of a statement whose form is right. */
struct scan_item {
    enum scan_kind kind;
    struct span section, name;
    struct span text; /* or the title, with its quotes; p is NULL: none */
    int name_line, line;
};

/* Takes an item. Returns what is wrong with it, or REMARK_NONE. The first that is wrong is the
 * fault of the scan, which goes on. */
typedef enum remark scan_take(const struct scan_item *item, void *of_caller);

struct scan {
    scan_take *take;
    void *of_caller;
    bool is_whole; /* no error but of an item: all statements are known */
    struct scan_fault fault;
    struct scan_fault
        cut; /* the first word (text) that a "#" follows at once, which may be meant */
};

/* After an error of the grammar, the rest is not scanned. */
void scan_text(struct scan *scan, struct span text);

#endif
