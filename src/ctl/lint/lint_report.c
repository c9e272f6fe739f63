/* lint_report - see lint_report.h */
#include "ctl/lint/lint_report.h"

#include "ctl/colour.h"
#include "text/json.h"
#include "text/visible.h"

#include <inttypes.h>

void lint_report_level(enum lint_level level, enum lint_form form, struct strbuf *out)
{
    static const enum colour colours[LINT_LEVEL_COUNT] = {COLOUR_RED, COLOUR_YELLOW, COLOUR_DIM};
    colour_add(out, form == LINT_COLOURED, colours[level], span_cstr(lint_level_text(level)));
}

/* Bytes of a field that a finding shows at most. */
#define SHOWN_MAX 200

static void add_line(const struct lint_finding *finding, struct span text, struct span file,
                     uint64_t line, enum lint_form form, struct strbuf *out)
{
    const struct lint_rule_text *rule = &lint_rules[finding->rule];
    visible_add(out, file);
    if (line > 0)
        strbuf_addf(out, ":%" PRIu64, line);
    strbuf_add_str(out, ": ");
    lint_report_level(rule->level, form, out);
    strbuf_addf(out, ": %s ",
                finding->field == FIELD_OTHER ? "the header" : field_name_text(finding->field));
    visible_add(out, text);
    strbuf_addf(out, " [%s, %s]; instead: %s", lint_clause(finding), rule->name, rule->instead);
    if (rule->cure != NULL)
        strbuf_addf(out, "; cured by %s", rule->cure);
    strbuf_add_char(out, '\n');
}

static void add_object(const struct lint_finding *finding, struct span text, struct span file,
                       uint64_t line, struct strbuf *out)
{
    const struct lint_rule_text *rule = &lint_rules[finding->rule];
    strbuf_add_char(out, '{');
    json_add_text(out, "op", span_cstr("finding"));
    json_add_text(out, "file", file);
    if (line > 0)
        json_add_number(out, "line", line);
    json_add_text(out, "level", span_cstr(lint_level_text(rule->level)));
    json_add_text(out, "finding", span_cstr(rule->name));
    if (finding->field != FIELD_OTHER)
        json_add_text(out, "field", span_cstr(field_name_text(finding->field)));
    json_add_text(out, "clause", span_cstr(lint_clause(finding)));
    json_add_text(out, "text", text);
    json_add_text(out, "instead", span_cstr(rule->instead));
    if (rule->cure != NULL)
        json_add_text(out, "cured_by", span_cstr(rule->cure));
    strbuf_add_str(out, "}\n");
}

static uint64_t count_lines(struct span text)
{
    uint64_t lines = 0;
    for (; text.n > 0; lines++)
        text = span_sub(text, span_find(text, '\n') + 1, text.n);
    return lines;
}

void lint_report(const struct lint *lint, const struct archive_message *at, const struct message *m,
                 enum lint_form form, struct strbuf *out)
{
    struct strbuf text = STRBUF_INIT;
    uint64_t line = at->line;
    size_t place = 0;
    for (size_t i = 0; i < lint->count; i++) {
        const struct lint_finding *finding = &lint->findings[i];
        bool is_missing = finding->place == LINT_NO_PLACE;
        while (!is_missing && place < finding->place)
            line += count_lines(m->fields[place++].lines);
        strbuf_reset(&text);
        strbuf_add_str(&text, lint_rules[finding->rule].text);
        if (finding->shown.n > 0) {
            strbuf_add_str(&text, " (");
            strbuf_add_span(&text, span_sub(finding->shown, 0, SHOWN_MAX));
            strbuf_add_char(&text, ')');
        }
        if (form == LINT_JSON)
            add_object(finding, strbuf_span(&text), at->file, is_missing ? 0 : line, out);
        else
            add_line(finding, strbuf_span(&text), at->file, is_missing ? 0 : line, form, out);
    }
    strbuf_free(&text);
}
