/* lint_summary - see lint_summary.h */
#include "ctl/lint_summary.h"

#include "text/json.h"
#include "text/visible.h"

#include <inttypes.h>

/* Bytes of a field, or of a Message-ID, that are shown at most. */
#define SHOWN_MAX 200

/* ---- one message ---- */

static void add_line(const struct lint_finding *finding, struct span text, struct span file,
                     uint64_t line, struct strbuf *out)
{
    const struct lint_rule_text *rule = &lint_rules[finding->rule];
    visible_add(out, file);
    if (line > 0)
        strbuf_addf(out, ":%" PRIu64, line);
    strbuf_addf(out, ": %s: %s ", lint_level_text(rule->level),
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
                 bool json, struct strbuf *out)
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
        (json ? add_object : add_line)(finding, strbuf_span(&text), at->file, is_missing ? 0 : line,
                                       out);
    }
    strbuf_free(&text);
}

/* ---- an archive ---- */

void lint_summary_free(struct lint_summary *summary)
{
    for (size_t i = 0; i < LINT_RULE_COUNT; i++) {
        for (size_t k = 0; k < LINT_EXAMPLES; k++) {
            strbuf_free(&summary->rules[i].examples[k].file);
            strbuf_free(&summary->rules[i].examples[k].message_id);
        }
    }
}

void lint_summary_add(struct lint_summary *summary, const struct lint *lint,
                      const struct archive_message *at)
{
    enum lint_level worst = LINT_LEVEL_COUNT;
    summary->messages++;
    for (size_t i = 0; i < lint->count; i++) {
        const struct lint_finding *finding = &lint->findings[i];
        struct lint_counts *counts = &summary->rules[finding->rule];
        enum lint_level level = lint_rules[finding->rule].level;
        worst = level < worst ? level : worst;
        if (counts->findings++ == 0)
            counts->clause = lint_clause(finding);
        if (counts->last_message == summary->messages)
            continue;
        counts->last_message = summary->messages;
        if (counts->messages++ < LINT_EXAMPLES) {
            struct lint_example *example = &counts->examples[counts->messages - 1];
            strbuf_add_span(&example->file, at->file);
            strbuf_add_span(&example->message_id, span_sub(lint->id, 0, SHOWN_MAX));
            example->has_offset = at->has_offset;
            example->offset = at->offset;
            example->line = at->line;
        }
    }
    if (worst != LINT_LEVEL_COUNT)
        summary->with_level[worst]++;
}

static double share(const struct lint_summary *summary, uint64_t messages)
{
    return summary->messages == 0 ? 0 : 100.0 * (double)messages / (double)summary->messages;
}

static void add_rule(const struct lint_summary *summary, enum lint_rule number, struct strbuf *out)
{
    const struct lint_rule_text *rule = &lint_rules[number];
    const struct lint_counts *counts = &summary->rules[number];
    strbuf_addf(out, "%s: %s, %s [%s]: %" PRIu64 " message%s, %.1f %%",
                lint_level_text(rule->level), rule->name, rule->text, counts->clause,
                counts->messages, counts->messages == 1 ? "" : "s",
                share(summary, counts->messages));
    if (rule->cure != NULL)
        strbuf_addf(out, "; cured by %s", rule->cure);
    strbuf_add_char(out, '\n');
    for (size_t i = 0; i < LINT_EXAMPLES && i < counts->messages; i++) {
        const struct lint_example *example = &counts->examples[i];
        strbuf_add_str(out, "    ");
        visible_add(out, strbuf_span(&example->file));
        if (example->has_offset)
            strbuf_addf(out, ":%" PRIu64, example->line);
        strbuf_add_str(out, "  ");
        visible_add(out, strbuf_span(&example->message_id));
        strbuf_add_char(out, '\n');
    }
}

static void add_rule_object(const struct lint_summary *summary, enum lint_rule number,
                            struct strbuf *out)
{
    const struct lint_rule_text *rule = &lint_rules[number];
    const struct lint_counts *counts = &summary->rules[number];
    strbuf_add_char(out, '{');
    json_add_text(out, "op", span_cstr("count"));
    json_add_text(out, "level", span_cstr(lint_level_text(rule->level)));
    json_add_text(out, "finding", span_cstr(rule->name));
    json_add_text(out, "clause", span_cstr(counts->clause));
    json_add_text(out, "text", span_cstr(rule->text));
    json_add_number(out, "findings", counts->findings);
    json_add_number(out, "messages", counts->messages);
    strbuf_addf(out, ",\"share\":%.3f", share(summary, counts->messages));
    if (rule->cure != NULL)
        json_add_text(out, "cured_by", span_cstr(rule->cure));
    json_add_name(out, "examples");
    for (size_t i = 0; i < LINT_EXAMPLES && i < counts->messages; i++) {
        const struct lint_example *example = &counts->examples[i];
        strbuf_add_str(out, i > 0 ? ",{" : "[{");
        json_add_text(out, "file", strbuf_span(&example->file));
        if (example->has_offset) {
            json_add_number(out, "line", example->line);
            json_add_number(out, "offset", example->offset);
        }
        json_add_text(out, "message_id", strbuf_span(&example->message_id));
        strbuf_add_char(out, '}');
    }
    strbuf_add_str(out, "]}\n");
}

static void add_total(const struct lint_summary *summary, bool json, struct strbuf *out)
{
    const uint64_t *with = summary->with_level;
    if (json) {
        strbuf_add_char(out, '{');
        json_add_text(out, "op", span_cstr("summary"));
        json_add_number(out, "messages", summary->messages);
        json_add_number(out, "without_list_field", summary->without_fields);
        json_add_number(out, "with_error", with[LINT_ERROR]);
        json_add_number(out, "with_warning", with[LINT_WARNING]);
        json_add_number(out, "with_advice", with[LINT_ADVICE]);
        strbuf_add_str(out, "}\n");
        return;
    }
    strbuf_addf(out,
                "%" PRIu64 " message%s: %.1f %% with an error, %.1f %% at worst with a warning, "
                "%.1f %% with advice alone\n",
                summary->messages, summary->messages == 1 ? "" : "s",
                share(summary, with[LINT_ERROR]), share(summary, with[LINT_WARNING]),
                share(summary, with[LINT_ADVICE]));
    if (summary->without_fields > 0)
        strbuf_addf(out, "not judged: %" PRIu64 " without a list field (--all judges them)\n",
                    summary->without_fields);
}

/* Returns the most frequent rule of the level that was not written, or LINT_RULE_COUNT. */
static enum lint_rule next_rule(const struct lint_summary *summary, enum lint_level level,
                                const bool *written)
{
    enum lint_rule next = LINT_RULE_COUNT;
    for (enum lint_rule rule = 0; rule < LINT_RULE_COUNT; rule++) {
        uint64_t messages = summary->rules[rule].messages;
        if (messages > 0 && !written[rule] && lint_rules[rule].level == level &&
            (next == LINT_RULE_COUNT || messages > summary->rules[next].messages))
            next = rule;
    }
    return next;
}

void lint_summary_write(const struct lint_summary *summary, bool json, struct strbuf *out)
{
    bool written[LINT_RULE_COUNT] = {false};
    enum lint_rule rule;
    add_total(summary, json, out);
    for (enum lint_level level = 0; level < LINT_LEVEL_COUNT; level++) {
        while ((rule = next_rule(summary, level, written)) != LINT_RULE_COUNT) {
            written[rule] = true;
            (json ? add_rule_object : add_rule)(summary, rule, out);
        }
    }
}
