/*
 * value_lines - the line of each value of a section that is being read
 *
 * libConfuse knows the place of the parser only, so the line of a value is noted
 * when it has just been read.
 */
#ifndef MLMILTER_CONFIG_SYNTAX_VALUE_LINES_H
#define MLMILTER_CONFIG_SYNTAX_VALUE_LINES_H

#include "config/syntax/raw_section.h"

#include <stddef.h>

struct value_line;

struct value_lines {
    struct value_line *lines;
    size_t count;
    size_t capacity;
    unsigned seen[KEY_COUNT]; /* values so far, by key */
};

/* All zero is a good start. */
void value_lines_free(struct value_lines *lines);

/* Forgets the section, keeps the memory. */
void value_lines_reset(struct value_lines *lines);

/* Notes that the key has so many values now, the last of which stands in this line. Nothing happens
 * if the number is no new one. 0 or -1 (memory). */
int value_lines_note(struct value_lines *lines, enum key key, unsigned count, int line);

/* Writes the lines into the items of the values; items[key] (may be NULL) has room for as many as
 * were noted. */
void value_lines_assign(const struct value_lines *lines, struct raw_item *items[KEY_COUNT]);

#endif
