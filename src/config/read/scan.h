/*
 * scan - one pass over the bytes of a configuration file: the grammar of mlmilter.conf(5)
 *
 *   file      = *statement
 *   statement = name "=" ( text / "{" [ text *( "," text ) [ "," ] ] "}" )
 *             / name [ text ] "{" *statement "}"
 *
 * libConfuse (3.3) counts two lines for a comment, takes no comment between values, expands
 * "${NAME}" from the environment, drops bytes that it does not know, and says little of an error.
 * The scan cures or refuses all that.  It knows quotes, braces, comments and lines, but no keys.
 */
#ifndef MLMILTER_CONFIG_READ_SCAN_H
#define MLMILTER_CONFIG_READ_SCAN_H

#include "config/read/remarks.h"
#include "text/span.h"

#include <stdbool.h>
#include <stddef.h>

/* The word that the scan writes for KEY = {}: libConfuse calls back for words only. */
#define NO_VALUES '\001'

/* A statement outside of all sections begins with this word. */
struct statement {
    struct span name; /* in the text */
    int line;
    unsigned text; /* the number of the text that it is in, from 0 */
};

/* The first error. The spans are in the text, or empty. */
struct scan_fault {
    enum remark remark; /* REMARK_NONE: none */
    int line;
    struct span key;
    struct span text;             /* the text or name that is wrong, or that belongs to the key */
    struct span sign;             /* the sign that is wrong, or a second text */
    struct span words_key, words; /* a value without quotes, and the words after it on its line */
    struct span whole; /* a value without quotes, with the commas or braces in it, or empty */
    const char *begin; /* of the statement, or NULL: it is in no statement */
    size_t open;       /* as in struct scan */
    int first_line;    /* where the section or the braces begin that are still open; 0: none are */
};

enum use_shape { USE_TEXT, USE_TEXTS, USE_SECTION };

/* A statement whose form is right, up to its value or its "{". */
struct use {
    enum use_shape shape;
    struct span name, text; /* the text: title, or first text of the value; p is NULL: none */
};

struct scan;

/* Returns what is wrong with a statement, or REMARK_NONE. It is not called after an error. */
typedef enum remark use_judge(const struct scan *scan, const struct use *use);

/* Found in texts that follow each other, with a line end between them. */
struct scan {
    use_judge *judge;             /* or NULL */
    struct statement *statements; /* for the caller to free */
    size_t count, capacity;
    unsigned texts; /* scanned so far */
    int lines;      /* of these texts */
    size_t open;    /* the statement, from 1, in whose section the scan is, or 0 */
    bool is_whole;  /* no error but the judge's: all statements are known */
    struct scan_fault fault;
    struct scan_fault
        cut; /* the first word (whole) that a "#" follows at once, which may be meant */
};

/* Scans the next text, which a line end or a NUL follows. Makes comments blank, and the "{}" of a
 * value NO_VALUES. After an error of the grammar, the rest is not scanned. */
void scan_text(struct scan *scan, char *text, size_t length);

#endif
