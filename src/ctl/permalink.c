/*
 * mlmilterctl url: prints the stable URLs of an off-list copy (SU-13).
 *
 * mlmilterctl map: prints hash and place of each message of an archive (SU-14, SU-15).
 *
 * tsv      HASH, the Message-ID as hashed, the place; with a TAB between
 * --json   an object: "hash", "message_id", "file", "offset"
 * nginx    HASH "value";  for a file that a `map` block of nginx includes
 */
#include "ctl/permalink.h"

#include "ctl/archive.h"
#include "ctl/tool.h"
#include "mail/message.h"
#include "plan/message_values.h"
#include "spec/iri.h"
#include "spec/list_id.h"
#include "spec/message_id.h"
#include "spec/uri.h"
#include "spec/uri_template.h"
#include "text/json.h"
#include "text/number.h"
#include "text/strmap.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

/* ---- templates ---- */

/* Compiles a template of a URI and tries it, with `archive` unless its p is NULL. may_be_path: the
 * template may lack scheme and host. Returns EX_OK, or EX_USAGE after a message. */
static int compile_template(const char *option, const char *text, bool may_be_path,
                            uint64_t allowed, const struct token_names *tokens, struct span archive,
                            struct arena *arena, struct template *out)
{
    struct variable_values known = {.set = archive.p != NULL ? VAR_BIT(VAR_ARCHIVE) : 0};
    bool is_path = may_be_path && *text != '\0' && strstr(text, "://") == NULL;
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
        report_error("--%s \"%s\": %s", option, text, fault);
    return fault != NULL ? EX_USAGE : EX_OK;
}

int compile_to(const struct options *o, uint64_t allowed, struct arena *arena, struct template *out)
{
    return compile_template("to", o->to != NULL ? o->to : "{message_id}", true, allowed, NULL,
                            span_of(NULL, 0), arena, out);
}

/* Reasons for no URL, or no line of map. */
enum left_out { NO_ID, NO_VALUE, ELSEWHERE, TOO_LONG, DUPLICATE, NOT_LEFT_OUT };

/* Appends the URL that a template gives for a message; `values` has further values. Returns
 * NOT_LEFT_OUT; NO_VALUE with *missing (RULINGS 53); or ELSEWHERE, if a segment of its path is ".",
 * ".." or empty (RULINGS 86). */
static enum left_out add_link(const struct template *t, const struct message_source *source,
                              struct variable_values values, struct arena *arena,
                              struct strbuf *out, enum variable *missing)
{
    message_values(source, t->needs, arena, &values);
    *missing = template_expand(t, &values, out);
    if (*missing == VAR_COUNT)
        return NOT_LEFT_OUT;
    return (values.set & VAR_BIT(*missing)) == 0 ? NO_VALUE : ELSEWHERE;
}

/* ---- url ---- */

#define VARS_URL (VARS_LIST | VAR_BIT(VAR_ARCHIVE) | VARS_MESSAGE | VARS_TOKENS)

struct url_run {
    struct arena arena;
    struct settings *settings; /* NULL if no list is needed */
    const struct list *list;   /* of --list, or NULL */
    struct strbuf text;        /* the header */
    struct message message;
    struct message_source source;
    struct span base;      /* of --base: {archive}; its p is NULL: not given */
    struct strbuf urls;    /* a line each */
    enum variable missing; /* why a template was skipped; VAR_COUNT: none was */
    bool is_explained;     /* a list or a URL was skipped with a message */
};

static bool has_line(const char *lines, const char *line)
{
    const char *at = lines;
    while ((at = strstr(at, line)) != NULL && at > lines && at[-1] != '\n')
        at++;
    return at != NULL;
}

/* Adds the URL of a template, of the list or not (NULL), unless it is there already (AT-03). */
static void add_url(struct url_run *run, const struct list *list, const struct template *t)
{
    struct variable_values values = {0};
    struct strbuf url = STRBUF_INIT;
    enum variable missing;
    const char *fault = NULL;
    run->source.list = list;
    if (list != NULL) {
        list_variables(list, &values);
        list_set_archive(list, &run->arena, &values);
    }
    if (run->base.p != NULL) {
        values.set |= VAR_BIT(VAR_ARCHIVE);
        values.text[VAR_ARCHIVE] = run->base;
    }
    enum left_out result = add_link(t, &run->source, values, &run->arena, &url, &missing);
    if (result == NO_VALUE)
        run->missing = missing;
    else if (result == ELSEWHERE)
        fault = "would have a segment \".\", \"..\" or nothing in its path";
    else
        fault = uri_fault(strbuf_span(&url));
    strbuf_add_char(&url, '\n');
    if (fault != NULL)
        report_error("a URL is left out: it %s", fault);
    else if (result == NOT_LEFT_OUT && !has_line(strbuf_str(&run->urls), strbuf_str(&url)))
        strbuf_add_span(&run->urls, strbuf_span(&url));
    run->is_explained |= fault != NULL;
    strbuf_free(&url);
}

static void add_urls_of_list(struct url_run *run, const struct list *list)
{
    const struct list_text_array *texts = &list->texts->archived_at;
    struct span id = run->source.id_text;
    /* Such a post got no Archived-At, so that no URL was promised (RULINGS 65). */
    if (list->archived_at_requires == ARCHIVED_AT_WELL_FORMED && list->archived_at &&
        (id.p == NULL || !message_id_is_well_formed(id))) {
        report_error("list %.*s: no URL, since the Message-ID is not well-formed "
                     "(archived_at_requires)",
                     (int)list->id.n, list->id.p);
        run->is_explained = true;
        return;
    }
    for (size_t i = 0; i < texts->count; i++)
        if (!list_leaves_out(list, &texts->items[i]))
            add_url(run, list, &texts->items[i].text);
}

/* Adds the URLs of each list whose id the message carries; an off-list copy needs no trust. */
static void add_urls_by_list_id(struct url_run *run)
{
    const struct header *header = &run->message.header;
    struct span id;
    for (size_t i = 0; (i = header_find(header, FIELD_LIST_ID, i)) < header_count(header); i++) {
        bool found = list_id_read(header_field(header, i).value, &run->arena, &id);
        const struct list *list = found ? list_get(&run->settings->index, LIST_BY_ID, id) : NULL;
        if (list != NULL)
            add_urls_of_list(run, list);
    }
}

/* Reads configuration, --base and header. A template needs no configuration; with -c it may use
 * tokens. Neither the store nor the key files need exist. Returns EX_OK, or another exit status
 * after a message. */
static int prepare_urls(struct url_run *run, const struct options *o)
{
    static const enum field_name numbers[] = {FIELD_X_LIST_SEQUENCE, FIELD_X_LIST_SEQUENCE_NUMBER};
    const struct header *header = &run->message.header;
    struct message_source *source = &run->source;
    const char *fault = NULL;
    if (o->list != NULL || o->config_is_given || (o->template_text == NULL && o->base == NULL)) {
        run->settings = load_settings(o, SETTINGS_ALL, KEYS_IF_READABLE);
        if (run->settings == NULL) {
            report_error("without a configuration: url --base URL, or --template TEMPLATE");
            return EX_CONFIG;
        }
    }
    if (o->list != NULL && (run->list = find_list(run->settings, o->list)) == NULL)
        return EXIT_NO;
    if (o->base != NULL &&
        (fault = iri_to_uri(span_cstr(o->base), &run->arena, &run->base)) == NULL)
        fault = uri_fault(run->base);
    if (fault != NULL) {
        report_error("--base \"%s\": %s", o->base, fault);
        return EX_USAGE;
    }
    int status = o->id == NULL ? archive_first(o->arguments[0], &run->text, NULL) : EX_OK;
    message_split(&run->message, strbuf_span(&run->text));
    *source = message_source_of(header, &run->arena);
    if (run->settings != NULL) {
        source->tokens = run->settings->tokens;
        source->token_count = run->settings->token_names.count;
    }
    if (o->id != NULL)
        source->id_text = span_trim(span_cstr(o->id));
    /* The number that the post was given, which a copy carries if the list has numbers (SU-18). */
    for (size_t i = 0; i < 2 && source->number == 0; i++)
        (void)number_parse(header_first(header, numbers[i], &run->arena), POST_NUMBER_MAX,
                           &source->number);
    return status;
}

/* Reports why there is no URL. */
static void report_nothing(const struct url_run *run)
{
    struct span id = run->source.id_text;
    if (run->missing == VAR_SEQUENCE)
        report_error("{sequence} needs a number: the message has no X-List-Sequence");
    else if (run->missing >= VAR_FIRST_TOKEN && run->missing < VAR_COUNT)
        report_error("the message (or a key file) lacks what a token is made of");
    else if (run->missing != VAR_COUNT)
        report_error("there is no value for {%s}%s", variable_name(run->missing),
                     id.p != NULL && message_id_bare(id).n == 0 ? ": the Message-ID is empty" : "");
    else if (!run->is_explained)
        report_error("no List-Id of the message is a list with archived_at");
}

int run_url(const struct options *o)
{
    const char *text = o->template_text != NULL ? o->template_text : "{archive}/{message_id_hash}";
    struct url_run run = {.missing = VAR_COUNT};
    struct template compiled;
    if (o->id != NULL && o->argument_count > 0)
        return usage_error(o, "url: expected --id or FILE, not both");
    arena_init(&run.arena, 0);
    message_init(&run.message);
    int status = prepare_urls(&run, o);
    if (status == EX_OK && (o->template_text != NULL || o->base != NULL)) {
        status = compile_template("template", text, false, VARS_URL,
                                  run.settings != NULL ? &run.settings->token_names : NULL,
                                  run.base, &run.arena, &compiled);
        if (status == EX_OK)
            add_url(&run, run.list, &compiled);
    } else if (status == EX_OK && run.list != NULL) {
        add_urls_of_list(&run, run.list);
    } else if (status == EX_OK) {
        add_urls_by_list_id(&run);
    }
    if (status == EX_OK && run.urls.len == 0) {
        report_nothing(&run);
        status = EXIT_NO;
    }
    status = print_and_free(&run.urls, status);
    settings_free(run.settings);
    message_free(&run.message);
    strbuf_free(&run.text);
    arena_free(&run.arena);
    return status;
}

/* ---- map ---- */

/* nginx refuses a configuration if a parameter does not fit its buffer of 4096 bytes
 * (NGX_CONF_BUFFER). */
#define NGINX_LONGEST_VALUE 4000

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
    struct message message; /* of nginx */
    struct strbuf line, link;
    struct strmap seen; /* of nginx: hashes with a line, since it refuses a second one */
    uint64_t number;    /* {sequence} of the next message */
    uint64_t counts[NOT_LEFT_OUT + 1]; /* of messages */
};

/* Adds HASH "value"; nginx expands "$" in a value and has no way to quote it, so that a Message-ID
 * could name a variable of the server: "$" becomes %24, which a URI allows. */
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
    enum left_out result =
        add_link(&run->value, &source, values, &run->of_message, &run->link, &missing);
    if (result != NOT_LEFT_OUT)
        return result;
    strbuf_addf(&run->line, "%s \"", hash);
    for (size_t i = 0; i < run->link.len; i++) {
        char c = run->link.data[i];
        if (c == '$')
            strbuf_add_str(&run->line, "%24");
        else
            strbuf_add_char(&run->line, c);
    }
    strbuf_add_char(&run->line, '"');
    if (run->line.len > MESSAGE_ID_HASH_LENGTH + 1 + NGINX_LONGEST_VALUE)
        return TOO_LONG;
    strbuf_add_str(&run->line, ";\n");
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
static void write_message(void *context, const struct archive_message *m)
{
    struct map_run *run = context;
    arena_reset(&run->of_message);
    strbuf_reset(&run->line);
    enum left_out result = add_line(run, m);
    run->number++;
    run->counts[result]++;
    if (result == NOT_LEFT_OUT)
        print_more(strbuf_span(&run->line));
}

/* Reports the counts, unless every message has a line and standard error is no terminal. */
static void report_counts(const struct map_run *run)
{
    struct strbuf left_out = STRBUF_INIT;
    uint64_t lines = run->counts[NOT_LEFT_OUT], messages = lines;
    for (size_t i = 0; i < NOT_LEFT_OUT; i++) {
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
    return compile_to(o, VARS_MESSAGE, &run->arena, &run->value);
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
