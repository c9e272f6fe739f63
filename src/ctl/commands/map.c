/*
 * mlmilterctl map: from the hashes of a whole archive to its messages (SU-14, SU-15).
 *
 * tsv      HASH, the Message-ID as hashed, the place; with a tabulator between
 * --json   an object: "hash", "message_id", "file", "offset"
 * nginx    HASH "value";  for a file that a `map` block of nginx includes
 */
#include "ctl/archive.h"
#include "ctl/commands/commands.h"
#include "ctl/output.h"
#include "ctl/permalink.h"
#include "mail/message.h"
#include "plan/post.h"
#include "spec/message_id.h"
#include "text/json.h"
#include "text/number.h"
#include "text/strmap.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

/* A parameter of nginx must fit its buffer of 4096 bytes (NGX_CONF_BUFFER); one that does not makes
 * it refuse the whole configuration. */
#define NGINX_LONGEST_VALUE 4000

/* The variables that need no Date. */
#define VARS_WITHOUT_DATE                                                                          \
    (VAR_BIT(VAR_MESSAGE_ID) | VAR_BIT(VAR_MESSAGE_ID_HASH) | VAR_BIT(VAR_SEQUENCE))

/* Reasons to leave a message out. */
enum left_out { NO_ID, NO_VALUE, ELSEWHERE, TOO_LONG, DUPLICATE, NOT_LEFT_OUT };

static const char *const reasons[NOT_LEFT_OUT] = {
    [NO_ID] = "no Message-ID",
    [NO_VALUE] = "no value for a variable of --to",
    [ELSEWHERE] = "their value would be a segment \".\" or \"..\" of the path",
    [TOO_LONG] = "the value is too long for nginx",
    [DUPLICATE] = "their Message-ID was there before, and the first one counts",
};

struct map_run {
    bool json, nginx;
    struct template value; /* of nginx: --to, compiled */
    struct arena arena;    /* holds `value` and the keys of `seen` */
    struct arena of_message;
    struct strbuf line, link;
    struct strmap seen; /* of nginx: hashes with a line, since it refuses a second one */
    struct progress progress;
    uint64_t number; /* {sequence} of the next message */
    uint64_t lines;  /* written */
    uint64_t left_out[NOT_LEFT_OUT];
    int status; /* of the output */
};

/* Compiles --to. Its values may be redirected to: they are URIs, or the parts of one after the
 * host. Returns EX_OK, or EX_USAGE after a message. */
static int compile_to(struct map_run *run, const char *to)
{
    static const struct variable_values none;
    const char *fault =
        permalink_compile(to, true, VARS_MESSAGE, NULL, &none, &run->arena, &run->value);
    if (fault != NULL)
        report_error("--to \"%s\": %s", to, fault);
    return fault == NULL ? EX_OK : EX_USAGE;
}

static void add_tsv_line(struct strbuf *line, const struct archive_message *m, struct span id,
                         const char *hash)
{
    strbuf_add(line, hash, MESSAGE_ID_HASH_LENGTH);
    strbuf_add_char(line, '\t');
    add_escaped(line, id);
    strbuf_add_char(line, '\t');
    add_escaped(line, m->file);
    if (m->has_offset)
        strbuf_addf(line, ":%" PRIu64, m->offset);
    strbuf_add_char(line, '\n');
}

static void add_json_line(struct strbuf *line, const struct archive_message *m, struct span id,
                          const char *hash)
{
    strbuf_add_char(line, '{');
    json_add_text(line, "hash", span_cstr(hash));
    json_add_text(line, "message_id", id);
    json_add_text(line, "file", m->file);
    if (m->has_offset)
        json_add_number(line, "offset", m->offset);
    strbuf_add_str(line, "}\n");
}

/* Appends a quoted parameter. nginx expands "$" in it and has no way to quote it, so that a
 * Message-ID could name a variable of the server: "$" becomes %24, which a URI allows. */
static void add_nginx_value(struct strbuf *out, struct span value)
{
    strbuf_add_char(out, '"');
    for (size_t i = 0; i < value.n; i++) {
        if (value.p[i] == '$') {
            strbuf_add_str(out, "%24");
            continue;
        }
        if (value.p[i] == '"' || value.p[i] == '\\')
            strbuf_add_char(out, '\\');
        strbuf_add_char(out, value.p[i]);
    }
    strbuf_add_char(out, '"');
}

static enum left_out add_nginx_line(struct map_run *run, const struct archive_message *m,
                                    struct span id, const char *hash, uint64_t number)
{
    struct message_source source = {.id_text = id, .hash = hash};
    struct variable_values values = {.set = VAR_BIT(VAR_SEQUENCE)};
    char digits[32];
    int n = snprintf(digits, sizeof digits, "%" PRIu64, number);
    values.text[VAR_SEQUENCE] = span_of(digits, (size_t)n);
    if ((run->value.needs & ~VARS_WITHOUT_DATE) != 0)
        source.date_text = message_first(m->header, FIELD_DATE, &run->of_message);
    strbuf_reset(&run->link);
    enum variable missing;
    int result =
        permalink_add(&run->value, &source, values, &run->of_message, &run->link, &missing);
    if (result != 0)
        return result == 1 ? NO_VALUE : ELSEWHERE;
    strbuf_addf(&run->line, "%s ", hash);
    size_t begin = run->line.len;
    add_nginx_value(&run->line, strbuf_span(&run->link));
    if (run->line.len - begin > NGINX_LONGEST_VALUE)
        return TOO_LONG;
    strbuf_add_str(&run->line, ";\n");
    if (strmap_get(&run->seen, span_cstr(hash)) != NULL)
        return DUPLICATE;
    (void)strmap_put(&run->seen, arena_dup(&run->arena, span_cstr(hash)), run, NULL);
    return NOT_LEFT_OUT;
}

static enum left_out make_line(struct map_run *run, const struct archive_message *m,
                               uint64_t number)
{
    char hash[MESSAGE_ID_HASH_LENGTH + 1];
    struct span id = message_first(m->header, FIELD_MESSAGE_ID, &run->of_message);
    if (id.p == NULL)
        return NO_ID;
    message_id_hash(message_id_bare(id), hash);
    if (run->nginx)
        return add_nginx_line(run, m, id, hash, number);
    (run->json ? add_json_line : add_tsv_line)(&run->line, m, message_id_bare(id), hash);
    return NOT_LEFT_OUT;
}

/* Writes the line of a message, as archive_visitor.message. */
static bool write_message(void *context, const struct archive_message *m)
{
    struct map_run *run = context;
    arena_reset(&run->of_message);
    strbuf_reset(&run->line);
    enum left_out result = make_line(run, m, run->number++);
    if (result != NOT_LEFT_OUT) {
        run->left_out[result]++;
        return true;
    }
    run->lines++;
    progress_wipe(&run->progress);
    run->status = print_more(strbuf_span(&run->line));
    return run->status == EX_OK;
}

/* Reports the counts, unless every message has a line and standard error is no terminal. */
static void report_counts(const struct map_run *run)
{
    struct strbuf line = STRBUF_INIT;
    uint64_t messages = run->progress.messages;
    if (run->lines == messages && !isatty(STDERR_FILENO))
        return;
    strbuf_addf(&line, "%" PRIu64 " message%s, %" PRIu64 " line%s", messages,
                messages == 1 ? "" : "s", run->lines, run->lines == 1 ? "" : "s");
    const char *separator = "; left out: ";
    for (size_t i = 0; i < NOT_LEFT_OUT; i++) {
        if (run->left_out[i] == 0)
            continue;
        strbuf_addf(&line, "%s%" PRIu64 " (%s)", separator, run->left_out[i], reasons[i]);
        separator = ", ";
    }
    report_error("%s", strbuf_str(&line));
    strbuf_free(&line);
}

static int write_map(struct map_run *run, const struct options *o)
{
    const struct archive_visitor visitor = {
        .context = run, .message = write_message, .progress = &run->progress};
    struct strbuf rest = STRBUF_INIT;
    progress_begin(&run->progress, o->argument_count);
    int status = archive_visit(o->arguments, o->argument_count, &visitor);
    progress_wipe(&run->progress);
    if (run->status == EX_OK)
        run->status = print_and_free(&rest, EX_OK);
    if (run->status != EX_OK)
        return run->status;
    report_counts(run);
    return status == EX_OK && run->lines == 0 ? EXIT_NO : status;
}

static int read_options(struct map_run *run, const struct options *o)
{
    run->json = o->json;
    run->nginx = o->format != NULL && strcmp(o->format, "nginx") == 0;
    if (o->format != NULL && !run->nginx && strcmp(o->format, "tsv") != 0)
        return usage_error(o, "--format %s: expected tsv or nginx", o->format);
    if (o->format != NULL && o->json)
        return usage_error(o, "map: expected --format or --json, not both");
    if ((o->to != NULL || o->first != NULL) && !run->nginx)
        return usage_error(o, "--%s is for --format nginx", o->to != NULL ? "to" : "first");
    if (o->first != NULL && !number_parse(span_cstr(o->first), POST_NUMBER_MAX, &run->number))
        return usage_error(o, "--first %s: expected a number", o->first);
    return run->nginx ? compile_to(run, o->to != NULL ? o->to : "{message_id}") : EX_OK;
}

int run_map(const struct options *o)
{
    struct map_run run = {.number = 1};
    arena_init(&run.arena, 0);
    arena_init(&run.of_message, 0);
    strmap_init(&run.seen, 0);
    int status = read_options(&run, o);
    if (status == EX_OK)
        status = write_map(&run, o);
    strmap_free(&run.seen);
    strbuf_free(&run.line);
    strbuf_free(&run.link);
    arena_free(&run.of_message);
    arena_free(&run.arena);
    return status;
}
