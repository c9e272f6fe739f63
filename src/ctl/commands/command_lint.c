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
#include <stdlib.h>
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
    bool has_error;
    /* Of the file or archive that is being read: */
    uint64_t messages_here;
    uint64_t no_messages_here; /* without a field that mail has */
    bool is_cut_here;
};

/* Said of the first one in an archive, and counted of all. In an mbox most are lines of a body that
 * begin with "From ", which should have been quoted. */
static int take_no_message(struct lint_run *run, const struct archive_message *m)
{
    if (run->no_messages_here++ > 0)
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
    lint_report(&run->lint, m, &run->message, run->form, &text);
    progress_make_room(&run->progress);
    status = write_more(strbuf_span(&text));
    strbuf_free(&text);
    return status;
}

static int note_cut(struct lint_run *run, const struct archive_message *m)
{
    run->is_cut_here = true;
    progress_make_room(&run->progress);
    report_error("%.*s: ends within the header of the message at %" PRIu64
                 ", which was not looked at: the file was cut off there",
                 (int)m->file.n, m->file.p, m->offset);
    return EX_OK;
}

static int look(void *context, const struct archive_message *m)
{
    struct lint_run *run = context;
    struct lint *lint = &run->lint;
    if (m->is_cut)
        return note_cut(run, m);
    message_split(&run->message, m->header);
    /* The first line of many a file looks like a field: one of those that this program knows must
     * be there. */
    const struct header *header = &run->message.header;
    if (!header->too_large && header_count(header) == header_count_of(header, FIELD_OTHER))
        return take_no_message(run, m);
    run->messages++;
    run->messages_here++;
    lint_message(lint, &run->message);
    for (size_t i = 0; i < lint->count; i++)
        run->has_error |= lint_rules[lint->findings[i].rule].level == LINT_ERROR;
    if (m->is_lone)
        return report_now(run, m);
    if (run->summary.messages == 0)
        lint_report(lint, m, &run->message, run->form, &run->first);
    lint_summary_add(&run->summary, lint, m);
    return EX_OK;
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
    if (run->summary.messages == 1)
        strbuf_add_span(&text, strbuf_span(&run->first));
    else if (run->summary.messages > 1)
        lint_summary_write(&run->summary, run->form, &text);
    return write_and_free(&text);
}

/* A mail program shows them as folders of the Maildir, and lists' mail is often sorted there. */
static void say_folders(const char *path)
{
    char *name;
    size_t count = maildir_folders(path, &name);
    if (count > 0)
        report_error("%s: %zu folder%s not looked at: give %s/%s, too", path, count,
                     count == 1 ? " in it was" : "s in it were", path, name);
    free(name);
}

/* Behind a file or an archive: what of it was not looked at? An empty one is nothing wrong where
 * others are not. */
static int end_archive(void *context, const char *path)
{
    struct lint_run *run = context;
    const char *name = strcmp(path, "-") == 0 ? "standard input" : path;
    bool is_whole = run->no_messages_here == 0 && !run->is_cut_here;
    progress_make_room(&run->progress);
    say_folders(path);
    if (run->no_messages_here > 1)
        report_error("%s: %" PRIu64 " of what it holds are no messages", name,
                     run->no_messages_here);
    if (is_whole && run->messages_here == 0)
        report_error("%s: there is no message in it", name);
    run->messages_here = run->no_messages_here = 0;
    run->is_cut_here = false;
    return is_whole ? EX_OK : EX_DATAERR;
}

static int lint_archives(struct lint_run *run, char **paths, size_t count)
{
    const struct archive_visitor visitor = {.context = run,
                                            .takes_messages = true,
                                            .message = look,
                                            .go_on = go_on,
                                            .end = end_archive};
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
    if (status == EX_OK && run->messages == 0)
        return EX_DATAERR;
    return status == EX_OK && run->has_error ? EXIT_NO : status;
}

/* A domain as people type it, as it stands in headers. */
static int set_domain(struct lint_run *run, const char *typed)
{
    if (typed == NULL)
        return EX_OK;
    const char *fault = domain_to_ascii(span_cstr(typed), &run->arena, &run->lint.domain);
    if (fault == NULL && rfc5322_is_dot_atom(run->lint.domain))
        return EX_OK;
    if (fault == NULL)
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
    lint_init(&run.lint);
    status = set_domain(&run, values[OPTION_LIST_DOMAIN]);
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
