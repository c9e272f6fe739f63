/* mlmilterctl hash and url: the Message-ID-Hash and the permalinks of an off-list copy, or of a
 * Message-ID (SU-13). */
#include "config/read/schema.h"
#include "ctl/archive.h"
#include "ctl/permalink.h"
#include "mail/message.h"
#include "spec/iri.h"
#include "spec/list_id.h"
#include "spec/message_id.h"
#include "text/number.h"

#include <string.h>

struct post_run {
    const struct options *o;
    struct arena arena;
    struct strbuf text; /* the header */
    struct message message;
    struct message_source source; /* of the message or --id; its list is the last one seen */
    struct strbuf out;            /* a line for each result */
    bool is_explained;            /* a message says why there is no result */
    /* For url: */
    struct settings *settings; /* NULL if no list is needed */
    struct span base;          /* of --base: {archive}; its p is NULL: not given */
    enum variable missing;     /* why a template was skipped; VAR_COUNT: none was */
};

/* Sets the source. Sets *has_more, unless it is NULL, if an archive has further messages. Reports a
 * message that no list takes. */
static int read_source(struct post_run *run, bool *has_more)
{
    static const enum field_name numbers[] = {FIELD_X_LIST_SEQUENCE, FIELD_X_LIST_SEQUENCE_NUMBER};
    const struct header *header = &run->message.header;
    const char *id = run->o->id;
    int status = id == NULL ? archive_first(run->o->arguments[0], &run->text, has_more) : EX_OK;
    message_split(&run->message, strbuf_span(&run->text));
    run->is_explained = id == NULL && (header->too_large || header->octets == 0);
    if (header->too_large)
        report_error("the header is over %zu bytes or %d fields, which no list takes",
                     HEADER_MAX_OCTETS, HEADER_MAX_FIELDS);
    else if (status == EX_OK && run->is_explained)
        report_error("there is no header field");
    run->source = message_source_of(header, &run->arena);
    if (id != NULL)
        run->source.id_text = span_trim(span_cstr(id));
    /* The number that the post was given, which a copy carries if the list has numbers (SU-18). */
    for (size_t i = 0; i < 2 && run->source.number == 0; i++)
        (void)number_parse(header_first(header, numbers[i], &run->arena), POST_NUMBER_MAX,
                           &run->source.number);
    return status;
}

/* Runs a command about one post, which appends its results and returns an exit status. */
static int run_post(const struct options *o, int (*command)(struct post_run *run))
{
    static struct post_run run = {.missing = VAR_COUNT};
    if (o->id != NULL && (o->argument_count > 0 || span_trim(span_cstr(o->id)).n == 0))
        return usage_error(o, "--id: expected a Message-ID, and no FILE");
    run.o = o;
    arena_init(&run.arena, 0);
    message_init(&run.message);
    int status = command(&run);
    return print_and_free(&run.out, status);
}

/* ---- hash ---- */

static int hash_post(struct post_run *run)
{
    char hash[MESSAGE_ID_HASH_LENGTH + 1];
    bool has_more = false, rev1 = run->o->rev1;
    const char *path = run->o->arguments[0];
    int status = read_source(run, &has_more);
    struct span id = run->source.id_text, date = run->source.date_text;
    const char *missing = id.p == NULL ? "Message-ID" : rev1 && date.p == NULL ? "Date" : NULL;
    if (status != EX_OK)
        return status;
    if (missing == NULL && rev1)
        message_id_list_hash(id, date, hash);
    else if (missing == NULL)
        message_id_hash(message_id_bare(id), hash);
    else if (!run->is_explained)
        report_error("there is no hash: the message has no %s", missing);
    if (has_more)
        report_error("%s has more messages: mlmilterctl map prints the hashes of all",
                     path != NULL && strcmp(path, "-") != 0 ? path : "standard input");
    strbuf_addf(&run->out, "%s\n", missing == NULL ? hash : "-");
    return missing == NULL ? EX_OK : EXIT_NO;
}

int run_hash(const struct options *o)
{
    char hash[MESSAGE_ID_HASH_LENGTH + 1];
    struct strbuf line = STRBUF_INIT;
    if ((o->normalize != NULL) + o->rev1 + (o->id != NULL) > 1 ||
        (o->normalize != NULL && o->argument_count > 0))
        return usage_error(o,
                           "hash: expected one of --id, --normalize and --rev1; FILE alone or with "
                           "--rev1");
    if (o->normalize == NULL)
        return run_post(o, hash_post);
    if (!message_id_hash_normalize(span_cstr(o->normalize), hash)) {
        report_error("\"%s\" is not a hash (expected %d characters of A-Z and 2-7)", o->normalize,
                     MESSAGE_ID_HASH_LENGTH);
        return EXIT_NO;
    }
    strbuf_addf(&line, "%s\n", hash);
    return print_and_free(&line, EX_OK);
}

/* ---- url ---- */

static bool has_line(const char *lines, const char *line)
{
    const char *at = lines;
    while ((at = strstr(at, line)) != NULL && at > lines && at[-1] != '\n')
        at++;
    return at != NULL;
}

/* Adds the URL of a template, with the source's list, unless it is there already (AT-03). */
static void add_url(struct post_run *run, const struct template *t)
{
    struct variable_values values = {.set = run->base.p != NULL ? VAR_BIT(VAR_ARCHIVE) : 0};
    struct strbuf url = STRBUF_INIT;
    enum variable missing;
    values.text[VAR_ARCHIVE] = run->base;
    enum permalink_result result =
        permalink_add(t, &run->source, values, &run->arena, &url, &missing);
    const char *fault = result == PERMALINK_ELSEWHERE
                            ? "would have a segment \".\", \"..\" or nothing in its path"
                            : uri_fault(strbuf_span(&url));
    strbuf_add_char(&url, '\n');
    if (result == PERMALINK_NO_VALUE) {
        run->missing = missing;
    } else if (fault != NULL) {
        report_error("a URL is left out: it %s", fault);
        run->is_explained = true;
    } else if (!has_line(strbuf_str(&run->out), strbuf_str(&url))) {
        strbuf_add_span(&run->out, strbuf_span(&url));
    }
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
            add_url(run, &texts->items[i].text);
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

/* Sets --base, a URL to which "/HASH" can be added. Returns EX_OK, or EX_USAGE after a message. */
static int set_base(struct post_run *run, const char *typed)
{
    const char *fault = iri_to_uri(span_cstr(typed), &run->arena, &run->base);
    fault = fault != NULL ? fault : uri_fault(run->base);
    bool is_web = fault == NULL && span_find_any(run->base, "?#") == run->base.n &&
                  (uri_has_scheme(run->base, "https") || uri_has_scheme(run->base, "http"));
    if (fault == NULL && !is_web)
        fault = "is no base (expected an http: or https: URL without a query)";
    if (fault != NULL)
        report_error("--base \"%s\": %s", typed, fault);
    return fault != NULL ? EX_USAGE : EX_OK;
}

/* Reports why there is no URL. */
static void report_nothing(struct post_run *run)
{
    struct span id = run->source.id_text;
    const struct list *list = run->source.list;
    struct span list_id = header_first(&run->message.header, FIELD_LIST_ID, &run->arena);
    if (run->is_explained)
        return;
    if (run->missing == VAR_SEQUENCE)
        report_error("{sequence} needs a number: the message has no X-List-Sequence");
    else if (run->missing >= VAR_FIRST_TOKEN && run->missing < VAR_COUNT)
        report_error("the message (or a key file) lacks what a token is made of");
    else if (run->missing != VAR_COUNT)
        report_error("there is no value for {%s}%s", variable_name(run->missing),
                     id.p != NULL && message_id_bare(id).n == 0 ? ": the Message-ID is empty" : "");
    else if (list != NULL)
        report_error("list %.*s has no archived_at%s", (int)list->id.n, list->id.p,
                     list->texts->archived_at.count > 0
                         ? " without {archive}, and no archive with http: or https:"
                         : "");
    else if (list_id.p != NULL)
        report_error("the List-Id is no list's: %.*s", (int)span_sub(list_id, 0, 200).n, list_id.p);
    else
        report_error("there is no List-Id (expected one, --list, --base or --template)");
}

/* Prints the URLs. The store and the key files need not exist. */
static int url_post(struct post_run *run)
{
    const struct options *o = run->o;
    bool is_given = o->template_text != NULL || o->base != NULL;
    const struct list *list = NULL;
    struct template t;
    int status = o->base != NULL ? set_base(run, o->base) : EX_OK;
    if (status != EX_OK)
        return status;
    /* A template may have tokens of the configuration. */
    if (o->list != NULL || !is_given || (o->config_is_given && o->template_text != NULL)) {
        run->settings = load_settings(o, SETTINGS_ALL, KEYS_IF_READABLE);
        if (run->settings == NULL && !is_given)
            report_error("without a configuration, url needs --base URL or --template TEMPLATE");
        if (run->settings == NULL)
            return EX_CONFIG;
    }
    const struct token_names *names = run->settings != NULL ? &run->settings->token_names : NULL;
    if (o->list != NULL && (list = find_list(run->settings, o->list)) == NULL)
        return EXIT_NO;
    status = read_source(run, NULL);
    if (status == EX_OK && is_given)
        status = permalink_compile(o, false, schema[KEY_ARCHIVED_AT].variables, names, run->base,
                                   &run->arena, &t);
    if (status != EX_OK)
        return status;
    run->source.list = list;
    run->source.tokens = names != NULL ? run->settings->tokens : NULL;
    run->source.token_count = names != NULL ? names->count : 0;
    if (is_given)
        add_url(run, &t);
    else if (list != NULL)
        add_urls_of_list(run, list);
    else
        add_urls_by_list_id(run);
    if (run->out.len > 0)
        return EX_OK;
    report_nothing(run);
    return EXIT_NO;
}

int run_url(const struct options *o)
{
    return run_post(o, url_post);
}
