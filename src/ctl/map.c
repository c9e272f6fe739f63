/*
 * mlmilterctl map: prints hash and place of each message of an archive (SU-14, SU-15); permalinks
 * of Message-IDs; and, by a script, permalinks of the pages of an old archive (RULINGS 124).
 *
 * tsv      HASH, the Message-ID as hashed, the place; with a TAB between
 * --json   an object: "hash", "message_id", "file", "offset"
 * nginx    HASH "value";  for a file that a `map` block of nginx includes
 * --ids    the permalink of each line "MESSAGE-ID" or "MESSAGE-ID<TAB>DATE", or an empty line
 */
#include "ctl/archive.h"
#include "ctl/permalink.h"
#include "mail/message.h"
#include "spec/message_id.h"
#include "text/json.h"
#include "text/number.h"
#include "text/strmap.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

/* ---- messages ---- */

#define NGINX_VALUE_MAX 4000 /* bytes; its buffer has 4,096 */

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
    strbuf_addf(&run->line, "%s \"", hash);
    size_t begin = run->line.len;
    for (const char *at = strbuf_str(&run->link); *at != '\0'; at++)
        if (*at == '$') /* a variable of nginx; a URI allows %24 */
            strbuf_add_str(&run->line, "%24");
        else
            strbuf_add_char(&run->line, *at);
    if (run->line.len - begin > NGINX_VALUE_MAX)
        return TOO_LONG;
    strbuf_add_str(&run->line, "\";\n");
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

static int map_messages(const struct options *o)
{
    static struct map_run run = {.number = 1};
    const struct archive_visitor visitor = {.context = &run, .message = write_message};
    arena_init(&run.arena, 0);
    arena_init(&run.of_message, 0);
    message_init(&run.message);
    strmap_init(&run.seen, 0);
    int status = read_options(&run, o);
    if (status != EX_OK)
        return status;
    status = archive_visit(o->arguments, o->argument_count, &visitor);
    if (status == EX_OK && run.counts[NOT_LEFT_OUT] == 0)
        status = EXIT_NO;
    strbuf_reset(&run.line);
    status = print_and_free(&run.line, status);
    report_counts(&run);
    return status;
}

/* ---- Message-IDs, and pages of old archives ---- */

#define ID_LINE_MAX 8192 /* bytes; a line of a header has 998 */

struct ids_run {
    struct settings *settings; /* of --list, or NULL */
    const struct list *list;
    struct template to;
    bool wants_date;    /* a template has a part of the Date */
    struct arena arena; /* holds `to` */
    struct arena of_id;
};

/* Appends the URL that a template gives for an id and its Date. Returns false if it gives none: a
 * number, other fields of the header, and the Date byte for byte are not known. */
static bool add_link(const struct template *t, struct message_source source, struct arena *arena,
                     struct strbuf *link)
{
    const uint64_t unknown = VAR_BIT(VAR_LIST_ID_HASH) | VAR_BIT(VAR_SEQUENCE) | VARS_FIELDS;
    uint64_t needs = t->needs;
    enum variable missing;
    for (size_t i = 0; i < source.token_count; i++)
        if ((t->needs & VAR_BIT(VAR_FIRST_TOKEN + i)) != 0)
            needs |= source.tokens[i].of.needs;
    return (needs & unknown) == 0 && permalink_add(t, &source, (struct variable_values){0}, arena,
                                                   link, &missing) == PERMALINK_MADE;
}

/* Appends the permalink, of --to or the first of the list's; nothing if there is none. */
static void add_permalink(struct ids_run *run, struct span id, struct span date,
                          struct strbuf *link)
{
    struct header header;
    struct message_source source = {
        .header = &header, .id_text = id, .date_text = date, .list = run->list};
    header_init(&header);
    if (run->list == NULL) {
        (void)add_link(&run->to, source, &run->of_id, link);
        return;
    }
    const struct list_text_array *texts = &run->list->texts->archived_at;
    source.tokens = run->settings->tokens;
    source.token_count = run->settings->token_names.count;
    if (run->list->archived_at_requires == ARCHIVED_AT_WELL_FORMED &&
        !message_id_is_well_formed(id))
        return;
    for (size_t i = 0; i < texts->count; i++)
        if (!list_leaves_out(run->list, &texts->items[i]) &&
            add_link(&texts->items[i].text, source, &run->of_id, link))
            return;
}

/* Prints the permalink of each line of standard input. */
static int print_permalinks(struct ids_run *run)
{
    static char line[ID_LINE_MAX];
    struct strbuf link = STRBUF_INIT;
    int status = EX_OK;
    for (uint64_t number = 1; fgets(line, sizeof line, stdin) != NULL; number++) {
        struct span text = span_cstr(line);
        if (text.n == 0 || (text.p[text.n - 1] != '\n' && !feof(stdin))) {
            report_error("line %" PRIu64 ": expected at most %d bytes, none of them NUL", number,
                         ID_LINE_MAX - 2);
            status = EX_DATAERR;
            break;
        }
        size_t tab = span_find_last(text, '\t');
        strbuf_reset(&link);
        arena_reset(&run->of_id);
        add_permalink(run, span_trim(span_sub(text, 0, tab)),
                      span_trim(span_sub(text, tab + 1, text.n)), &link);
        strbuf_add_char(&link, '\n');
        print_more(strbuf_span(&link));
    }
    strbuf_reset(&link);
    if (ferror(stdin)) {
        report_error("standard input: %s", strerror(errno));
        status = EX_OSERR;
    }
    return print_and_free(&link, status);
}

static int read_ids_options(struct ids_run *run, const struct options *o)
{
    const uint64_t allowed = VARS_MESSAGE & ~(VAR_BIT(VAR_LIST_ID_HASH) | VAR_BIT(VAR_SEQUENCE));
    if (o->json || o->first != NULL)
        return usage_error(o, "--%s is for messages", o->json ? "json" : "first");
    if (o->ids && (o->format != NULL || o->prefix != NULL))
        return usage_error(o, "--%s is not for --ids", o->format != NULL ? "format" : "prefix");
    if (o->list != NULL && o->to != NULL)
        return usage_error(o, "map: expected --list or --to, not both");
    if (o->list == NULL) {
        int status =
            permalink_compile(o, true, allowed, NULL, span_of(NULL, 0), &run->arena, &run->to);
        run->wants_date = status == EX_OK && (run->to.needs & VARS_DATE) != 0;
        return status;
    }
    run->settings = load_settings(o, SETTINGS_ALL, KEYS_IF_READABLE);
    if (run->settings == NULL)
        return EX_CONFIG;
    run->list = find_list(run->settings, o->list);
    if (run->list == NULL)
        return EXIT_NO;
    for (size_t i = 0; i < run->list->texts->archived_at.count; i++)
        run->wants_date |= (run->list->texts->archived_at.items[i].text.needs & VARS_DATE) != 0;
    return EX_OK;
}

/* Becomes the script that reads pages. Returns an exit status if that fails. */
static int map_pages(const struct options *o, bool wants_date)
{
    static const char *const formats[] = {"tsv", "nginx", "apache", "htaccess"};
    size_t i = 0, count = sizeof formats / sizeof formats[0];
    while (i < count && o->format != NULL && strcmp(o->format, formats[i]) != 0)
        i++;
    if (i == count)
        return usage_error(o, "--format %s: expected tsv, nginx, apache or htaccess", o->format);
    if (o->prefix != NULL && o->prefix[0] != '/')
        return usage_error(o, "--prefix %s: expected a path that begins with \"/\"", o->prefix);
    return become_pages(o, formats[i], wants_date);
}

static int map_ids(const struct options *o)
{
    static struct ids_run run;
    arena_init(&run.arena, 0);
    arena_init(&run.of_id, 0);
    int status = read_ids_options(&run, o);
    if (status != EX_OK)
        return status;
    return o->from_pages ? map_pages(o, run.wants_date) : print_permalinks(&run);
}

int run_map(const struct options *o)
{
    if (o->ids ? o->argument_count > 0 || o->from_pages : o->argument_count == 0)
        return usage_error(o, "map: expected %s",
                           o->ids ? "no file with --ids" : "a file or folder");
    return o->ids || o->from_pages ? map_ids(o) : map_messages(o);
}
