/* value_lines - a growing table of pairs, in the order of the file. */
#include "config/syntax/value_lines.h"

#include <stdlib.h>
#include <string.h>

struct value_line {
    enum key key;
    int line;
};

void value_lines_free(struct value_lines *lines)
{
    free(lines->lines);
    lines->lines = NULL;
}

void value_lines_reset(struct value_lines *lines)
{
    lines->count = 0;
    memset(lines->seen, 0, sizeof lines->seen);
}

int value_lines_note(struct value_lines *lines, enum key key, unsigned count, int line)
{
    if (count <= lines->seen[key])
        return 0;
    lines->seen[key] = count;
    if (lines->count == lines->capacity) {
        size_t capacity = lines->capacity == 0 ? 64 : lines->capacity * 2;
        struct value_line *larger = realloc(lines->lines, capacity * sizeof *larger);
        if (larger == NULL)
            return -1;
        lines->lines = larger;
        lines->capacity = capacity;
    }
    lines->lines[lines->count++] = (struct value_line){key, line};
    return 0;
}

void value_lines_assign(const struct value_lines *lines, struct raw_item *items[KEY_COUNT])
{
    struct raw_item *next[KEY_COUNT];
    memcpy(next, items, sizeof next);
    for (size_t i = 0; i < lines->count; i++)
        if (next[lines->lines[i].key] != NULL)
            next[lines->lines[i].key]++->line = lines->lines[i].line;
}
