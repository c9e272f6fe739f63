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

static const char *field_text(const struct lint_finding *finding)
{
    return finding->field == FIELD_OTHER ? "the header" : field_name_text(finding->field);
}

static void add_line(const struct lint_finding *finding, struct span file, uint64_t line,
                     enum lint_form form, struct strbuf *out)
{
    const struct lint_rule_text *rule = &lint_rules[finding->rule];
    visible_add(out, file);
    if (line > 0)
        strbuf_addf(out, ":%" PRIu64, line);
    strbuf_add_str(out, ": ");
    lint_report_level(rule->level, form, out);
    strbuf_addf(out, ": %s ", field_text(finding));
    visible_add(out, span_cstr(finding->text));
    strbuf_addf(out, " [%s, %s]", finding->clause, rule->name);
    strbuf_add_str(out, "; instead: ");
    visible_add(out, span_cstr(finding->instead));
    if (rule->cure != NULL)
        strbuf_addf(out, "; cured by %s", rule->cure);
    strbuf_add_char(out, '\n');
}

static void add_object(const struct lint_finding *finding, struct span file, uint64_t line,
                       struct strbuf *out)
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
    json_add_text(out, "clause", span_cstr(finding->clause));
    json_add_text(out, "text", span_cstr(finding->text));
    json_add_text(out, "instead", span_cstr(finding->instead));
    if (rule->cure != NULL)
        json_add_text(out, "cured_by", span_cstr(rule->cure));
    strbuf_add_str(out, "}\n");
}

void lint_report(const struct lint_findings *findings, const struct archive_message *at,
                 const struct message *m, enum lint_form form, struct strbuf *out)
{
    struct lint_lines lines = {.place = 0, .line = 1};
    for (size_t i = 0; i < findings->count; i++) {
        const struct lint_finding *finding = &findings->items[i];
        uint64_t line = lint_line(&lines, finding, m);
        if (line > 0)
            line += at->line - 1;
        if (form == LINT_JSON)
            add_object(finding, at->file, line, out);
        else
            add_line(finding, at->file, line, form, out);
    }
}
