/* permalink - see permalink.h
 *
 * mlmilterctl map: prints hash and place of each message of an archive (SU-14, SU-15).
 *
 * tsv      HASH, the Message-ID as hashed, the place; with a TAB between
 * --json   an object: "hash", "message_id", "file", "offset"
 * nginx    HASH "value";  for a file that a `map` block of nginx includes
 */
#include "ctl/permalink.h"

#include "config/lists/list.h"
#include "ctl/archive.h"
#include "mail/message.h"
#include "spec/iri.h"
#include "spec/message_id.h"
#include "text/ascii.h"
#include "text/json.h"
#include "text/number.h"
#include "text/strmap.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

/* ---- templates ---- */

int permalink_compile(const struct options *o, bool is_to, uint64_t allowed,
                      const struct token_names *tokens, struct span archive, struct arena *arena,
                      struct template *out)
{
    const char *given = is_to ? o->to : o->template_text;
    const char *text = given != NULL ? given
                       : is_to       ? "{message_id}"
                                     : "{archive}/{message_id_hash}";
    struct variable_values known = {.set = archive.p != NULL ? VAR_BIT(VAR_ARCHIVE) : 0};
    bool is_path = is_to && *text != '\0' && strstr(text, "://") == NULL;
    struct span uri = span_cstr(text);
    struct strbuf whole = STRBUF_INIT, sample = STRBUF_INIT;
    const char *fault = is_path ? NULL : iri_to_uri(uri, arena, &uri);
    known.text[VAR_ARCHIVE] = archive;
    strbuf_add_str(&whole, is_path ? "https://host.example/" : "");
    strbuf_add_span(&whole, uri);
    if (fault == NULL)
        fault = template_compile(strbuf_span(&whole), TEMPLATE_URI, allowed, tokens, arena, out);
    if (fault == NULL)
        fault = template_try(out, &known, "1", &sample);
    if (fault == NULL && is_path)
        fault = template_compile(uri, TEMPLATE_URI, allowed, tokens, arena, out);
    strbuf_free(&whole);
    strbuf_free(&sample);
    if (fault != NULL)
        report_error("--%s \"%s\": %s", is_to ? "to" : "template", text, fault);
    return fault != NULL ? EX_USAGE : EX_OK;
}

enum permalink_result permalink_add(const struct template *t, const struct message_source *source,
                                    struct variable_values values, struct arena *arena,
                                    struct strbuf *out, enum variable *missing)
{
    if (source->list != NULL)
        list_variables(source->list, &values);
    if (source->list != NULL && (values.set & VAR_BIT(VAR_ARCHIVE)) == 0)
        list_set_archive(source->list, arena, &values);
    message_values(source, t->needs, arena, &values);
    *missing = template_expand(t, &values, out);
    if (*missing == VAR_COUNT)
        return PERMALINK_MADE;
    return (values.set & VAR_BIT(*missing)) == 0 ? PERMALINK_NO_VALUE : PERMALINK_ELSEWHERE;
}

/* ---- lines of a table ---- */

/* Appends a text that stands between quotation marks. */
static void add_quoted(struct strbuf *line, const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '"' || *text == '\\')
            strbuf_add_char(line, '\\');
        strbuf_add_char(line, *text);
    }
}

bool table_add_line(const struct table_format *format, const char *key, const char *value,
                    struct strbuf *line)
{
    bool is_tsv = !format->is_quoted && *format->never == '\0';
    size_t length = strlen(key);
    for (size_t i = 0; i < length && !is_tsv; i++)
        if (ascii_is_control(key[i]) || strchr(format->never, key[i]) != NULL)
            return false;
    strbuf_add_str(line, format->begin);
    if (is_tsv)
        add_escaped(line, span_cstr(key), "\\");
    else if (format->is_quoted)
        add_quoted(line, key);
    else
        strbuf_add_str(line, key);
    strbuf_add_str(line, format->middle);
    size_t begin = line->len;
    for (const char *at = value; *at != '\0'; at++)
        if (*at == '$' && format->is_quoted) /* a variable of the server; a URI allows %24 */
            strbuf_add_str(line, "%24");
        else
            strbuf_add_char(line, *at);
    bool fits = length <= format->key_max && line->len - begin <= format->value_max;
    strbuf_add_str(line, format->end);
    return fits;
}

/* ---- map ---- */

static const struct table_format nginx = {"nginx", "", " \"", "\";\n", "", 40, 4000, true, false};

/* Continues enum permalink_result. */
enum left_out { NOT_LEFT_OUT, NO_VALUE, ELSEWHERE, NO_ID, TOO_LONG, DUPLICATE, REASONS };

static const char *const reasons[REASONS] = {
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
    struct message message; /* of nginx */
    struct strbuf line, link;
    struct strmap seen;       /* of nginx: hashes with a line, since it refuses a second one */
    uint64_t number;          /* {sequence} of the next message */
    uint64_t counts[REASONS]; /* of messages */
};

static enum left_out add_nginx_line(struct map_run *run, const struct archive_message *m,
                                    const char *hash)
{
    struct variable_values values = {.set = VAR_BIT(VAR_SEQUENCE)};
    struct strbuf digits = STRBUF_INIT;
    enum variable missing;
    message_split(&run->message, m->header);
    struct message_source source = message_source_of(&run->message.header, &run->of_message);
    source.hash = hash;
    strbuf_addf(&digits, "%" PRIu64, run->number); /* not source.number: 0 is one here */
    values.text[VAR_SEQUENCE] = span_cstr(strbuf_keep(&digits, &run->of_message));
    strbuf_reset(&run->link);
    enum permalink_result result =
        permalink_add(&run->value, &source, values, &run->of_message, &run->link, &missing);
    if (result != PERMALINK_MADE)
        return (enum left_out)result;
    if (!table_add_line(&nginx, hash, strbuf_str(&run->link), &run->line))
        return TOO_LONG;
    struct span key = arena_dup(&run->arena, span_cstr(hash));
    return strmap_put(&run->seen, key, run, NULL) ? NOT_LEFT_OUT : DUPLICATE;
}

/* Adds a line for the message. */
static enum left_out add_line(struct map_run *run, const struct archive_message *m)
{
    char hash[MESSAGE_ID_HASH_LENGTH + 1];
    struct strbuf *line = &run->line;
    struct span id = message_first(m->header, FIELD_MESSAGE_ID, &run->of_message);
    struct span bare = message_id_bare(id);
    if (id.p == NULL)
        return NO_ID;
    message_id_hash(bare, hash);
    if (run->nginx)
        return add_nginx_line(run, m, hash);
    if (run->json) {
        strbuf_add_char(line, '{');
        json_add_text(line, "hash", span_cstr(hash));
        json_add_text(line, "message_id", bare);
        json_add_text(line, "file", m->file);
        if (m->has_offset)
            json_add_number(line, "offset", m->offset);
        strbuf_add_str(line, "}\n");
        return NOT_LEFT_OUT;
    }
    strbuf_add_str(line, hash);
    strbuf_add_char(line, '\t');
    add_escaped(line, bare, "\\");
    strbuf_add_char(line, '\t');
    add_escaped(line, m->file, "\\");
    if (m->has_offset)
        strbuf_addf(line, ":%" PRIu64, m->offset);
    strbuf_add_char(line, '\n');
    return NOT_LEFT_OUT;
}

/* Writes the line of a message, as archive_visitor.message. */
static bool write_message(void *context, const struct archive_message *m)
{
    struct map_run *run = context;
    arena_reset(&run->of_message);
    strbuf_reset(&run->line);
    enum left_out result = add_line(run, m);
    run->number++;
    run->counts[result]++;
    if (result == NOT_LEFT_OUT)
        print_more(strbuf_span(&run->line));
    return true;
}

/* Reports the counts, unless every message has a line and standard error is no terminal. */
static void report_counts(const struct map_run *run)
{
    struct strbuf left_out = STRBUF_INIT;
    uint64_t lines = run->counts[NOT_LEFT_OUT], messages = lines;
    for (size_t i = NOT_LEFT_OUT + 1; i < REASONS; i++) {
        if (run->counts[i] > 0)
            strbuf_addf(&left_out, "%s%" PRIu64 " (%s)", messages == lines ? "; left out: " : ", ",
                        run->counts[i], reasons[i]);
        messages += run->counts[i];
    }
    if (lines < messages || isatty(STDERR_FILENO))
        report_error("%" PRIu64 " message%s, %" PRIu64 " line%s%s", messages,
                     messages == 1 ? "" : "s", lines, lines == 1 ? "" : "s", strbuf_str(&left_out));
    strbuf_free(&left_out);
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
    if (o->list != NULL || o->prefix != NULL)
        return usage_error(o, "--%s is for --from-pages", o->list != NULL ? "list" : "prefix");
    if (o->first != NULL && !number_parse(span_cstr(o->first), POST_NUMBER_MAX, &run->number))
        return usage_error(o, "--first %s: expected a number", o->first);
    if (!run->nginx)
        return EX_OK;
    /* A web server redirects to the values: each is a URI, or one without scheme and host. */
    return permalink_compile(o, true, VARS_MESSAGE, NULL, span_of(NULL, 0), &run->arena,
                             &run->value);
}

int map_messages(const struct options *o)
{
    struct map_run run = {.number = 1};
    const struct archive_visitor visitor = {.context = &run, .message = write_message};
    arena_init(&run.arena, 0);
    arena_init(&run.of_message, 0);
    message_init(&run.message);
    strmap_init(&run.seen, 0);
    int status = read_options(&run, o);
    if (status == EX_OK) {
        status = archive_visit(o->arguments, o->argument_count, &visitor);
        if (status == EX_OK && run.counts[NOT_LEFT_OUT] == 0)
            status = EXIT_NO;
        strbuf_reset(&run.line);
        status = print_and_free(&run.line, status);
        report_counts(&run);
    }
    strmap_free(&run.seen);
    strbuf_free(&run.line);
    strbuf_free(&run.link);
    message_free(&run.message);
    arena_free(&run.of_message);
    arena_free(&run.arena);
    return status;
}
