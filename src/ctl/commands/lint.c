/* mlmilterctl lint: finds faults in the headers of delivered mail, clause by clause (RULINGS 93).
 */
#include "lint/lint.h"
#include "ctl/archive.h"
#include "ctl/commands/commands.h"
#include "ctl/lint_summary.h"
#include "ctl/output.h"
#include "mail/rfc5322.h"
#include "spec/iri.h"
#include "spec/owned_fields.h"

#include <inttypes.h>
#include <string.h>
#include <sysexits.h>

struct lint_run {
    const struct options *options;
    struct lint lint;
    struct arena arena;
    struct message message;
    struct progress progress;
    struct lint_summary summary; /* of all archives */
    int status;                  /* of the output */
    bool has_error;
    bool has_lone; /* a file that is one message was found */
    /* Of the archive that is being read: */
    uint64_t messages, no_messages; /* without a field that mail has */
    bool is_cut;
};

/* Reports the first one of an archive. In an mbox most are lines of a body that begin with "From ",
 * which should have been quoted. */
static void report_no_message(struct lint_run *run, const struct archive_message *m)
{
    bool is_gzip = m->header.n > 1 && memcmp(m->header.p, "\x1f\x8b", 2) == 0;
    if (run->no_messages++ > 0)
        return;
    progress_wipe(&run->progress);
    if (m->has_offset)
        report_error("%.*s:%" PRIu64 ": no header field after the \"From \" line (expected "
                     "\">From \" in a body)",
                     (int)m->file.n, m->file.p, m->line - 1);
    else if (is_gzip)
        report_error("%.*s: not a message but compressed (type: zcat FILE | mlmilterctl lint)",
                     (int)m->file.n, m->file.p);
    else
        report_error("%.*s: not a message (expected a header field, a \"From \" line of an mbox, "
                     "or a Maildir)",
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

static void lint_one(struct lint_run *run, const struct archive_message *m)
{
    struct strbuf text = STRBUF_INIT;
    const struct lint *lint = &run->lint;
    lint_message(&run->lint, &run->message);
    for (size_t i = 0; i < lint->count; i++)
        run->has_error |= lint_rules[lint->findings[i].rule].level == LINT_ERROR;
    if (!m->is_lone) {
        lint_summary_add(&run->summary, lint, m);
        return;
    }
    run->has_lone = true;
    lint_report(lint, m, &run->message, run->options->json, &text);
    progress_wipe(&run->progress);
    run->status = print_more(strbuf_span(&text));
    strbuf_free(&text);
}

/* Judges a message, as archive_visitor.message. */
static bool take_message(void *context, const struct archive_message *m)
{
    struct lint_run *run = context;
    const struct header *header = &run->message.header;
    if (m->is_cut) {
        run->is_cut = true;
        progress_wipe(&run->progress);
        report_error("%.*s:%" PRIu64 ": the file ends within this header, which was not judged",
                     (int)m->file.n, m->file.p, m->line - 1);
        return true;
    }
    message_split(&run->message, m->header);
    /* The first line of many a file looks like a field: one with a known name is needed. */
    if (!header->too_large && header_count(header) == header_count_of(header, FIELD_OTHER)) {
        report_no_message(run, m);
        return true;
    }
    run->messages++;
    if (m->is_lone || run->options->all || has_list_field(header))
        lint_one(run, m);
    else
        run->summary.without_fields++;
    return run->status == EX_OK;
}

/* Reports what of an archive was not judged, as archive_visitor.end. An empty archive is no
 * mistake beside others. */
static int end_archive(void *context, const char *path)
{
    struct lint_run *run = context;
    const char *name = strcmp(path, "-") == 0 ? "standard input" : path;
    bool is_whole = run->no_messages == 0 && !run->is_cut;
    progress_wipe(&run->progress);
    if (run->no_messages > 1)
        report_error("%s: %" PRIu64 " of what it holds are no messages", name, run->no_messages);
    if (is_whole && run->messages == 0)
        report_error("%s: there is no message in it", name);
    run->messages = run->no_messages = 0;
    run->is_cut = false;
    return is_whole ? EX_OK : EX_DATAERR;
}

static int lint_archives(struct lint_run *run)
{
    const struct options *o = run->options;
    static char standard_input[] = "-";
    char *no_paths[] = {standard_input};
    const struct archive_visitor visitor = {.context = run,
                                            .takes_messages = true,
                                            .message = take_message,
                                            .end = end_archive,
                                            .progress = &run->progress};
    const struct lint_summary *summary = &run->summary;
    struct strbuf text = STRBUF_INIT;
    size_t count = o->argument_count > 0 ? o->argument_count : 1;
    progress_begin(&run->progress, count);
    int status = archive_visit(o->argument_count > 0 ? o->arguments : no_paths, count, &visitor);
    progress_wipe(&run->progress);
    if (run->status != EX_OK)
        return run->status;
    if (summary->messages + summary->without_fields > 0)
        lint_summary_write(summary, o->json, &text);
    if (status == EX_OK && summary->messages + summary->without_fields == 0 && !run->has_lone)
        status = EX_DATAERR;
    return print_and_free(&text, status == EX_OK && run->has_error ? EXIT_NO : status);
}

/* Sets a domain as people type it to its form in headers. */
static int set_domain(struct lint_run *run, const char *typed)
{
    if (typed == NULL)
        return EX_OK;
    const char *fault = domain_to_ascii(span_cstr(typed), &run->arena, &run->lint.domain);
    if (fault == NULL && rfc5322_is_dot_atom(run->lint.domain))
        return EX_OK;
    report_error("--list-domain %s: %s", typed, fault != NULL ? fault : "is no domain");
    return EX_USAGE;
}

int run_lint(const struct options *o)
{
    struct lint_run run = {.options = o};
    arena_init(&run.arena, 0);
    message_init(&run.message);
    lint_init(&run.lint);
    int status = set_domain(&run, o->list_domain);
    if (status == EX_OK)
        status = lint_archives(&run);
    lint_summary_free(&run.summary);
    message_free(&run.message);
    lint_free(&run.lint);
    arena_free(&run.arena);
    return status;
}
