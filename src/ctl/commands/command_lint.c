/* mlmilterctl lint: what is wrong in the headers of delivered mail, clause by clause (RULINGS 93).
 */
#include "ctl/archive/archive.h"
#include "ctl/archive/progress.h"
#include "ctl/colour.h"
#include "ctl/commands/commands.h"
#include "ctl/lint/lint_report.h"
#include "ctl/lint/lint_summary.h"
#include "ctl/report.h"
#include "lint/lint.h"
#include "mail/rfc5322.h"
#include "spec/iri.h"

#include <inttypes.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

enum option_code { OPTION_JSON, OPTION_LIST_DOMAIN, OPTION_COUNT };

static const struct option options[] = {
    {"json", no_argument, NULL, OPTION_JSON},
    {"list-domain", required_argument, NULL, OPTION_LIST_DOMAIN},
    {NULL, 0, NULL, 0},
};

struct lint_run {
    enum lint_form form;
    struct lint lint;
    struct arena arena;
    struct message message;
    struct progress progress;
    struct lint_summary summary; /* of all archives */
    struct strbuf first;         /* the report of the first message of an archive */
    uint64_t messages;           /* all of them */
    uint64_t no_messages;        /* files without a header field */
    bool has_error;
    bool is_cut;
};

/* What is said of the first one, and counted of all. In an mbox most are lines of a body that begin
 * with "From ", which should have been quoted. */
static int take_no_message(struct lint_run *run, const struct archive_message *m)
{
    if (run->no_messages++ > 0)
        return EX_OK;
    progress_make_room(&run->progress);
    if (m->has_offset) {
        report_error("%.*s: no header field after the \"From \" line at %" PRIu64
                     " (expected \">From \" in a body)",
                     (int)m->file.n, m->file.p, m->offset);
    } else {
        report_error(
            "%.*s: not a message (expected a header field, a \"From \" line of an mbox, or "
            "a Maildir)",
            (int)m->file.n, m->file.p);
    }
    return EX_OK;
}

static int report_now(struct lint_run *run, const struct archive_message *m)
{
    struct strbuf text = STRBUF_INIT;
    int status;
    lint_report(&run->lint.findings, m, &run->message, run->form, &text);
    progress_make_room(&run->progress);
    status = strbuf_failed(&text) ? report_no_memory() : write_more(strbuf_span(&text));
    strbuf_free(&text);
    return status;
}

static void note_cut(struct lint_run *run, const struct archive_message *m)
{
    run->is_cut = true;
    progress_make_room(&run->progress);
    report_error("%.*s: ends within the header of the message at %" PRIu64
                 ": the file was cut off there",
                 (int)m->file.n, m->file.p, m->offset);
}

static int look(void *context, const struct archive_message *m)
{
    struct lint_run *run = context;
    struct lint *lint = &run->lint;
    if (m->is_cut)
        note_cut(run, m);
    if (message_split(&run->message, m->header) != 0)
        return report_no_memory();
    if (run->message.field_count == 0)
        return m->is_cut ? EX_OK : take_no_message(run, m);
    run->messages++;
    lint->findings.wants_texts = m->is_lone || run->summary.messages == 0;
    if (lint_message(lint, &run->message) != 0)
        return report_no_memory();
    for (size_t i = 0; i < lint->findings.count; i++)
        run->has_error |= lint_rules[lint->findings.items[i].rule].level == LINT_ERROR;
    if (m->is_lone)
        return report_now(run, m);
    if (run->summary.messages == 0)
        lint_report(&lint->findings, m, &run->message, run->form, &run->first);
    return lint_summary_add(&run->summary, lint, m) != 0 ? report_no_memory() : EX_OK;
}

static bool go_on(void *context, uint64_t done, uint64_t total)
{
    struct lint_run *run = context;
    progress_update(&run->progress, run->messages, done, total);
    return !archive_is_interrupted();
}

/* Of archives. One message is no archive, whatever file it was in. */
static int write_summary(struct lint_run *run)
{
    struct strbuf text = STRBUF_INIT;
    int status;
    if (run->summary.messages == 1)
        strbuf_add_span(&text, strbuf_span(&run->first));
    else if (run->summary.messages > 1)
        lint_summary_write(&run->summary, run->form, &text);
    status = strbuf_failed(&text) || strbuf_failed(&run->first) ? report_no_memory()
                                                                : write_output(strbuf_span(&text));
    strbuf_free(&text);
    return status;
}

/* What was not looked at, beside that for which archive_all gave a status. EX_OK: nothing. */
static int say_trouble(const struct lint_run *run, int status, char **paths, size_t count)
{
    if (run->no_messages > 1)
        report_error("%" PRIu64 " of what was there are no messages", run->no_messages);
    if (status != EX_OK)
        return status;
    if (run->messages == 0 && run->no_messages == 0 && !run->is_cut)
        report_error("%s: there is no message in %s",
                     strcmp(paths[0], "-") == 0 ? "standard input" : paths[0],
                     count == 1 ? "it" : "it, nor in the others");
    return run->messages == 0 || run->no_messages > 0 || run->is_cut ? EX_DATAERR : EX_OK;
}

static int lint_archives(struct lint_run *run, char **paths, size_t count)
{
    const struct archive_visitor visitor = {
        .context = run, .takes_messages = true, .message = look, .go_on = go_on};
    int status, written;
    archive_catch_interrupt();
    progress_begin(&run->progress, count);
    status = archive_all(paths, count, &visitor, &run->progress);
    progress_end(&run->progress);
    if (output_failed() && !archive_is_interrupted())
        return EX_OSERR;
    written = write_summary(run);
    if (archive_is_interrupted()) {
        report_error("interrupted after %" PRIu64 " messages", run->messages);
        return ARCHIVE_STOPPED;
    }
    if (written != EX_OK)
        return written;
    status = say_trouble(run, status, paths, count);
    return status == EX_OK && run->has_error ? EXIT_NO : status;
}

/* A domain as people type it, as it stands in headers. */
static int set_domain(struct lint_run *run, const char *typed)
{
    const char *fault;
    int result;
    if (typed == NULL)
        return EX_OK;
    result = domain_to_ascii(span_cstr(typed), &run->arena, &run->lint.domain, &fault);
    if (result < 0)
        return report_no_memory();
    if (result == 0 && rfc5322_is_dot_atom(run->lint.domain))
        return EX_OK;
    if (result == 0)
        fault = "is no domain";
    report_error("--list-domain %s: %s", typed, fault);
    return EX_USAGE;
}

static int run_lint(struct invocation *invocation, int argc, char **argv)
{
    char standard_input[] = "-";
    char *no_paths[] = {standard_input, NULL};
    const char *values[OPTION_COUNT] = {NULL};
    struct lint_run run = {.form = LINT_TEXT};
    int status = command_values(invocation, options, values, argc, argv);
    char **paths = optind < argc ? argv + optind : no_paths;
    if (status != EX_OK)
        return status;
    if (paths == no_paths && isatty(STDIN_FILENO))
        report_error("reading the message from the terminal; Ctrl-D ends it");
    if (values[OPTION_JSON] != NULL)
        run.form = LINT_JSON;
    else if (colour_wanted(STDOUT_FILENO))
        run.form = LINT_COLOURED;
    arena_init(&run.arena, 0);
    message_init(&run.message);
    lint_summary_init(&run.summary);
    status = lint_init(&run.lint) != 0 ? report_no_memory()
                                       : set_domain(&run, values[OPTION_LIST_DOMAIN]);
    if (status == EX_OK)
        status = lint_archives(&run, paths, optind < argc ? (size_t)(argc - optind) : 1);
    strbuf_free(&run.first);
    lint_summary_free(&run.summary);
    message_free(&run.message);
    lint_free(&run.lint);
    arena_free(&run.arena);
    return status == ARCHIVE_STOPPED ? archive_end_by_interrupt() : status;
}

const struct command command_lint = {
    "lint", run_lint,
    "  lint [--json] [--list-domain DOMAIN] [FILE|MBOX|MAILDIR...]\n"
    "          what is wrong or unwise in the list headers of delivered mail, by clause: a\n"
    "          line for each finding; of an archive a summary (default: standard input)\n"};
