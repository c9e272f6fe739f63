/* settings_values - see settings_values.h */
#include "settings_values.h"

#include "check.h"
#include "config/read/schema.h"
#include "mail/address.h"
#include "spec/owned_fields.h"
#include "table.h"

#include <stdlib.h>

static const char *folder;              /* whose name is left out of values */
static const struct settings *previous; /* for "same" */

/* ---- texts of lists ---- */

/* Keeps what tests expand until the end of the program. */
static struct arena *help_arena(void)
{
    static struct arena arena;
    if (arena.chunk_size == 0)
        arena_init(&arena, 0);
    return &arena;
}

/* Returns the values of a list, with {archive}. */
static struct variable_values values_of_list(const struct list *list)
{
    struct variable_values values = {0};
    list_variables(list, &values);
    list_set_archive(list, help_arena(), &values);
    return values;
}

/* Returns a text of a list; variables of messages stay as they are written. */
static struct span shown_text_of(const struct list *list, const struct template *t)
{
    struct variable_values values = values_of_list(list);
    struct strbuf text = STRBUF_INIT;
    template_show(t, &values, NULL, &text);
    return span_cstr(strbuf_keep(&text, help_arena()));
}

/* Returns the template of Archived-At with this number, or NULL; those that are left out do not
 * count. */
static const struct template *archived_at_of(const struct list *list, size_t number)
{
    const struct list_text_array *texts = &list->texts->archived_at;
    for (size_t i = 0; i < texts->count; i++)
        if (!list_leaves_out(list, &texts->items[i]) && number-- == 0)
            return &texts->items[i].text;
    return NULL;
}

/* Returns the value of a field, or "" if an item needs the recipient. */
static struct span field_of(const struct list *list, enum field_name name)
{
    struct variable_values values = values_of_list(list);
    if (name < LIST_FIRST_FIELD || name > LIST_LAST_FIELD || name == FIELD_LIST_UNSUBSCRIBE_POST)
        return span_of("", 0);
    for (size_t i = 0; name != FIELD_LIST_ID && i < list_items(list, name)->count; i++) {
        const struct list_text *text = &list_items(list, name)->items[i];
        if ((text->text.needs & VARS_RECIPIENT) != 0 && !list_leaves_out(list, text))
            return span_of("", 0);
    }
    return span_cstr(list_field_value(list, name, &values, help_arena()));
}

/* ---- names of values ---- */

static size_t delegated_bytes(const struct settings *s)
{
    size_t bytes = 0;
    for (size_t i = 0; i < s->delegated_count; i++)
        bytes += s->delegated[i].text.n;
    return bytes;
}

static bool add_number(const struct settings *s, const struct list *list, const char *name,
                       struct strbuf *out)
{
    static const struct list no_list;
    const struct list *l = list != NULL ? list : &no_list;
    const struct {
        const char *name;
        size_t value;
    } rows[] = {{"user_line", (size_t)s->user_line},
                {"socket_mode", s->socket_mode},
                {"pid_file_is_set", s->pid_file_is_set},
                {"dry_run", s->dry_run},
                {"syslog_facility", (size_t)s->syslog_facility},
                {"watch", s->watch},
                {"needs_store", s->needs_store},
                {"recipient_key_count", s->recipient_key_count},
                {"index.count", s->index.count},
                {"index.recipient_lists", s->index.recipient_lists},
                {"token_names.count", s->token_names.count},
                {"delegated_wrong", s->delegated_wrong},
                {"delegated_bytes", delegated_bytes(s)},
                {"sender_count", l->sender_count},
                {"numbered", l->numbered},
                {"asks_store", l->asks_store},
                {"alias_count", l->alias_count},
                {"command_address_count", l->command_address_count},
                {"virtual", list_domain_is_virtual(l)},
                {"sources", l->nesting != NULL && l->nesting->has_sources}};
    for (size_t i = 0; i < CHECK_COUNT(rows); i++)
        if (is(rows[i].name, name)) {
            strbuf_addf(out, "%zu", rows[i].value);
            return true;
        }
    return false;
}

/* Adds a switch or a choice, whose member of struct list has the name of its key. */
static bool add_policy(const struct list *list, const char *name, struct strbuf *out)
{
#define VALUE_KIND_BOOL(name)   list->name
#define VALUE_KIND_CHOICE(name) list->name
#define VALUE_KIND_TEXT(name)   0
#define VALUE_KIND_TEXTS(name)  0
#define VALUE_IN_LIST(...)      __VA_ARGS__
#define VALUE_IN_MAIN(...)
#define VALUE_IN_TOKEN(...)
#define VALUE_IN_DELEGATE(...)
#define VALUE_ROW(key, name, section, kind, ...) VALUE_IN_##section([key] = VALUE_##kind(name), )
    const unsigned values[KEY_COUNT] = {SCHEMA(VALUE_ROW)};
    enum key key = schema_find(SECTION_LIST, span_cstr(name));
    if (key == KEY_COUNT || (schema[key].kind != KIND_BOOL && schema[key].kind != KIND_CHOICE))
        return false;
    if (schema[key].kind == KIND_CHOICE)
        strbuf_add_str(out, schema[key].choices[values[key]]);
    else
        strbuf_addf(out, "%u", values[key]);
    return true;
}

/* Adds the id of the list that an address leads to in some way: "way ADDRESS". */
static bool add_found(const struct list_index *index, const struct list *list, const char *name,
                      struct strbuf *out)
{
    const char *blank = strchr(name, ' ');
    const struct span way = span_of(name, blank != NULL ? (size_t)(blank - name) : 0);
    const struct span text = span_cstr(blank != NULL ? blank + 1 : "");
    const struct list *found =
        span_eq(way, span_cstr("id"))      ? list_get(index, LIST_BY_ID, text)
        : span_eq(way, span_cstr("at"))    ? list_get(index, LIST_BY_ADDRESS, text)
        : span_eq(way, span_cstr("name"))  ? list_by_name(index, text)
        : span_eq(way, span_cstr("named")) ? list_contact_by_name(index, text)
        : span_eq(way, span_cstr("contact"))
            ? list_contact_at(index, address_local(text), address_domain(text))
        : span_eq(way, span_cstr("has"))      ? (list_has_sender(index, list, text) ? list : NULL)
        : span_eq(way, span_cstr("names"))    ? (list_names_parent(list, text) ? list : NULL)
        : span_eq(way, span_cstr("contests")) ? list_contesting(index, list, text)
        : span_eq(way, span_cstr("sender"))   ? list_by_sender(index, text)
        : span_eq(way, span_cstr("plain"))    ? list_get(index, LIST_BY_COMMAND, text)
        : span_eq(way, span_cstr("from"))     ? list_get(index, LIST_BY_COMMAND_FROM, text)
        : span_eq(way, span_cstr("token")) ? list_by_token(index, LIST_BY_COMMAND_FROM, text, NULL)
        : span_eq(way, span_cstr("always")) && list_always_commands(index, list, text) ? list
                                                                                       : NULL;
    if (blank != NULL)
        strbuf_add_span(out, found != NULL ? found->id : span_cstr("none"));
    return blank != NULL;
}

static bool add_trust(const struct settings *s, const struct list *list, const char *name,
                      struct strbuf *out)
{
    struct client client = {.local = strstr(name, " local") != NULL};
    if (!begins(name, "trusts ") && !begins(name, "brings "))
        return false;
    client.has_address = trust_address_parse(span_cstr(strchr(name, ' ') + 1), &client.address);
    strbuf_add_str(
        out, trust_matches(name[0] == 't' ? &s->trusted : &list->nesting->sources, &client) ? "yes"
                                                                                            : "no");
    return true;
}

/* Adds the value of a token in a message with the Message-ID "m@x.example" (SU-24, SU-25). */
static void add_token(const struct settings *s, size_t number, struct strbuf *out)
{
    struct variable_values values = {.set = VAR_BIT(VAR_MESSAGE_ID)};
    struct span value = span_of(NULL, 0);
    values.text[VAR_MESSAGE_ID] = span_cstr("m@x.example");
    check_int("value", 0, token_value(&s->tokens[number], &values, help_arena(), &value));
    strbuf_add_span(out, value);
}

static void add_lists(const struct settings *s, struct strbuf *out)
{
    for (size_t i = 0; i < s->index.count; i++)
        table_add_item(out, " ", s->index.lists[i]->id);
}

/* Adds the patterns, from the end of the folder's name on, in which "[x]" is escaped. */
static void add_watched(const struct settings *s, struct strbuf *out)
{
    const char *end = strstr(folder, "[x]") + 3;
    for (size_t i = 0; i < s->watched_count; i++) {
        const char *found = strstr(s->watched[i], end);
        check_bool("escaped", found != NULL, strstr(s->watched[i], "\\[x\\]") != NULL);
        table_add_item(out, " ",
                       span_cstr(found != NULL ? found + strlen(end) + 1 : s->watched[i]));
    }
}

/* Adds what is told of all files. */
static bool add_whole(const struct settings *s, const char *name, struct strbuf *out)
{
    const struct {
        const char *name, *text;
    } texts[] = {{"socket", s->socket},
                 {"store", s->store},
                 {"pid_file", s->pid_file},
                 {"metrics", s->metrics},
                 {"user", s->user},
                 {"socket_group", s->socket_group},
                 {"recipient_delimiter", s->recipient_delimiter.p},
                 {"first_key", s->recipient_key_count > 0 ? s->recipient_keys[0].p : NULL},
                 {"keys_fault", s->recipient_keys_fault}};
    for (size_t i = 0; i < CHECK_COUNT(texts); i++)
        if (is(texts[i].name, name)) {
            const char *text = texts[i].text;
            table_add_text(out,
                           text != NULL && begins(text, folder) ? text + strlen(folder) + 1 : text);
            return true;
        }
    if (is(name, "same"))
        table_add_bool(out, is(s->fingerprint, previous->fingerprint));
    else if (is(name, "lists"))
        add_lists(s, out);
    else if (is(name, "watched"))
        add_watched(s, out);
    else if (begins(name, "token") && name[5] >= '0' && name[5] <= '9')
        add_token(s, (size_t)(name[5] - '0'), out);
    else
        return false;
    return true;
}

static void add_parents(const struct list *list, struct strbuf *out)
{
    for (size_t i = 0; list->nesting != NULL && i < list->nesting->parent_count; i++)
        table_add_item(out, " ", list->nesting->parents[i].id);
}

static void add_kept(const struct list *list, struct strbuf *out)
{
    for (int i = 0; i < FIELD_NAME_COUNT; i++)
        if ((list->keep & FIELD_BIT(i)) != 0)
            table_add_item(out, " ", span_cstr(field_name_text((enum field_name)i)));
}

static bool add_list_text(const struct list *list, const char *name, struct strbuf *out)
{
    enum field_name field = field_name_find(span_cstr(name));
    const struct template *url =
        begins(name, "url") ? archived_at_of(list, (size_t)(name[3] - '0')) : NULL;
    if (is(name, "archive"))
        strbuf_add_span(out, values_of_list(list).text[VAR_ARCHIVE]);
    else if (field != FIELD_OTHER)
        strbuf_add_span(out, field_of(list, field));
    else if (is(name, "address"))
        strbuf_add_span(out, list->address);
    else if (url != NULL)
        strbuf_add_span(out, shown_text_of(list, url));
    else if (begins(name, "leave"))
        strbuf_add_span(
            out, shown_text_of(
                     list, &list_items(list, FIELD_LIST_UNSUBSCRIBE)->items[name[5] - '0'].text));
    else if (is(name, "parents"))
        add_parents(list, out);
    else if (is(name, "keep"))
        add_kept(list, out);
    else
        return begins(name, "url");
    return true;
}

static void check_value(const struct settings *s, char *name, const char *expected)
{
    struct strbuf out = STRBUF_INIT;
    size_t number = 0;
    if (name[0] >= '0' && name[0] <= '9' && name[1] == '.') {
        number = (size_t)(name[0] - '0');
        name += 2;
    }
    const struct list *list = number < s->index.count ? s->index.lists[number] : NULL;
    if (!add_whole(s, name, &out) && !add_number(s, list, name, &out) &&
        !add_trust(s, list, name, &out) && !add_found(&s->index, list, name, &out) &&
        (list == NULL || (!add_policy(list, name, &out) && !add_list_text(list, name, &out))))
        check_complain("a name of a value", "one that is known", name);
    for (char *end; (end = strchr(strbuf_str(&out), '\n')) != NULL;) /* of a folded field */
        memmove(end, end + 1, strlen(end));
    check_str(name, expected, out.len > 0 ? strbuf_str(&out) : "none");
    strbuf_free(&out);
}

void check_values(const struct settings *s, const struct settings *before, const char *in_folder,
                  char *values)
{
    folder = in_folder;
    previous = before;
    for (char *next = NULL; values != NULL; values = next) {
        char *equals = strstr(values, " = ");
        next = strstr(values, "; ");
        assert_non_null(equals);
        *equals = '\0';
        if (next != NULL) {
            *next = '\0';
            next += 2;
        }
        check_value(s, values, equals + 3);
    }
}
