/* mlmilterctl url: prints the stable URLs of an off-list copy (SU-13). */
#include "ctl/archive.h"
#include "ctl/commands/commands.h"
#include "ctl/load.h"
#include "ctl/output.h"
#include "ctl/permalink.h"
#include "mail/message.h"
#include "spec/iri.h"
#include "spec/list_id.h"
#include "spec/message_id.h"
#include "spec/uri.h"

#include <string.h>
#include <sysexits.h>

#define BASE_TEMPLATE "{archive}/{message_id_hash}"
#define VARS_URL      (VARS_LIST | VAR_BIT(VAR_ARCHIVE) | VARS_MESSAGE | VARS_TOKENS)

struct url_run {
    struct arena arena;
    struct settings *settings; /* NULL if no list is needed */
    struct strbuf text;        /* the header */
    struct message message;
    struct message_source source;
    struct variable_values base; /* {archive} with --base */
    struct strbuf urls;          /* a line each */
    enum variable missing;       /* why a template was skipped; VAR_COUNT: none was */
    bool is_explained;           /* a list or a URL was skipped with a message */
};

static bool has_line(struct span lines, struct span line)
{
    while (lines.n > 0) {
        size_t n = span_find(lines, '\n');
        if (span_eq(span_sub(lines, 0, n), line))
            return true;
        lines = span_sub(lines, n + 1, lines.n);
    }
    return false;
}

/* Returns the values of the list, which may be NULL, and {archive} of --base. */
static struct variable_values list_values(struct url_run *run, const struct list *list)
{
    struct variable_values values = {0};
    if (list != NULL) {
        list_variables(list, &values);
        list_set_archive(list, &run->arena, &values);
    }
    values.set |= run->base.set;
    if (run->base.set != 0)
        values.text[VAR_ARCHIVE] = run->base.text[VAR_ARCHIVE];
    return values;
}

/* Adds the URL of a template, of the list or not (NULL), unless a value is missing (RULINGS 53), it
 * leads elsewhere (RULINGS 86) or it is there already (AT-03). */
static void add_url(struct url_run *run, const struct list *list, const struct template *t)
{
    struct strbuf url = STRBUF_INIT;
    enum variable missing;
    run->source.list = list;
    int result =
        permalink_add(t, &run->source, list_values(run, list), &run->arena, &url, &missing);
    const char *fault = NULL;
    if (result == 1)
        run->missing = missing;
    else
        fault = result == 2 ? "would have a segment \".\", \"..\" or nothing in its path"
                            : uri_fault(strbuf_span(&url));
    if (fault != NULL) {
        report_error("a URL is left out: it %s", fault);
        run->is_explained = true;
    } else if (result == 0 && !has_line(strbuf_span(&run->urls), strbuf_span(&url))) {
        strbuf_add_span(&run->urls, strbuf_span(&url));
        strbuf_add_char(&run->urls, '\n');
    }
    strbuf_free(&url);
}

/* ---- the templates of lists ---- */

/* True if such a post got no Archived-At, so that no URL was promised (RULINGS 65). */
static bool archived_at_was_omitted(const struct url_run *run, const struct list *list)
{
    struct span id = run->source.id_text;
    return list->archived_at_requires == ARCHIVED_AT_WELL_FORMED && list->archived_at &&
           (id.p == NULL || !message_id_is_well_formed(id));
}

static void add_urls_of_list(struct url_run *run, const struct list *list)
{
    const struct list_text_array *texts = &list->texts->archived_at;
    if (archived_at_was_omitted(run, list)) {
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

/* Adds those of the lists whose id the message carries; off-list copies of it need no trust. */
static void add_urls_by_list_id(struct url_run *run)
{
    const struct header *header = &run->message.header;
    for (size_t i = header_find(header, FIELD_LIST_ID, 0); i < header_count(header);
         i = header_find(header, FIELD_LIST_ID, i + 1)) {
        struct span id;
        bool found = list_id_read(header_field(header, i).value, &run->arena, &id);
        const struct list *list = found ? list_by_id(&run->settings->index, id) : NULL;
        if (list != NULL)
            add_urls_of_list(run, list);
    }
}

/* ---- --template and --base ---- */

static int add_url_of_template(struct url_run *run, const struct list *list, const char *text)
{
    struct template compiled;
    const char *fault = permalink_compile(
        text, false, VARS_URL, run->settings != NULL ? &run->settings->token_names : NULL,
        &run->base, &run->arena, &compiled);
    if (fault != NULL) {
        report_error("--template \"%s\": %s", text, fault);
        return EX_USAGE;
    }
    add_url(run, list, &compiled);
    return EX_OK;
}

static int set_base(struct url_run *run, const char *base)
{
    struct span uri;
    const char *fault = iri_to_uri(span_cstr(base), &run->arena, &uri);
    if (fault == NULL)
        fault = uri_fault(uri);
    if (fault != NULL) {
        report_error("--base \"%s\": %s", base, fault);
        return EX_USAGE;
    }
    run->base.text[VAR_ARCHIVE] = uri;
    run->base.set |= VAR_BIT(VAR_ARCHIVE);
    return EX_OK;
}

/* ---- the command ---- */

/* Loads the configuration, unless a template suffices (with -c it may use tokens), and finds the
 * list of --list. Neither the store nor the key files need exist. */
static int find_list_of(struct url_run *run, const struct options *o, const struct list **list)
{
    *list = NULL;
    if (o->list == NULL && !o->config_is_given && (o->template_text != NULL || o->base != NULL))
        return EX_OK;
    run->settings = load_settings(o, KEYS_IF_READABLE, NULL);
    if (run->settings == NULL) {
        report_error("without a configuration: url --base URL, or --template TEMPLATE");
        return EX_CONFIG;
    }
    if (o->list == NULL)
        return EX_OK;
    *list = find_list(run->settings, o->list);
    return *list != NULL ? EX_OK : EXIT_NO;
}

static int read_source(struct url_run *run, const struct options *o)
{
    int status = o->id == NULL ? archive_first(o->arguments[0], &run->text, NULL) : EX_OK;
    message_split(&run->message, strbuf_span(&run->text));
    permalink_read_source(&run->source, &run->message.header, &run->arena);
    if (o->id != NULL)
        run->source.id_text = span_trim(span_cstr(o->id));
    if (run->settings != NULL) {
        run->source.tokens = run->settings->tokens;
        run->source.token_count = run->settings->token_names.count;
    }
    return status;
}

static int make_urls(struct url_run *run, const struct options *o)
{
    const char *template_text =
        o->template_text == NULL && o->base != NULL ? BASE_TEMPLATE : o->template_text;
    const struct list *list;
    int status = find_list_of(run, o, &list);
    if (status == EX_OK && o->base != NULL)
        status = set_base(run, o->base);
    if (status == EX_OK)
        status = read_source(run, o);
    if (status != EX_OK)
        return status;
    if (template_text != NULL)
        return add_url_of_template(run, list, template_text);
    if (list != NULL)
        add_urls_of_list(run, list);
    else
        add_urls_by_list_id(run);
    return EX_OK;
}

static void report_nothing(const struct url_run *run)
{
    enum variable missing = run->missing;
    struct span id = run->source.id_text;
    if (missing == VAR_COUNT && !run->is_explained)
        report_error("no List-Id of the message is a list with archived_at");
    else if (missing == VAR_SEQUENCE)
        report_error("{sequence} needs a number: the message has no X-List-Sequence");
    else if (missing >= VAR_FIRST_TOKEN && missing < VAR_COUNT)
        report_error("the message (or a key file) lacks what a token is made of");
    else if (missing != VAR_COUNT)
        report_error("there is no value for {%s}%s", variable_name(missing),
                     id.p != NULL && message_id_bare(id).n == 0 ? ": the Message-ID is empty" : "");
}

int run_url(const struct options *o)
{
    struct url_run run = {.missing = VAR_COUNT};
    if (o->id != NULL && o->argument_count > 0)
        return usage_error(o, "url: expected --id or FILE, not both");
    arena_init(&run.arena, 0);
    message_init(&run.message);
    int status = make_urls(&run, o);
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
