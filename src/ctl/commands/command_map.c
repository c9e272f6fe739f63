/*
 * mlmilterctl map: from the hashes of a whole archive to its messages (SU-14, SU-15).
 *
 * tsv      HASH, the Message-ID as hashed, the place; with a tabulator between
 * json     an object: "hash", "message_id", "file", "offset"
 * nginx    HASH "value";  for a file that a `map` block of nginx includes
 */
#include "ctl/archive/archive.h"
#include "ctl/archive/progress.h"
#include "ctl/commands/commands.h"
#include "ctl/report.h"
#include "mail/message.h"
#include "plan/message_values.h"
#include "spec/message_id.h"
#include "spec/template_try.h"
#include "store/store.h"
#include "text/json.h"
#include "text/number.h"
#include "text/strmap.h"
#include "text/visible.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

/* A parameter of nginx must fit its buffer of 4096 octets (NGX_CONF_BUFFER); one that does not
 * makes it refuse the whole configuration. */
#define NGINX_LONGEST_VALUE 4000

/* The variables that need no Date. */
#define VARS_WITHOUT_DATE                                                                          \
    (VAR_BIT(VAR_MESSAGE_ID) | VAR_BIT(VAR_MESSAGE_ID_HASH) | VAR_BIT(VAR_SEQUENCE))

enum map_format { MAP_TSV, MAP_JSON, MAP_NGINX };

struct map_run {
    enum map_format format;
    const char *to; /* --to; NULL: not given */
    char **archives;
    size_t archive_count;

    struct template value; /* MAP_NGINX: --to, compiled */
    struct arena arena;    /* holds `value` and the keys of `seen` */
    struct arena of_message;
    struct strbuf line;
    struct strmap seen; /* MAP_NGINX: hashes with a line */
    struct progress progress;

    uint64_t number;        /* {sequence} of the next message */
    uint64_t messages;      /* all of them */
    uint64_t lines;         /* written */
    uint64_t without_id;    /* no Message-ID in the header (or none in its first MiB) */
    uint64_t without_value; /* nothing for a variable of `value` */
    uint64_t elsewhere;     /* with it a segment of the path would be "." or ".." (RULINGS 86) */
    uint64_t too_long;      /* for nginx */
    uint64_t duplicates;    /* nginx refuses a second line with one hash: the first one counts */
};

enum option_code { OPTION_FORMAT = 256, OPTION_JSON, OPTION_TO, OPTION_FIRST };

static const struct option options[] = {
    {"format", required_argument, NULL, OPTION_FORMAT},
    {"json", no_argument, NULL, OPTION_JSON},
    {"to", required_argument, NULL, OPTION_TO},
    {"first", required_argument, NULL, OPTION_FIRST},
    {NULL, 0, NULL, 0},
};

/* Reads one option; status: as command_option left it. */
static int take_option(struct map_run *run, int code, int status)
{
    static const char *const formats[] = {
        [MAP_TSV] = "tsv", [MAP_JSON] = "json", [MAP_NGINX] = "nginx"};
    switch (code) {
    case OPTION_FORMAT:
        for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
            if (strcmp(optarg, formats[i]) != 0)
                continue;
            run->format = (enum map_format)i;
            return EX_OK;
        }
        report_error("--format %s: expected tsv, json or nginx", optarg);
        return EX_USAGE;
    case OPTION_JSON:
        run->format = MAP_JSON;
        return EX_OK;
    case OPTION_TO:
        run->to = optarg;
        return EX_OK;
    case OPTION_FIRST:
        if (number_parse(span_cstr(optarg), POST_NUMBER_MAX, &run->number))
            return EX_OK;
        report_error("--first %s: expected a number", optarg);
        return EX_USAGE;
    default: /* COMMAND_ENDS */
        return status;
    }
}

static int parse_options(struct map_run *run, struct invocation *invocation, int argc, char **argv)
{
    int status = EX_OK;
    int code;
    while (status == EX_OK && (code = command_option(invocation, options, OPTIONS_ANYWHERE, argc,
                                                     argv, &status)) != OPTIONS_END)
        status = take_option(run, code, status);
    if (status != EX_OK)
        return status;
    run->archives = argv + optind;
    run->archive_count = (size_t)(argc - optind);
    if (run->archive_count == 0)
        return usage_error(invocation);
    if (run->to != NULL && run->format != MAP_NGINX) {
        report_error("--to is for --format nginx");
        return usage_error(invocation);
    }
    return EX_OK;
}

/* Compiles --to. Its values may be redirected to: they are URIs, or the parts of one after the
 * host. Returns EX_OK, or EX_USAGE after a message. */
static int compile_to(struct map_run *run)
{
    const char *text = run->to != NULL ? run->to : "{message_id}";
    const struct variable_values none = {0};
    struct strbuf whole = STRBUF_INIT;
    struct strbuf uri = STRBUF_INIT;
    struct template compiled;
    const char *fault;
    int result;
    if (text[0] != '\0' && strstr(text, "://") == NULL)
        strbuf_add_str(&whole, "https://host.example/");
    strbuf_add_str(&whole, text);
    result =
        template_compile(strbuf_span(&whole), VARS_MESSAGE, NULL, &run->arena, &compiled, &fault);
    if (result == 0)
        result = template_try(&compiled, &none, "1", &uri, &fault);
    if (result == 0)
        result =
            template_compile(span_cstr(text), VARS_MESSAGE, NULL, &run->arena, &compiled, &fault);
    if (result == 0)
        template_bind(&compiled, TEMPLATE_URI, &none, &run->arena, &run->value);
    else
        report_error("--to \"%s\": %s", text, fault);
    strbuf_free(&whole);
    strbuf_free(&uri);
    return result == 0 ? EX_OK : EX_USAGE;
}

/* ---- tsv ---- */

/* Returns how many bytes at the start add_column writes as they are. */
static size_t plain_length(struct span text)
{
    size_t n = 0;
    while (n < text.n && text.p[n] >= ' ' && text.p[n] <= '~' && text.p[n] != '\\')
        n++;
    return n;
}

/* Appends a text as one column that controls no terminal: each byte that is not visible becomes
 * \xHH, and a backslash is doubled. */
static void add_column(struct strbuf *out, struct span text)
{
    for (;;) {
        struct span character = span_sub(text, 0, plain_length(text));
        strbuf_add_span(out, character);
        text = span_sub(text, character.n, text.n);
        if (text.n == 0)
            return;
        bool is_visible = visible_next(&text, &character);
        if (character.p[0] == '\\')
            strbuf_add_str(out, "\\\\");
        else if (is_visible)
            strbuf_add_span(out, character);
        else
            for (size_t i = 0; i < character.n; i++)
                strbuf_addf(out, "\\x%02X", (unsigned)(unsigned char)character.p[i]);
    }
}

static void add_tsv_line(struct map_run *run, const struct archive_message *m, struct span id,
                         const char *hash)
{
    strbuf_add_str(&run->line, hash);
    strbuf_add_char(&run->line, '\t');
    add_column(&run->line, id);
    strbuf_add_char(&run->line, '\t');
    add_column(&run->line, m->file);
    if (m->has_offset)
        strbuf_addf(&run->line, ":%" PRIu64, m->offset);
    strbuf_add_char(&run->line, '\n');
}

/* ---- json ---- */

static void add_json_line(struct map_run *run, const struct archive_message *m, struct span id,
                          const char *hash)
{
    strbuf_add_char(&run->line, '{');
    json_add_text(&run->line, "hash", span_cstr(hash));
    json_add_text(&run->line, "message_id", id);
    json_add_text(&run->line, "file", m->file);
    if (m->has_offset)
        json_add_number(&run->line, "offset", m->offset);
    strbuf_add_str(&run->line, "}\n");
}

/* ---- nginx ---- */

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

/* Returns false, and counts the message, if it has no line. */
static bool add_nginx_line(struct map_run *run, const struct variable_values *values,
                           const char *hash)
{
    struct strbuf value = STRBUF_INIT;
    int result = template_expand(&run->value, TEMPLATE_URI, values, &value, NULL);
    size_t begin;
    run->without_value += result == 1;
    run->elsewhere += result == 2;
    strbuf_addf(&run->line, "%s ", hash);
    begin = run->line.len;
    add_nginx_value(&run->line, strbuf_span(&value));
    if (result == 0 && run->line.len - begin > NGINX_LONGEST_VALUE) {
        run->too_long++;
        result = 1;
    }
    strbuf_add_str(&run->line, ";\n");
    strbuf_free(&value);
    if (result != 0)
        return false;
    if (strmap_get(&run->seen, span_cstr(hash)) != NULL) {
        run->duplicates++;
        return false;
    }
    return strmap_put(&run->seen, arena_dup(&run->arena, span_cstr(hash)), run, NULL);
}

/* ---- a message ---- */

static void set_sequence(struct map_run *run, uint64_t number, struct variable_values *values)
{
    char digits[32];
    snprintf(digits, sizeof digits, "%" PRIu64, number);
    values->text[VAR_SEQUENCE] = arena_dup(&run->of_message, span_cstr(digits));
    values->set |= VAR_BIT(VAR_SEQUENCE);
}

/* Makes run->line. Returns false, and counts the message, if it has no line. */
static bool make_line(struct map_run *run, const struct archive_message *m, uint64_t number)
{
    struct message_source source = {.number = 0};
    struct variable_values values = {0};
    char hash[MESSAGE_ID_HASH_LENGTH + 1];
    struct span id = message_first(m->header, FIELD_MESSAGE_ID, &run->of_message);
    if (id.p == NULL) {
        run->without_id++;
        return false;
    }
    message_id_hash(message_id_bare(id), hash);
    if (run->format != MAP_NGINX) {
        (run->format == MAP_JSON ? add_json_line : add_tsv_line)(run, m, message_id_bare(id), hash);
        return true;
    }
    source.id_text = id;
    source.hash = hash;
    if ((run->value.needs & ~VARS_WITHOUT_DATE) != 0)
        source.date_text = message_first(m->header, FIELD_DATE, &run->of_message);
    message_values(&source, run->value.needs, &run->of_message, &values);
    set_sequence(run, number, &values);
    return add_nginx_line(run, &values, hash);
}

static int write_message(void *context, const struct archive_message *m)
{
    struct map_run *run = context;
    arena_reset(&run->of_message);
    strbuf_reset(&run->line);
    run->messages++;
    if (!make_line(run, m, run->number++))
        return EX_OK;
    run->lines++;
    progress_make_room(&run->progress);
    return write_more(strbuf_span(&run->line));
}

static bool go_on(void *context, uint64_t done, uint64_t total)
{
    struct map_run *run = context;
    progress_update(&run->progress, run->messages, done, total);
    return !archive_is_interrupted();
}

static void say_count(uint64_t count, const char *what)
{
    if (count > 0)
        report_error("%" PRIu64 " of the messages %s", count, what);
}

/* Reports the counts, unless every message has a line and standard error is no terminal. */
static void say_counts(const struct map_run *run)
{
    if (run->lines < run->messages || isatty(STDERR_FILENO))
        report_error("%" PRIu64 " message%s, %" PRIu64 " line%s", run->messages,
                     run->messages == 1 ? "" : "s", run->lines, run->lines == 1 ? "" : "s");
    say_count(run->without_id, "left out: no Message-ID");
    say_count(run->without_value, "left out: no value for a variable of --to");
    say_count(run->elsewhere,
              "left out: their value would be a segment \".\" or \"..\" of the path");
    say_count(run->too_long, "left out: the value is too long for nginx");
    say_count(run->duplicates,
              "left out: their Message-ID was there before, and the first one counts");
}

static int write_map(struct map_run *run)
{
    const struct archive_visitor visitor = {
        .context = run, .message = write_message, .go_on = go_on};
    int status;
    archive_catch_interrupt();
    progress_begin(&run->progress, run->archive_count);
    status = archive_all(run->archives, run->archive_count, &visitor, &run->progress);
    progress_end(&run->progress);
    if ((output_failed() || write_output(span_of("", 0)) != EX_OK) && !archive_is_interrupted())
        return EX_OSERR;
    if (archive_is_interrupted()) {
        report_error("interrupted after %" PRIu64 " messages", run->messages);
        return ARCHIVE_STOPPED;
    }
    say_counts(run);
    return status == EX_OK && run->lines == 0 ? EXIT_NO : status;
}

static int run_map(struct invocation *invocation, int argc, char **argv)
{
    struct map_run run = {.number = 1, .line = STRBUF_INIT};
    int status = parse_options(&run, invocation, argc, argv);
    if (status != EX_OK)
        return status;
    arena_init(&run.arena, 0);
    arena_init(&run.of_message, 0);
    strmap_init(&run.seen, 0);
    if (run.format == MAP_NGINX)
        status = compile_to(&run);
    if (status == EX_OK)
        status = write_map(&run);
    strmap_free(&run.seen);
    strbuf_free(&run.line);
    arena_free(&run.of_message);
    arena_free(&run.arena);
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
