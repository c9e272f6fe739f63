/* mlmilterctl hash and url: the Message-ID-Hash and the permalinks of an off-list copy, or of a
 * Message-ID (SU-13). */
#include "ctl/archive.h"
#include "ctl/permalink.h"
#include "mail/message.h"
#include "spec/iri.h"
#include "spec/list_id.h"
#include "spec/message_id.h"
#include "spec/uri.h"
#include "text/number.h"

#include <string.h>

struct post_run {
    struct arena arena;
    const char *name;   /* of the input */
    struct strbuf text; /* the header */
    struct message message;
    /* Of url: */
    struct settings *settings; /* NULL if no list is needed */
    struct message_source source;
    struct span base;      /* of --base: {archive}; its p is NULL: not given */
    struct strbuf out;     /* a line for each URL */
    enum variable missing; /* why a template was skipped; VAR_COUNT: none was */
    bool is_explained;     /* a message says why there is no hash or URL */
};

/* True if --id has no text: a mistake of a script. */
static bool id_is_empty(const struct options *o)
{
    return o->id != NULL && span_trim(span_cstr(o->id)).n == 0;
}

static void init_post(struct post_run *run)
{
    *run = (struct post_run){.missing = VAR_COUNT};
    arena_init(&run->arena, 0);
    message_init(&run->message);
}

/* Reads the header of a message, or the first in an archive. Sets *has_more unless it is NULL.
 * Reports a message that no list takes. */
static int read_post(struct post_run *run, char *path, bool *has_more)
{
    run->name = path != NULL && strcmp(path, "-") != 0 ? path : "standard input";
    int status = archive_first(path, &run->text, has_more);
    message_split(&run->message, strbuf_span(&run->text));
    if (run->message.header.too_large)
        report_error("%s: the header is over %zu bytes or %d fields, which no list takes",
                     run->name, HEADER_MAX_OCTETS, HEADER_MAX_FIELDS);
    else if (status == EX_OK && run->message.field_count == 0)
        report_error("%s: there is no header field", run->name);
    run->is_explained = run->message.field_count == 0 || run->message.header.too_large;
    return status;
}

static void free_post(struct post_run *run)
{
    settings_free(run->settings);
    message_free(&run->message);
    strbuf_free(&run->text);
    strbuf_free(&run->out);
    arena_free(&run->arena);
}

/* ---- hash ---- */

/* Prints a line: the hash, or "-" if there is none. Returns the exit status. */
static int print_hash(const char *hash)
{
    struct strbuf line = STRBUF_INIT;
    strbuf_addf(&line, "%s\n", hash == NULL ? "-" : hash);
    return print_and_free(&line, hash == NULL ? EXIT_NO : EX_OK);
}

static int print_hash_of_file(char *path, bool rev1)
{
    char hash[MESSAGE_ID_HASH_LENGTH + 1];
    struct post_run run;
    bool has_more = false;
    init_post(&run);
    int status = read_post(&run, path, &has_more);
    struct span id = message_first(strbuf_span(&run.text), FIELD_MESSAGE_ID, &run.arena);
    struct span date = message_first(strbuf_span(&run.text), FIELD_DATE, &run.arena);
    const char *missing = id.p == NULL ? "Message-ID" : rev1 && date.p == NULL ? "Date" : NULL;
    if (missing == NULL && rev1)
        message_id_list_hash(id, date, hash);
    else if (missing == NULL)
        message_id_hash(message_id_bare(id), hash);
    else if (status == EX_OK && !run.is_explained)
        report_error("%s: there is no hash: the message has no %s", run.name, missing);
    if (status == EX_OK)
        status = print_hash(missing == NULL ? hash : NULL);
    if (has_more)
        report_error("%s has more messages: mlmilterctl map prints the hashes of all", run.name);
    free_post(&run);
    return status;
}

int run_hash(const struct options *o)
{
    char hash[MESSAGE_ID_HASH_LENGTH + 1];
    char *file = o->arguments[0];
    if ((o->normalize != NULL) + o->rev1 + (o->id != NULL) > 1 ||
        (file != NULL && (o->normalize != NULL || o->id != NULL)))
        return usage_error(o, "hash: expected one of --id, --normalize, --rev1, and FILE with the "
                              "last or alone");
    if (id_is_empty(o))
        return usage_error(o, "--id: expected a Message-ID");
    if (o->normalize == NULL && o->id == NULL)
        return print_hash_of_file(file, o->rev1);
    if (o->normalize == NULL) {
        message_id_hash(message_id_bare(span_trim(span_cstr(o->id))), hash);
    } else if (!message_id_hash_normalize(span_cstr(o->normalize), hash)) {
        report_error("\"%s\" is not a hash (expected %d characters of A-Z and 2-7)", o->normalize,
                     MESSAGE_ID_HASH_LENGTH);
        return EXIT_NO;
    }
    return print_hash(hash);
}

/* ---- url ---- */

#define VARS_URL (VARS_LIST | VAR_BIT(VAR_ARCHIVE) | VARS_MESSAGE | VARS_TOKENS)

static bool has_line(const char *lines, const char *line)
{
    const char *at = lines;
    while ((at = strstr(at, line)) != NULL && at > lines && at[-1] != '\n')
        at++;
    return at != NULL;
}

/* Adds the URL of a template, of the list or not (NULL), unless it is there already (AT-03). */
static void add_url(struct post_run *run, const struct list *list, const struct template *t)
{
    struct variable_values values = {.set = run->base.p != NULL ? VAR_BIT(VAR_ARCHIVE) : 0};
    struct strbuf url = STRBUF_INIT;
    enum variable missing;
    values.text[VAR_ARCHIVE] = run->base;
    run->source.list = list;
    enum permalink_result result =
        permalink_add(t, &run->source, values, &run->arena, &url, &missing);
    const char *fault = result == PERMALINK_MADE ? uri_fault(strbuf_span(&url))
                        : result == PERMALINK_ELSEWHERE
                            ? "would have a segment \".\", \"..\" or nothing in its path"
                            : NULL;
    strbuf_add_char(&url, '\n');
    if (result == PERMALINK_NO_VALUE)
        run->missing = missing;
    else if (fault != NULL)
        report_error("a URL is left out: it %s", fault);
    else if (!has_line(strbuf_str(&run->out), strbuf_str(&url)))
        strbuf_add_span(&run->out, strbuf_span(&url));
    run->is_explained |= fault != NULL;
    strbuf_free(&url);
}

static void add_urls_of_list(struct post_run *run, const struct list *list)
{
    const struct list_text_array *texts = &list->texts->archived_at;
    struct span id = run->source.id_text;
    run->source.list = list;
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

/* Adds the URLs of each list whose id the message has; an off-list copy needs no trust. */
static void add_urls_by_list_id(struct post_run *run)
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

/* Sets --base, a URL to which "/HASH" can be added. Returns NULL, or the fault. */
static const char *set_base(struct post_run *run, const char *typed)
{
    const char *fault = iri_to_uri(span_cstr(typed), &run->arena, &run->base);
    fault = fault != NULL ? fault : uri_fault(run->base);
    bool is_web =
        fault == NULL && (uri_has_scheme(run->base, "https") || uri_has_scheme(run->base, "http"));
    if (fault == NULL && (!is_web || span_find_any(run->base, "?#") < run->base.n))
        fault = "is no base (expected an http: or https: URL without a query)";
    return fault;
}

/* Sets the source: the message, or --id. */
static int read_source(struct post_run *run, const struct options *o)
{
    static const enum field_name numbers[] = {FIELD_X_LIST_SEQUENCE, FIELD_X_LIST_SEQUENCE_NUMBER};
    const struct header *header = &run->message.header;
    struct message_source *source = &run->source;
    int status = o->id == NULL ? read_post(run, o->arguments[0], NULL) : EX_OK;
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
static void report_nothing(struct post_run *run)
{
    struct span id = run->source.id_text;
    const struct header *header = &run->message.header;
    struct span list_id = header_first(header, FIELD_LIST_ID, &run->arena);
    if (run->is_explained)
        return;
    if (run->missing == VAR_SEQUENCE)
        report_error("{sequence} needs a number: the message has no X-List-Sequence");
    else if (run->missing >= VAR_FIRST_TOKEN && run->missing < VAR_COUNT)
        report_error("the message (or a key file) lacks what a token is made of");
    else if (run->missing != VAR_COUNT)
        report_error("there is no value for {%s}%s", variable_name(run->missing),
                     id.p != NULL && message_id_bare(id).n == 0 ? ": the Message-ID is empty" : "");
    else if (run->source.list != NULL)
        report_error("list %.*s has no archived_at%s", (int)run->source.list->id.n,
                     run->source.list->id.p,
                     run->source.list->texts->archived_at.count > 0
                         ? " without {archive}, and no archive with http: or https:"
                         : "");
    else if (list_id.p != NULL)
        report_error("the List-Id is no list's: %.*s", (int)span_sub(list_id, 0, 200).n, list_id.p);
    else
        report_error("there is no List-Id (expected one, --list, --base or --template)");
}

/* Adds the URLs that are requested. The store and the key files need not exist. Returns EX_OK, or
 * another exit status after a message. */
static int add_urls(struct post_run *run, const struct options *o)
{
    const char *text = o->template_text != NULL ? o->template_text : "{archive}/{message_id_hash}";
    const char *fault = o->base != NULL ? set_base(run, o->base) : NULL;
    bool is_given = o->template_text != NULL || o->base != NULL;
    const struct list *list = NULL;
    struct template t;
    if (fault != NULL) {
        report_error("--base \"%s\": %s", o->base, fault);
        return EX_USAGE;
    }
    /* A template may have tokens of the configuration. */
    if (o->list != NULL || !is_given || (o->config_is_given && o->template_text != NULL)) {
        run->settings = load_settings(o, SETTINGS_ALL, KEYS_IF_READABLE);
        if (run->settings == NULL && !is_given)
            report_error("without a configuration: url --base URL, or --template TEMPLATE");
        if (run->settings == NULL)
            return EX_CONFIG;
    }
    if (o->list != NULL && (list = find_list(run->settings, o->list)) == NULL)
        return EXIT_NO;
    int status = read_source(run, o);
    if (status == EX_OK && is_given)
        status = permalink_compile("template", text, VARS_URL,
                                   run->settings != NULL ? &run->settings->token_names : NULL,
                                   run->base, &run->arena, &t);
    if (status != EX_OK)
        return status;
    if (is_given)
        add_url(run, list, &t);
    else if (list != NULL)
        add_urls_of_list(run, list);
    else
        add_urls_by_list_id(run);
    return EX_OK;
}

int run_url(const struct options *o)
{
    struct post_run run;
    if (o->id != NULL && o->argument_count > 0)
        return usage_error(o, "url: expected --id or FILE, not both");
    if (id_is_empty(o))
        return usage_error(o, "--id: expected a Message-ID");
    init_post(&run);
    int status = add_urls(&run, o);
    if (status == EX_OK && run.out.len == 0) {
        report_nothing(&run);
        status = EXIT_NO;
    }
    status = print_and_free(&run.out, status);
    free_post(&run);
    return status;
}
