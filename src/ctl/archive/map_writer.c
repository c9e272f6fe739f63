/* Lines of a map: see map_writer.h. */
#include "ctl/archive/map_writer.h"

#include "ctl/report.h"
#include "mail/message.h"
#include "plan/message_values.h"
#include "spec/message_id.h"
#include "spec/template_try.h"
#include "text/json.h"
#include "text/visible.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sysexits.h>

/* A parameter of nginx must fit its buffer of 4096 octets (NGX_CONF_BUFFER); one that does not
 * makes it refuse the whole configuration. */
#define NGINX_LONGEST_VALUE 4000

/* All variables that are not made of the date as well. */
#define NO_DATE (VAR_BIT(VAR_MESSAGE_ID) | VAR_BIT(VAR_MESSAGE_ID_HASH) | VAR_BIT(VAR_SEQUENCE))

void map_writer_init(struct map_writer *w)
{
    memset(w, 0, sizeof *w);
    arena_init(&w->of_text, 0);
    arena_init(&w->of_message, 0);
    strbuf_init(&w->line);
    strmap_init(&w->seen, 0);
}

void map_writer_free(struct map_writer *w)
{
    strmap_free(&w->seen);
    strbuf_free(&w->line);
    arena_free(&w->of_message);
    arena_free(&w->of_text);
}

/* Compiles --to. Its values may be redirected to: they are URIs, or the parts of one after the
 * host. Returns EX_OK, or EX_USAGE after a message. */
static int compile(struct map_writer *w, const char *text)
{
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
        template_compile(strbuf_span(&whole), VARS_MESSAGE, NULL, &w->of_text, &compiled, &fault);
    if (result == 0)
        result = template_try(&compiled, &none, "1", &uri, &fault);
    if (result == 0)
        result =
            template_compile(span_cstr(text), VARS_MESSAGE, NULL, &w->of_text, &compiled, &fault);
    if (result == 0)
        template_bind(&compiled, TEMPLATE_URI, &none, &w->of_text, &w->to);
    else
        report_error("--to \"%s\": %s", text, fault);
    strbuf_free(&whole);
    strbuf_free(&uri);
    return result == 0 ? EX_OK : EX_USAGE;
}

int map_writer_begin(struct map_writer *w, enum map_format format, const char *to, uint64_t first)
{
    w->format = format;
    w->number = first;
    return format == MAP_NGINX ? compile(w, to != NULL ? to : "{message_id}") : EX_OK;
}

/* ---- tsv ------------------------------------------------------------------------------------ */

/* The octets at the start that mean themselves, as all of most texts do. */
static size_t plain(struct span text)
{
    size_t n = 0;
    while (n < text.n && text.p[n] >= ' ' && text.p[n] <= '~' && text.p[n] != '\\')
        n++;
    return n;
}

/* A text that is one column of one line and steers no terminal: what is not visible
 * is \xHH, and a backslash is doubled. */
static void add_column(struct strbuf *out, struct span text)
{
    for (;;) {
        struct span character = span_sub(text, 0, plain(text));
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

static void add_tsv_line(struct map_writer *w, const struct archive_message *m, struct span id,
                         const char *hash)
{
    strbuf_add_str(&w->line, hash);
    strbuf_add_char(&w->line, '\t');
    add_column(&w->line, id);
    strbuf_add_char(&w->line, '\t');
    add_column(&w->line, m->file);
    if (m->has_offset)
        strbuf_addf(&w->line, ":%" PRIu64, m->offset);
    strbuf_add_char(&w->line, '\n');
}

/* ---- json ----------------------------------------------------------------------------------- */

static void add_json_line(struct map_writer *w, const struct archive_message *m, struct span id,
                          const char *hash)
{
    strbuf_add_char(&w->line, '{');
    json_add_text(&w->line, "hash", span_cstr(hash));
    json_add_text(&w->line, "message_id", id);
    json_add_text(&w->line, "file", m->file);
    if (m->has_offset)
        json_add_number(&w->line, "offset", m->offset);
    strbuf_add_str(&w->line, "}\n");
}

/* ---- nginx ---------------------------------------------------------------------------------- */

/* A quoted parameter. nginx expands "$" in it and knows no way to quote it, and a Message-ID must
 * not name a variable of the server: it is %24, which is the same in a URI. */
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
static bool add_nginx_line(struct map_writer *w, const struct variable_values *values,
                           const char *hash)
{
    struct strbuf value = STRBUF_INIT;
    int result = template_expand(&w->to, TEMPLATE_URI, values, &value, NULL);
    size_t begin;
    w->without_value += result == 1;
    w->elsewhere += result == 2;
    strbuf_addf(&w->line, "%s ", hash);
    begin = w->line.len;
    add_nginx_value(&w->line, strbuf_span(&value));
    if (result == 0 && w->line.len - begin > NGINX_LONGEST_VALUE) {
        w->too_long++;
        result = 1;
    }
    strbuf_add_str(&w->line, ";\n");
    strbuf_free(&value);
    if (result != 0)
        return false;
    if (strmap_get(&w->seen, span_cstr(hash)) != NULL) {
        w->duplicates++;
        return false;
    }
    return strmap_put(&w->seen, arena_dup(&w->of_text, span_cstr(hash)), w, NULL);
}

/* ---- a message ------------------------------------------------------------------------------ */

static void set_sequence(struct map_writer *w, uint64_t number, struct variable_values *values)
{
    char digits[32];
    snprintf(digits, sizeof digits, "%" PRIu64, number);
    values->text[VAR_SEQUENCE] = arena_dup(&w->of_message, span_cstr(digits));
    values->set |= VAR_BIT(VAR_SEQUENCE);
}

/* Makes w->line. Returns false, and counts the message, if it has no line. */
static bool make_line(struct map_writer *w, const struct archive_message *m, uint64_t number)
{
    struct message_source source = {.number = 0};
    struct variable_values values = {0};
    char hash[MESSAGE_ID_HASH_LENGTH + 1];
    struct span id = message_first(m->header, FIELD_MESSAGE_ID, &w->of_message);
    if (id.p == NULL) {
        w->without_id++;
        return false;
    }
    message_id_hash(message_id_bare(id), hash);
    if (w->format != MAP_NGINX) {
        (w->format == MAP_JSON ? add_json_line : add_tsv_line)(w, m, message_id_bare(id), hash);
        return true;
    }
    source.id_text = id;
    source.hash = hash;
    if ((w->to.needs & ~NO_DATE) != 0)
        source.date_text = message_first(m->header, FIELD_DATE, &w->of_message);
    message_values(&source, w->to.needs, &w->of_message, &values);
    set_sequence(w, number, &values);
    return add_nginx_line(w, &values, hash);
}

struct span map_writer_add(struct map_writer *w, const struct archive_message *m)
{
    arena_reset(&w->of_message);
    strbuf_reset(&w->line);
    bool has_line = make_line(w, m, w->number++);
    w->messages++;
    w->lines += has_line;
    return has_line ? strbuf_span(&w->line) : span_of("", 0);
}
