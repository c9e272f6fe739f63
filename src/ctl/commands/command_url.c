/* mlmilterctl url: the stable URLs of an off-list copy (SU-13). */
#include "ctl/commands/commands.h"
#include "ctl/configuration.h"
#include "ctl/input.h"
#include "ctl/report.h"
#include "mail/address.h"
#include "mail/message.h"
#include "plan/facts.h"
#include "plan/message_values.h"
#include "spec/iri.h"
#include "spec/list_id.h"
#include "spec/message_id.h"
#include "spec/template_try.h"
#include "spec/uri.h"
#include "store/store.h"
#include "text/json.h"
#include "text/number.h"

#include <string.h>
#include <sysexits.h>

#define BASE_TEMPLATE "{archive}/{message_id_hash}"
#define VARS_URL      (VARS_LIST | VAR_BIT(VAR_ARCHIVE) | VARS_MESSAGE | VARS_TOKENS)

struct url_options {
    const char *list;
    const char *template_text;
    const char *base;
    bool as_json;
    const char *file; /* NULL: standard input */
};

/* One run of the command. */
struct url_run {
    struct arena arena;
    struct strbuf text;
    struct message message;
    struct settings *settings; /* NULL when no list is needed */
    struct message_source source;
    struct variable_values base; /* {archive} with --base */
    struct strbuf urls;          /* one per line */
    enum variable missing;       /* why a template was skipped; VAR_COUNT: none was */
    bool told;                   /* why a list or a URL was skipped */
};

enum option_code { OPTION_LIST, OPTION_TEMPLATE, OPTION_BASE, OPTION_JSON, OPTION_COUNT };

static const struct option options[] = {
    {"list", required_argument, NULL, OPTION_LIST},
    {"template", required_argument, NULL, OPTION_TEMPLATE},
    {"base", required_argument, NULL, OPTION_BASE},
    {"json", no_argument, NULL, OPTION_JSON},
    {NULL, 0, NULL, 0},
};

static int parse_options(struct url_options *o, struct invocation *invocation, int argc,
                         char **argv)
{
    const char *values[OPTION_COUNT] = {NULL};
    int status = command_values(invocation, options, values, argc, argv);
    memset(o, 0, sizeof *o);
    if (status != EX_OK)
        return status;
    o->list = values[OPTION_LIST];
    o->template_text = values[OPTION_TEMPLATE];
    o->base = values[OPTION_BASE];
    o->as_json = values[OPTION_JSON] != NULL;
    if (argc - optind > 1)
        return usage_error(invocation);
    o->file = argv[optind];
    if (o->base != NULL && o->template_text == NULL)
        o->template_text = BASE_TEMPLATE;
    return EX_OK;
}

/* Is url one of the lines already (AT-03)? */
static bool is_listed(const struct strbuf *urls, struct span url)
{
    struct span rest = strbuf_span(urls);
    while (rest.n > 0) {
        size_t n = span_find(rest, '\n');
        if (span_eq(span_sub(rest, 0, n), url))
            return true;
        rest = span_sub(rest, n + 1, rest.n);
    }
    return false;
}

/* Adds the URL of a template that is bound to the list (NULL: to none); one whose values are not
 * all there is skipped (RULINGS 53), and so is what these values make no URI of, or one that leads
 * elsewhere (RULINGS 86). */
static void add_url(struct url_run *run, const struct list *list, const struct template *bound)
{
    struct variable_values values = run->base;
    struct strbuf url = STRBUF_INIT;
    enum variable missing = VAR_COUNT;
    const char *fault = NULL;
    int result;
    run->source.list = list;
    message_values(&run->source, bound->needs, &run->arena, &values);
    result = template_expand(bound, TEMPLATE_URI, &values, &url, &missing);
    if (result == 1)
        run->missing = missing;
    if (result == 2)
        fault = "would have a segment \".\", \"..\" or nothing in its path";
    else if (result == 0)
        fault = uri_fault(strbuf_span(&url));
    if (fault != NULL) {
        report_error("a URL is left out: it %s", fault);
        run->told = true;
    }
    if (result == 0 && fault == NULL && !is_listed(&run->urls, strbuf_span(&url))) {
        strbuf_add_span(&run->urls, strbuf_span(&url));
        strbuf_add_char(&run->urls, '\n');
    }
    strbuf_free(&url);
}

/* RULINGS 65: such a post got no Archived-At, and what was never promised is not told. */
static bool is_unpromised(const struct url_run *run, const struct list *list)
{
    struct span id = run->source.id_text;
    return list->archived_at_requires == ARCHIVED_AT_WELL_FORMED && list->archived_at &&
           (id.p == NULL || !message_id_is_well_formed(id));
}

static void add_urls_of_list(struct url_run *run, const struct list *list)
{
    if (is_unpromised(run, list)) {
        report_error("list %.*s: no URL, since the Message-ID is not well-formed "
                     "(archived_at_requires)",
                     (int)list->id.n, list->id.p);
        run->told = true;
        return;
    }
    struct list_texts texts;
    list_texts_of(list, &run->arena, &texts);
    for (size_t i = 0; i < texts.archived_at_count; i++)
        add_url(run, list, &texts.archived_at[i]);
}

/* The lists whose id the message carries; off-list copies of it need no trust. */
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

/* The text as a URI and as a template, which is tried. An exit status. */
static int compile_template(struct url_run *run, const char *text, struct template *compiled)
{
    const struct token_names *tokens = run->settings != NULL ? &run->settings->token_names : NULL;
    struct strbuf url = STRBUF_INIT;
    struct span uri;
    const char *fault = iri_to_uri(span_cstr(text), &run->arena, &uri);
    int result = fault != NULL ? 1 : 0;
    if (result == 0)
        result = template_compile(uri, VARS_URL, tokens, &run->arena, compiled, &fault);
    if (result == 0)
        result = template_try(compiled, &run->base, "1", &url, &fault);
    strbuf_free(&url);
    if (result == 0)
        return EX_OK;
    report_error("--template \"%s\": %s", text, fault);
    return EX_USAGE;
}

/* The variables of list; in a host name its domain has A-labels (RULINGS 67). */
static void set_list_variables(struct url_run *run, const struct list *list,
                               const struct template *compiled, struct variable_values *values)
{
    struct span *domain = &values->text[VAR_ADDRESS_DOMAIN];
    struct list_texts texts;
    list_variables(list, values);
    list_texts_of(list, &run->arena, &texts);
    if (texts.archive.n > 0) {
        values->set |= VAR_BIT(VAR_ARCHIVE);
        values->text[VAR_ARCHIVE] = texts.archive;
    }
    if (list->address.n > 0 &&
        (template_host_variables(compiled) & VAR_BIT(VAR_ADDRESS_DOMAIN)) != 0)
        (void)domain_to_ascii(address_domain(list->address), &run->arena, domain);
}

/* --template or --base, with the variables of list unless it is NULL. */
static int add_url_of_template(struct url_run *run, const struct list *list, const char *text)
{
    struct variable_values of_list = {0};
    struct template compiled;
    struct template bound;
    int result = compile_template(run, text, &compiled);
    if (result != EX_OK)
        return result;
    if (list != NULL)
        set_list_variables(run, list, &compiled, &of_list);
    if ((run->base.set & VAR_BIT(VAR_ARCHIVE)) != 0) {
        of_list.text[VAR_ARCHIVE] = run->base.text[VAR_ARCHIVE];
        of_list.set |= VAR_BIT(VAR_ARCHIVE);
    }
    template_bind(&compiled, TEMPLATE_URI, &of_list, &run->arena, &bound);
    add_url(run, list, &bound);
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

/* The configuration, unless a template alone says all (with -c it may use tokens); *list is that of
 * --list. Neither the store nor the key files need be there. */
static int find_list(struct url_run *run, const struct url_options *o,
                     const struct invocation *invocation, const struct list **list)
{
    *list = NULL;
    if (o->list == NULL && o->template_text != NULL && !invocation->config_is_given)
        return EX_OK;
    run->settings = configuration_load(invocation, KEYS_IF_READABLE);
    if (run->settings == NULL)
        return EX_CONFIG;
    if (o->list == NULL)
        return EX_OK;
    *list = configuration_find_list(run->settings, o->list);
    return *list != NULL ? EX_OK : EXIT_NO;
}

/* Sets what comes from the header: the header itself, id, date, and the number that the post was
 * given, which a copy carries if the list has numbers (SU-18). Texts are borrowed or live in the
 * arena.
 *
 *   X-List-Sequence = 1*15DIGIT
 */
static void read_source(struct message_source *source, const struct header *header,
                        struct arena *arena)
{
    static const enum field_name names[] = {FIELD_X_LIST_SEQUENCE, FIELD_X_LIST_SEQUENCE_NUMBER};
    const struct facts facts = {.header = header};
    source->header = header;
    source->id_text = facts_first(&facts, FIELD_MESSAGE_ID, arena);
    source->date_text = facts_first(&facts, FIELD_DATE, arena);
    for (size_t i = 0; i < sizeof names / sizeof names[0] && source->number == 0; i++)
        (void)number_parse(facts_first(&facts, names[i], arena), POST_NUMBER_MAX, &source->number);
}

static int read_message(struct url_run *run, const char *file)
{
    int status = input_read(file, &run->text);
    if (status != EX_OK)
        return status;
    message_split(&run->message, strbuf_span(&run->text));
    read_source(&run->source, &run->message.header, &run->arena);
    if (run->settings != NULL) {
        run->source.tokens = run->settings->tokens;
        run->source.token_count = run->settings->token_names.count;
    }
    return EX_OK;
}

static int make_urls(struct url_run *run, const struct url_options *o,
                     const struct invocation *invocation)
{
    const struct list *list;
    int status = find_list(run, o, invocation, &list);
    if (status == EX_OK && o->base != NULL)
        status = set_base(run, o->base);
    if (status == EX_OK)
        status = read_message(run, o->file);
    if (status != EX_OK)
        return status;
    if (o->template_text != NULL)
        return add_url_of_template(run, list, o->template_text);
    if (list != NULL)
        add_urls_of_list(run, list);
    else
        add_urls_by_list_id(run);
    return EX_OK;
}

/* Why there is no URL. */
static int say_nothing_found(const struct url_run *run)
{
    if (run->told && run->missing == VAR_COUNT)
        return EXIT_NO;
    if (run->missing == VAR_SEQUENCE)
        report_error("{sequence} needs a number: the message has no X-List-Sequence");
    else if (run->missing >= VAR_FIRST_TOKEN && run->missing < VAR_COUNT)
        report_error("the message (or a key file) lacks what a token is made of");
    else if (run->missing != VAR_COUNT && run->source.id_text.p != NULL &&
             message_id_bare(run->source.id_text).n == 0)
        report_error("there is no value for {%s}: the Message-ID is empty",
                     variable_name(run->missing));
    else if (run->missing != VAR_COUNT)
        report_error("there is no value for {%s}", variable_name(run->missing));
    else
        report_error("no List-Id of the message is a list with archived_at");
    return EXIT_NO;
}

/* One object for each line. */
static int write_json(struct span urls)
{
    struct strbuf out = STRBUF_INIT;
    while (urls.n > 0) {
        struct span url = span_sub(urls, 0, span_find(urls, '\n'));
        urls = span_sub(urls, url.n + 1, urls.n);
        strbuf_add_char(&out, '{');
        json_add_text(&out, "url", url);
        strbuf_add_str(&out, "}\n");
    }
    return write_and_free(&out);
}

static int run_url(struct invocation *invocation, int argc, char **argv)
{
    struct url_options o;
    struct url_run run;
    int status = parse_options(&o, invocation, argc, argv);
    if (status != EX_OK)
        return status;
    memset(&run, 0, sizeof run);
    run.missing = VAR_COUNT;
    arena_init(&run.arena, 0);
    message_init(&run.message);
    status = make_urls(&run, &o, invocation);
    if (status == EX_OK && run.urls.len == 0) {
        status = say_nothing_found(&run);
    } else if (status == EX_OK) {
        status = (o.as_json ? write_json : write_output)(strbuf_span(&run.urls));
    }
    strbuf_free(&run.urls);
    settings_free(run.settings);
    message_free(&run.message);
    strbuf_free(&run.text);
    arena_free(&run.arena);
    return status;
}

const struct command command_url = {
    "url", run_url,
    "  url [--json] [--list ID] [--template T] [--base URL] [FILE]\n"
    "          the stable URLs of an off-list copy\n"};
