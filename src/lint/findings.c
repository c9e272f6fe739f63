/* findings - see findings.h */
#include "lint/findings.h"

#include "text/array.h"
#include "text/strbuf.h"

#include <stdarg.h>
#include <stdlib.h>

void lint_findings_init(struct lint_findings *findings)
{
    *findings = (struct lint_findings){.wants_texts = true};
    arena_init(&findings->arena, 0);
}

void lint_findings_free(struct lint_findings *findings)
{
    arena_free(&findings->arena);
    free(findings->items);
    lint_findings_init(findings);
}

void lint_findings_reset(struct lint_findings *findings)
{
    arena_reset(&findings->arena);
    findings->count = 0;
    findings->last_is_kept = false;
    findings->out_of_memory = false;
}

static const char *clause_of(enum lint_rule rule, enum field_name field)
{
    const struct owned_field *owned = owned_field_find(field);
    if (lint_rules[rule].clause != NULL || owned == NULL)
        return lint_rules[rule].clause;
    return rule == LINT_COPIES ? owned->single_clause : owned->form_clause;
}

static const char *make_text(struct lint_findings *findings, const char *format, va_list ap)
{
    struct strbuf text = STRBUF_INIT;
    const char *kept;
    if (!findings->wants_texts)
        return "";
    strbuf_addv(&text, format, ap);
    kept = strbuf_keep(&text, &findings->arena);
    findings->out_of_memory = findings->out_of_memory || kept == NULL;
    return kept;
}

/* How often a rule was found in the field that is being looked at. */
static size_t repeats(const struct lint_findings *findings, enum lint_rule rule, size_t place)
{
    size_t count = 0;
    for (size_t i = findings->count; i > 0 && findings->items[i - 1].place == place; i--)
        count += findings->items[i - 1].rule == rule;
    return count;
}

void lint_find(struct lint_findings *findings, enum lint_rule rule, enum field_name field,
               size_t place, const char *format, ...)
{
    struct lint_finding finding = {.rule = rule,
                                   .field = field,
                                   .place = place,
                                   .number = findings->count,
                                   .instead = lint_rules[rule].instead};
    va_list ap;
    findings->last_is_kept = false;
    if (place != LINT_NO_PLACE && repeats(findings, rule, place) >= LINT_REPEATS)
        return;
    if (findings->count == findings->capacity) {
        struct lint_finding *larger =
            array_grow(findings->items, findings->count, &findings->capacity, sizeof finding);
        if (larger == NULL) {
            findings->out_of_memory = true;
            return;
        }
        findings->items = larger;
    }
    finding.clause = clause_of(rule, field);
    va_start(ap, format);
    finding.text = make_text(findings, format, ap);
    va_end(ap);
    findings->items[findings->count++] = finding;
    findings->last_is_kept = true;
}

void lint_cite(struct lint_findings *findings, const char *clause)
{
    if (findings->last_is_kept)
        findings->items[findings->count - 1].clause = clause;
}

void lint_instead(struct lint_findings *findings, const char *format, ...)
{
    va_list ap;
    if (!findings->last_is_kept)
        return;
    va_start(ap, format);
    findings->items[findings->count - 1].instead = make_text(findings, format, ap);
    va_end(ap);
}

static int by_place(const void *a, const void *b)
{
    const struct lint_finding *left = a, *right = b;
    if (left->place != right->place)
        return left->place < right->place ? -1 : 1;
    return left->number < right->number ? -1 : 1;
}

void lint_findings_sort(struct lint_findings *findings)
{
    if (findings->count > 1)
        qsort(findings->items, findings->count, sizeof *findings->items, by_place);
}

size_t lint_line(struct lint_lines *at, const struct lint_finding *finding, const struct message *m)
{
    if (finding->place > m->field_count)
        return 0;
    for (; at->place < finding->place; at->place++)
        for (struct span rest = m->fields[at->place].lines; rest.n > 0; at->line++)
            rest = span_sub(rest, span_find(rest, '\n') + 1, rest.n);
    return at->line;
}
