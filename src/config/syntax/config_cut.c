/* config_cut - the lists stay in one copy of the text, everything else in the other. */
#include "config/syntax/config_cut.h"

#include "config/syntax/config_lex.h"

#include <stdlib.h>
#include <string.h>

/* The octets of text without the blanks and line ends behind it: when all lists stand at the end of
 * a main file, there is little else. */
static size_t trimmed_length(const char *text, size_t length)
{
    while (length > 0 && (text[length - 1] == ' ' || text[length - 1] == '\n'))
        length--;
    return length;
}

int config_cut(struct config_scan *scan, enum config_scan_kind kind, const struct list_place *lists)
{
    if (kind == SCAN_MAIN_FILE) {
        scan->rest = malloc(scan->length + 1);
        if (scan->rest == NULL)
            return -1;
        memcpy(scan->rest, scan->lists, scan->length);
    }
    size_t at = 0;
    for (size_t i = 0; i < scan->list_lines.count; i++) {
        config_blank(scan->lists + at, scan->lists + lists[i].begin);
        at = lists[i].end;
        if (scan->rest != NULL)
            config_blank(scan->rest + lists[i].begin, scan->rest + at);
    }
    config_blank(scan->lists + at, scan->lists + scan->length);
    if (scan->rest != NULL)
        scan->rest_length = trimmed_length(scan->rest, scan->length);
    return 0;
}
