/*
 * mlmilterctl lint: finds faults in the headers of delivered mail, clause by clause (RULINGS 93).
 *
 * A message gets a line for each finding; archives get one summary, whose size does not depend on
 * them.
 */
#include "lint/lint.h"
#include "ctl/archive.h"
#include "ctl/tool.h"
#include "mail/rfc5322.h"
#include "spec/iri.h"
#include "spec/owned_fields.h"
#include "text/json.h"
#include "text/visible.h"

#include <inttypes.h>
#include <string.h>

#define EXAMPLES  3   /* of a finding in the summary */
#define SHOWN_MAX 200 /* bytes of a field or a Message-ID */
#define COLUMNS   80
#define INDENT    4 /* of what is below a line of the summary */
#define COUNTS    ((size_t)LINT_RULE_COUNT * FIELD_NAME_COUNT)

/* One finding about one field in archives. */
struct finding_counts {
    uint64_t findings, messages; /* messages with at least one */
    uint64_t last;               /* number of the last of these messages */
    const char *clause;
    bool needs_sender;      /* one of these messages does */
    struct strbuf examples; /* places and Message-IDs as they are printed */
};

struct lint_run {
    bool json, all;
    struct lint lint;
    struct arena arena;
    struct message message;
    uint64_t judged, without_fields;           /* messages of archives; RULINGS 105 */
    uint64_t with_level[LINT_LEVEL_COUNT + 1]; /* messages whose worst finding is this, or none */
    struct finding_counts counts[COUNTS];      /* of each finding, the counts of each field */
    bool has_error;
    bool has_lone; /* a file that is one message was judged */
    /* About the archive that is being read: */
    uint64_t messages, no_messages; /* no_messages: without a field that mail has */
    bool is_cut;
};

/* ---- one message ---- */

/* Appends the level, on a terminal in its colour. */
static void add_level(struct strbuf *out, enum lint_level level)
{
    static const char *const colours[LINT_LEVEL_COUNT] = {"31", "33", "36"};
    add_rendered(out, span_cstr(lint_level_texts[level]), colours[level]);
}

/* Appends the part of a field that is wrong, with each TAB as "\t": a blank shows in brackets. */
static void add_shown(struct strbuf *text, struct span shown)
{
    bool is_cut = shown.n > SHOWN_MAX;
    shown = span_sub(shown, 0, SHOWN_MAX);
    strbuf_add_str(text, " (");
    for (size_t i = 0; i < shown.n; i++)
        strbuf_add(text, shown.p[i] == '\t' ? "\\t" : &shown.p[i], shown.p[i] == '\t' ? 2 : 1);
    strbuf_add_str(text, is_cut ? "...)" : ")");
}

static void add_finding(struct strbuf *out, const struct lint_run *run,
                        const struct lint_finding *f, struct span file, uint64_t line)
{
    const struct lint_rule_text *rule = &lint_rules[f->rule];
    const char *field = f->field == FIELD_OTHER ? NULL : field_name_text(f->field);
    struct strbuf text = STRBUF_INIT, cure = STRBUF_INIT;
    strbuf_add_str(&text, rule->text);
    if (f->shown.n > 0)
        add_shown(&text, f->shown);
    lint_add_cure(&cure, f->rule, f->field, run->lint.needs_sender);
    if (run->json) {
        strbuf_add_str(out, "{\"op\":\"finding\"");
        json_add_text(out, "file", file);
        if (line > 0)
            json_add_number(out, "line", line);
        json_add_text(out, "level", span_cstr(lint_level_texts[rule->level]));
        json_add_text(out, "name", span_cstr(rule->name));
        if (field != NULL)
            json_add_text(out, "field", span_cstr(field));
        json_add_text(out, "clause", span_cstr(f->clause));
        json_add_text(out, "text", strbuf_span(&text));
        json_add_text(out, "instead", span_cstr(rule->instead));
        if (cure.len > 0)
            json_add_text(out, "cured_by", strbuf_span(&cure));
    } else {
        visible_add(out, file);
        if (line > 0)
            strbuf_addf(out, ":%" PRIu64, line);
        strbuf_add_str(out, ": ");
        add_level(out, rule->level);
        strbuf_addf(out, ": %s ", field != NULL ? field : "the header");
        visible_add(out, strbuf_span(&text));
        strbuf_addf(out, " [%s, %s]; instead: %s", f->clause, rule->name, rule->instead);
        if (cure.len > 0)
            strbuf_addf(out, "; cured by %s", strbuf_str(&cure));
    }
    strbuf_add_str(out, run->json ? "}\n" : "\n");
    strbuf_free(&text);
    strbuf_free(&cure);
}

/* Writes a line for each finding. */
static void write_findings(struct lint_run *run, const struct archive_message *m)
{
    struct strbuf out = STRBUF_INIT;
    uint64_t line = m->line;
    size_t place = 0;
    for (size_t i = 0; i < run->lint.count; i++) {
        const struct lint_finding *f = &run->lint.findings[i];
        bool is_missing = f->place == LINT_NO_PLACE;
        for (; !is_missing && place < f->place; place++)
            for (struct span rest = run->message.fields[place].lines; rest.n > 0; line++)
                (void)span_take_line(&rest);
        add_finding(&out, run, f, m->file, is_missing ? 0 : line);
    }
    print_more(strbuf_span(&out));
    strbuf_free(&out);
}

/* ---- the summary ---- */

/* Appends a text in lines, each after `indent` blanks. A line is at most COLUMNS wide, unless a
 * word is longer. */
static void add_lines(struct strbuf *out, size_t indent, struct span text)
{
    while (text.n > 0) {
        size_t n = text.n;
        if (indent + n > COLUMNS) {
            n = span_find_last(span_sub(text, 0, COLUMNS - indent + 1), ' ');
            n = n > COLUMNS - indent ? span_find(text, ' ') : n;
        }
        strbuf_addf(out, "%*s", (int)indent, "");
        strbuf_add_span(out, span_sub(text, 0, n));
        strbuf_add_char(out, '\n');
        text = span_sub(text, n + 1, text.n);
    }
}

/* Appends the place and the Message-ID of a message: on one line if they fit, else on two. */
static void add_example(struct strbuf *out, const struct lint_run *run,
                        const struct archive_message *m)
{
    struct span id = span_sub(run->lint.id, 0, SHOWN_MAX);
    struct strbuf place = STRBUF_INIT, shown = STRBUF_INIT;
    if (run->json) {
        strbuf_add_str(out, out->len > 0 ? ",{" : "{");
        json_add_text(out, "file", m->file);
        if (m->has_offset) {
            json_add_number(out, "line", m->line);
            json_add_number(out, "offset", m->offset);
        }
        json_add_text(out, "message_id", id);
        strbuf_add_char(out, '}');
        return;
    }
    visible_add(&place, m->file);
    if (m->has_offset)
        strbuf_addf(&place, ":%" PRIu64, m->line);
    visible_add(&shown, span_sub(id, 0, COLUMNS - 2 * INDENT));
    bool fits = INDENT + place.len + 2 + shown.len <= COLUMNS;
    strbuf_addf(out, "%*s%s%s%*s%s\n", INDENT, "", strbuf_str(&place), fits ? "" : "\n",
                fits ? 2 : 2 * INDENT, "", strbuf_str(&shown));
    strbuf_free(&place);
    strbuf_free(&shown);
}

/* Counts the findings, for the summary. */
static void count_findings(struct lint_run *run, const struct archive_message *m,
                           enum lint_level worst)
{
    run->judged++;
    run->with_level[worst]++;
    for (size_t i = 0; i < run->lint.count; i++) {
        const struct lint_finding *f = &run->lint.findings[i];
        struct finding_counts *counts = &run->counts[f->rule * FIELD_NAME_COUNT + f->field];
        counts->findings++;
        counts->clause = f->clause;
        if (counts->last == run->judged)
            continue;
        counts->last = run->judged;
        counts->needs_sender |= run->lint.needs_sender;
        if (counts->messages++ < EXAMPLES)
            add_example(&counts->examples, run, m);
    }
}

static double share(const struct lint_run *run, uint64_t messages)
{
    return run->judged == 0 ? 0 : 100.0 * (double)messages / (double)run->judged;
}

static void add_counts(struct strbuf *out, const struct lint_run *run, size_t i)
{
    const struct finding_counts *counts = &run->counts[i];
    enum lint_rule number = i / FIELD_NAME_COUNT;
    enum field_name name = i % FIELD_NAME_COUNT;
    const struct lint_rule_text *rule = &lint_rules[number];
    const char *level = lint_level_texts[rule->level];
    struct strbuf cure = STRBUF_INIT, text = STRBUF_INIT;
    lint_add_cure(&cure, number, name, counts->needs_sender);
    if (run->json) {
        strbuf_add_str(out, "{\"op\":\"count\"");
        json_add_text(out, "level", span_cstr(level));
        json_add_text(out, "name", span_cstr(rule->name));
        if (name != FIELD_OTHER)
            json_add_text(out, "field", span_cstr(field_name_text(name)));
        json_add_text(out, "clause", span_cstr(counts->clause));
        json_add_text(out, "text", span_cstr(rule->text));
        json_add_number(out, "findings", counts->findings);
        json_add_number(out, "messages", counts->messages);
        strbuf_addf(out, ",\"share\":%.3f", share(run, counts->messages));
        if (cure.len > 0)
            json_add_text(out, "cured_by", strbuf_span(&cure));
        strbuf_addf(out, ",\"examples\":[%s]}\n", strbuf_str(&counts->examples));
    } else {
        add_level(out, rule->level);
        strbuf_addf(out, "%*s%10" PRIu64 "  %5.1f %%  %s [%s]\n", (int)(7 - strlen(level)), "",
                    counts->messages, share(run, counts->messages), rule->name, counts->clause);
        strbuf_addf(&text, "%s %s.", name != FIELD_OTHER ? field_name_text(name) : "The header",
                    rule->text);
        if (cure.len > 0)
            strbuf_addf(&text, " Cured by %s.", strbuf_str(&cure));
        add_lines(out, INDENT, strbuf_span(&text));
        strbuf_add_str(out, strbuf_str(&counts->examples));
    }
    strbuf_free(&cure);
    strbuf_free(&text);
}

/* Appends the number of messages. */
static void add_totals(struct strbuf *out, const struct lint_run *run)
{
    const uint64_t *with = run->with_level;
    struct strbuf text = STRBUF_INIT;
    if (run->json) {
        strbuf_add_str(out, "{\"op\":\"summary\"");
        json_add_number(out, "messages", run->judged);
        json_add_number(out, "without_list_field", run->without_fields);
        json_add_number(out, "with_error", with[LINT_ERROR]);
        json_add_number(out, "with_warning", with[LINT_WARNING]);
        json_add_number(out, "with_advice", with[LINT_ADVICE]);
        strbuf_add_str(out, "}\n");
        return;
    }
    strbuf_addf(&text,
                "%" PRIu64 " message%s: %.1f %% with an error, %.1f %% with a warning at worst, "
                "%.1f %% with advice alone.",
                run->judged, run->judged == 1 ? "" : "s", share(run, with[LINT_ERROR]),
                share(run, with[LINT_WARNING]), share(run, with[LINT_ADVICE]));
    if (run->without_fields > 0)
        strbuf_addf(&text, " %" PRIu64 " without a list field: not judged (--all judges them).",
                    run->without_fields);
    add_lines(out, 0, strbuf_span(&text));
    if (with[LINT_ERROR] + with[LINT_WARNING] + with[LINT_ADVICE] > 0)
        strbuf_add_str(out, "\nlevel    messages    share  finding\n");
    strbuf_free(&text);
}

/* Appends the totals, then the findings: the worst level and in it the most frequent first. */
static void add_summary(struct strbuf *out, struct lint_run *run)
{
    struct finding_counts *all = run->counts;
    add_totals(out, run);
    for (enum lint_level level = 0; level < LINT_LEVEL_COUNT;) {
        size_t next = COUNTS;
        for (size_t i = 0; i < COUNTS; i++)
            if (lint_rules[i / FIELD_NAME_COUNT].level == level &&
                all[i].messages > (next < COUNTS ? all[next].messages : 0))
                next = i;
        if (next == COUNTS) {
            level++;
            continue;
        }
        add_counts(out, run, next);
        all[next].messages = 0;
    }
}

/* ---- archives ---- */

/* Reports the first file or part of an archive that is no message. In an mbox most are lines of a
 * body that begin with "From ", which should have been quoted. */
static void report_no_message(struct lint_run *run, const struct archive_message *m)
{
    if (run->no_messages++ > 0)
        return;
    if (m->has_offset)
        report_error("%.*s:%" PRIu64 ": no header field after the \"From \" line (expected "
                     "\">From \" in a body)",
                     (int)m->file.n, m->file.p, m->line - 1);
    else
        report_error(
            "%.*s: not a message (expected a header field, a \"From \" line, or a Maildir)",
            (int)m->file.n, m->file.p);
}

/* True if the header has a field of a list, or one that only mlmilter writes. */
static bool has_list_field(const struct header *header)
{
    for (size_t i = 0; i < owned_field_count; i++)
        if (header_count_of(header, owned_fields[i].name) > 0)
            return true;
    return header->too_large;
}

/* Judges a message, as archive_visitor.message. If a file is no message, its rest is not read: it
 * may have no end. */
static bool take_message(void *context, const struct archive_message *m)
{
    struct lint_run *run = context;
    const struct header *header = &run->message.header;
    if (m->is_cut) {
        run->is_cut = true;
        report_error("%.*s:%" PRIu64 ": the file ends within this header, which was not judged",
                     (int)m->file.n, m->file.p, m->line - 1);
        return true;
    }
    message_split(&run->message, m->header);
    /* Lines of other files look like fields: a message has a field with a known name. */
    if (!header->too_large && header_count(header) == header_count_of(header, FIELD_OTHER)) {
        report_no_message(run, m);
        return !m->is_lone;
    }
    run->messages++;
    if (!m->is_lone && !run->all && !has_list_field(header)) {
        run->without_fields++;
        return true;
    }
    lint_message(&run->lint, &run->message);
    enum lint_level worst = LINT_LEVEL_COUNT;
    for (size_t i = 0; i < run->lint.count; i++) {
        enum lint_level level = lint_rules[run->lint.findings[i].rule].level;
        worst = level < worst ? level : worst;
    }
    run->has_error |= worst == LINT_ERROR;
    run->has_lone |= m->is_lone;
    if (m->is_lone)
        write_findings(run, m);
    else
        count_findings(run, m, worst);
    return true;
}

/* Reports the parts of an archive that were not judged, as archive_visitor.end. An empty archive is
 * no mistake if other archives have messages. */
static int end_archive(void *context, const char *name)
{
    struct lint_run *run = context;
    bool is_whole = run->no_messages == 0 && !run->is_cut;
    if (run->no_messages > 1)
        report_error("%s: %" PRIu64 " of what it holds are no messages", name, run->no_messages);
    if (is_whole && run->messages == 0)
        report_error("%s: there is no message in it", name);
    run->messages = run->no_messages = 0;
    run->is_cut = false;
    return is_whole ? EX_OK : EX_DATAERR;
}

/* Sets the domain to the form that it has in headers. */
static int set_domain(struct lint_run *run, const char *typed)
{
    const char *fault = domain_to_ascii(span_cstr(typed), &run->arena, &run->lint.domain);
    if (fault == NULL && rfc5322_is_dot_atom(run->lint.domain))
        return EX_OK;
    report_error("--list-domain %s: %s", typed, fault != NULL ? fault : "is no domain");
    return EX_USAGE;
}

int run_lint(const struct options *o)
{
    static struct lint_run run;
    const struct archive_visitor visitor = {
        .context = &run, .takes_messages = true, .message = take_message, .end = end_archive};
    struct strbuf text = STRBUF_INIT;
    size_t count = o->argument_count > 0 ? o->argument_count : 1; /* NULL: standard input */
    run.json = o->json;
    run.all = o->all;
    arena_init(&run.arena, 0);
    message_init(&run.message);
    lint_init(&run.lint);
    int status = o->list_domain != NULL ? set_domain(&run, o->list_domain) : EX_OK;
    if (status != EX_OK)
        return status;
    status = archive_visit(o->arguments, count, &visitor);
    if (run.judged + run.without_fields > 0)
        add_summary(&text, &run);
    else if (status == EX_OK && !run.has_lone)
        status = EX_DATAERR;
    return print_and_free(&text, status == EX_OK && run.has_error ? EXIT_NO : status);
}
