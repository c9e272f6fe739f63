/* mlmilterctl map: from the hashes of a whole archive to its messages (SU-14, SU-15). */
#include "ctl/archive/archive.h"
#include "ctl/archive/map_writer.h"
#include "ctl/archive/progress.h"
#include "ctl/commands/commands.h"
#include "ctl/report.h"
#include "store/store.h"
#include "text/number.h"

#include <inttypes.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

struct map_options {
    enum map_format format;
    const char *to;
    uint64_t first;
    char **archives;
    size_t archive_count;
};

struct map_run {
    struct map_writer writer;
    struct progress progress;
};

enum option_code { OPTION_FORMAT = 256, OPTION_JSON, OPTION_TO, OPTION_FIRST };

static const struct option options[] = {
    {"format", required_argument, NULL, OPTION_FORMAT},
    {"json", no_argument, NULL, OPTION_JSON},
    {"to", required_argument, NULL, OPTION_TO},
    {"first", required_argument, NULL, OPTION_FIRST},
    {NULL, 0, NULL, 0},
};

/* status: as command_option left it. */
static int take_option(struct map_options *o, int code, int status)
{
    static const char *const formats[] = {
        [MAP_TSV] = "tsv", [MAP_JSON] = "json", [MAP_NGINX] = "nginx"};
    switch (code) {
    case OPTION_FORMAT:
        for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
            if (strcmp(optarg, formats[i]) != 0)
                continue;
            o->format = (enum map_format)i;
            return EX_OK;
        }
        report_error("--format %s: expected tsv, json or nginx", optarg);
        return EX_USAGE;
    case OPTION_JSON:
        o->format = MAP_JSON;
        return EX_OK;
    case OPTION_TO:
        o->to = optarg;
        return EX_OK;
    case OPTION_FIRST:
        if (number_parse(span_cstr(optarg), POST_NUMBER_MAX, &o->first))
            return EX_OK;
        report_error("--first %s: expected a number", optarg);
        return EX_USAGE;
    default: /* COMMAND_ENDS */
        return status;
    }
}

static int parse_options(struct map_options *o, struct invocation *invocation, int argc,
                         char **argv)
{
    int status = EX_OK;
    int code;
    memset(o, 0, sizeof *o);
    o->first = 1;
    while (status == EX_OK && (code = command_option(invocation, options, OPTIONS_ANYWHERE, argc,
                                                     argv, &status)) != OPTIONS_END)
        status = take_option(o, code, status);
    if (status != EX_OK)
        return status;
    o->archives = argv + optind;
    o->archive_count = (size_t)(argc - optind);
    if (o->archive_count == 0)
        return usage_error(invocation);
    if (o->to != NULL && o->format != MAP_NGINX) {
        report_error("--to is for --format nginx");
        return usage_error(invocation);
    }
    return EX_OK;
}

static int write_message(void *context, const struct archive_message *m)
{
    struct map_run *run = context;
    struct span line = map_writer_add(&run->writer, m);
    if (line.n == 0)
        return EX_OK;
    progress_make_room(&run->progress);
    return write_more(line);
}

static bool go_on(void *context, uint64_t done, uint64_t total)
{
    struct map_run *run = context;
    progress_update(&run->progress, run->writer.messages, done, total);
    return !archive_is_interrupted();
}

static void say_count(uint64_t count, const char *what)
{
    if (count > 0)
        report_error("%" PRIu64 " of the messages %s", count, what);
}

/* Where nobody watches and nothing was left out there is nothing to say. */
static void say_counts(const struct map_writer *w)
{
    if (w->lines < w->messages || isatty(STDERR_FILENO))
        report_error("%" PRIu64 " message%s, %" PRIu64 " line%s", w->messages,
                     w->messages == 1 ? "" : "s", w->lines, w->lines == 1 ? "" : "s");
    say_count(w->without_id, "left out: no Message-ID");
    say_count(w->without_value, "left out: no value for a variable of --to");
    say_count(w->elsewhere, "left out: their value would be a segment \".\" or \"..\" of the path");
    say_count(w->too_long, "left out: the value is too long for nginx");
    say_count(w->duplicates,
              "left out: their Message-ID was there before, and the first one counts");
}

static int write_map(struct map_run *run, const struct map_options *o)
{
    const struct archive_visitor visitor = {
        .context = run, .message = write_message, .go_on = go_on};
    int status = map_writer_begin(&run->writer, o->format, o->to, o->first);
    if (status != EX_OK)
        return status;
    archive_catch_interrupt();
    progress_begin(&run->progress, o->archive_count);
    status = archive_all(o->archives, o->archive_count, &visitor, &run->progress);
    progress_end(&run->progress);
    if ((output_failed() || write_output(span_of("", 0)) != EX_OK) && !archive_is_interrupted())
        return EX_OSERR;
    if (archive_is_interrupted()) {
        report_error("interrupted after %" PRIu64 " messages", run->writer.messages);
        return ARCHIVE_STOPPED;
    }
    say_counts(&run->writer);
    return status == EX_OK && run->writer.lines == 0 ? EXIT_NO : status;
}

static int run_map(struct invocation *invocation, int argc, char **argv)
{
    struct map_options o;
    struct map_run run;
    int status = parse_options(&o, invocation, argc, argv);
    if (status != EX_OK)
        return status;
    map_writer_init(&run.writer);
    status = write_map(&run, &o);
    map_writer_free(&run.writer);
    return status == ARCHIVE_STOPPED ? archive_end_by_interrupt() : status;
}

const struct command command_map = {
    "map", run_map,
    "  map [--format tsv|json | --json] MBOX|MAILDIR...\n"
    "          Message-ID-Hash, Message-ID and place of every message, a line each (the place\n"
    "          is FILE:OFFSET in an mbox; MBOX may be - for standard input)\n"
    "  map --format nginx [--to TEMPLATE] [--first N] MBOX|MAILDIR...\n"
    "          lines for a map of nginx: HASH \"VALUE\"; (TEMPLATE default {message_id};\n"
    "          {sequence} is N for the first message, default 1)\n"};
