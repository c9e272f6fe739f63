/* lint_summary - see lint_summary.h */
#include "ctl/lint/lint_summary.h"

#include "text/json.h"
#include "text/visible.h"

#include <inttypes.h>
#include <string.h>

/* Octets of a Message-ID that an example shows at most. */
#define ID_SHOWN 200

void lint_summary_init(struct lint_summary *summary)
{
    memset(summary, 0, sizeof *summary);
}

void lint_summary_free(struct lint_summary *summary)
{
    for (size_t i = 0; i < LINT_RULE_COUNT; i++) {
        for (size_t k = 0; k < LINT_EXAMPLES; k++) {
            strbuf_free(&summary->rules[i].examples[k].file);
            strbuf_free(&summary->rules[i].examples[k].message_id);
        }
    }
}

static void keep_example(struct lint_example *example, const struct lint *lint,
                         const struct archive_message *at)
{
    strbuf_add_span(&example->file, at->file);
    strbuf_add_span(&example->message_id, span_sub(lint->id, 0, ID_SHOWN));
    example->has_offset = at->has_offset;
    example->offset = at->offset;
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
        if (counts->messages++ < LINT_EXAMPLES)
            keep_example(&counts->examples[counts->messages - 1], lint, at);
    }
    if (worst != LINT_LEVEL_COUNT)
        summary->with_level[worst]++;
}

static double share(const struct lint_summary *summary, uint64_t messages)
{
    return summary->messages == 0 ? 0 : 100.0 * (double)messages / (double)summary->messages;
}

/* ---- text ------------------------------------------------------------------------------------ */

static void add_examples(const struct lint_counts *counts, struct strbuf *out)
{
    for (size_t i = 0; i < LINT_EXAMPLES && i < counts->messages; i++) {
        const struct lint_example *example = &counts->examples[i];
        strbuf_add_str(out, "    ");
        visible_add(out, strbuf_span(&example->file));
        if (example->has_offset)
            strbuf_addf(out, ":%" PRIu64, example->offset);
        strbuf_add_str(out, "  ");
        visible_add(out, strbuf_span(&example->message_id));
        strbuf_add_char(out, '\n');
    }
}

static void add_rule(const struct lint_summary *summary, enum lint_rule number, enum lint_form form,
                     struct strbuf *out)
{
    const struct lint_rule_text *rule = &lint_rules[number];
    const struct lint_counts *counts = &summary->rules[number];
    lint_report_level(rule->level, form, out);
    strbuf_addf(out, ": %s, %s [%s]: %" PRIu64 " message%s, %.1f %%", rule->name, rule->text,
                counts->clause, counts->messages, counts->messages == 1 ? "" : "s",
                share(summary, counts->messages));
    if (rule->cure != NULL)
        strbuf_addf(out, "; cured by %s", rule->cure);
    strbuf_add_char(out, '\n');
    add_examples(counts, out);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

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
    strbuf_add_char(out, '[');
    for (size_t i = 0; i < LINT_EXAMPLES && i < counts->messages; i++) {
        const struct lint_example *example = &counts->examples[i];
        strbuf_add_str(out, i > 0 ? ",{" : "{");
        json_add_text(out, "file", strbuf_span(&example->file));
        if (example->has_offset)
            json_add_number(out, "offset", example->offset);
        json_add_text(out, "message_id", strbuf_span(&example->message_id));
        strbuf_add_char(out, '}');
    }
    strbuf_add_str(out, "]}\n");
}

/* ---- both ------------------------------------------------------------------------------------ */

static void add_total(const struct lint_summary *summary, enum lint_form form, struct strbuf *out)
{
    const uint64_t *with = summary->with_level;
    if (form == LINT_JSON) {
        strbuf_add_char(out, '{');
        json_add_text(out, "op", span_cstr("summary"));
        json_add_number(out, "messages", summary->messages);
        json_add_number(out, "with_error", with[LINT_ERROR]);
        json_add_number(out, "with_warning", with[LINT_WARNING]);
        json_add_number(out, "with_advice", with[LINT_ADVICE]);
        strbuf_add_str(out, "}\n");
        return;
    }
    strbuf_addf(out,
                "%" PRIu64 " messages: %.1f %% with an error, %.1f %% at worst with a warning, "
                "%.1f %% with advice alone\n",
                summary->messages, share(summary, with[LINT_ERROR]),
                share(summary, with[LINT_WARNING]), share(summary, with[LINT_ADVICE]));
}

/* The most frequent rule of the level that was not written; LINT_RULE_COUNT: none is left. */
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

void lint_summary_write(const struct lint_summary *summary, enum lint_form form, struct strbuf *out)
{
    bool written[LINT_RULE_COUNT] = {false};
    enum lint_rule rule;
    add_total(summary, form, out);
    for (enum lint_level level = 0; level < LINT_LEVEL_COUNT; level++) {
        while ((rule = next_rule(summary, level, written)) != LINT_RULE_COUNT) {
            written[rule] = true;
            if (form == LINT_JSON)
                add_rule_object(summary, rule, out);
            else
                add_rule(summary, rule, form, out);
        }
    }
}
