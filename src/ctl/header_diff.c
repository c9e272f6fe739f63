/*
 * header_diff - see header_diff.h
 *
 * Edits delete and insert fields and move none, so that what is common to both is in one order, and
 * looking ahead finds it.  The plan is not asked: what is shown is what came out.
 */
#include "ctl/header_diff.h"

#include "mail/message.h"
#include "text/visible.h"

#include <stdbool.h>

static void add_lines(struct strbuf *out, const char *mark, struct span lines)
{
    while (lines.n > 0) {
        struct span line = span_sub(lines, 0, span_find(lines, '\n'));
        lines = span_sub(lines, line.n + 1, lines.n);
        if (line.n > 0 && line.p[line.n - 1] == '\r')
            line.n--;
        strbuf_add_str(out, mark);
        for (struct span tab; (tab.n = span_find(line, '\t')) < line.n;) {
            visible_add(out, span_sub(line, 0, tab.n));
            strbuf_add_char(out, ' ');
            line = span_sub(line, tab.n + 1, line.n);
        }
        visible_add(out, line);
        strbuf_add_char(out, '\n');
    }
}

/* Is the field one of those from `from` on? */
static bool comes_later(const struct message *m, size_t from, struct span lines)
{
    for (size_t i = from; i < m->field_count; i++)
        if (span_eq(m->fields[i].lines, lines))
            return true;
    return false;
}

static void add_fields(struct strbuf *out, const struct message *old, const struct message *new)
{
    size_t i = 0, k = 0;
    while (i < old->field_count || k < new->field_count) {
        struct span before = i < old->field_count ? old->fields[i].lines : span_of(NULL, 0);
        struct span after = k < new->field_count ? new->fields[k].lines : span_of(NULL, 0);
        if (before.n > 0 && after.n > 0 && span_eq(before, after)) {
            add_lines(out, "  ", before);
            i++;
            k++;
        } else if (after.n > 0 && (before.n == 0 || comes_later(new, k, before))) {
            add_lines(out, "+ ", after);
            k++;
        } else {
            add_lines(out, "- ", before);
            i++;
        }
    }
}

void header_diff_add(struct strbuf *out, struct span before, struct span after)
{
    struct message old, new;
    message_init(&old);
    message_init(&new);
    message_split(&old, before);
    message_split(&new, after);
    add_fields(out, &old, &new);
    message_free(&old);
    message_free(&new);
}
