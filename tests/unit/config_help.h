/*
 * config_help - loading a configuration from a text in a test
 */
#ifndef MLMILTER_TESTS_CONFIG_HELP_H
#define MLMILTER_TESTS_CONFIG_HELP_H

#include "check.h"

#include "config/load.h"

/* What a test looks at after a load: all messages, each with an LF behind it. */
struct loaded {
    struct settings *settings;
    struct diagnostics diagnostics;
    struct strbuf messages;
};

/* The lists of tests are short. What each list should have (RULINGS 84) is left out of the hints,
 * unless a test is about that. */
static bool wants_missing_keys;

/* Keeps what tests expand until the end of the program. */
static inline struct arena *help_arena(void)
{
    static struct arena arena;
    if (arena.chunk_size == 0)
        arena_init(&arena, 0);
    return &arena;
}

/* Returns the values of a list, with {archive}. */
static inline struct variable_values values_of_list(const struct list *list)
{
    struct variable_values values = {0};
    list_variables(list, &values);
    list_set_archive(list, help_arena(), &values);
    return values;
}

/* Returns a text of a list; variables of messages stay as they are written. */
static inline struct span shown_text_of(const struct list *list, const struct template *t)
{
    struct variable_values values = values_of_list(list);
    struct strbuf text = STRBUF_INIT;
    template_show(t, &values, NULL, &text);
    return span_cstr(strbuf_keep(&text, help_arena()));
}

/* Returns the template of Archived-At with this number, without those that are left out, or NULL.
 */
static inline const struct template *archived_at_of(const struct list *list, size_t number)
{
    const struct list_text_array *texts = &list->texts->archived_at;
    for (size_t i = 0; i < texts->count; i++)
        if (!list_leaves_out(list, &texts->items[i]) && number-- == 0)
            return &texts->items[i].text;
    return NULL;
}

static inline size_t archived_at_count(const struct list *list)
{
    size_t count = 0;
    while (archived_at_of(list, count) != NULL)
        count++;
    return count;
}

/* Returns the value of a field, or "" if an item needs the recipient. */
static inline struct span field_of(const struct list *list, enum field_name name)
{
    struct variable_values values = values_of_list(list);
    if (name < LIST_FIRST_FIELD || name > LIST_LAST_FIELD)
        return span_of("", 0);
    for (size_t i = 0; name != FIELD_LIST_ID && i < list_items(list, name)->count; i++) {
        const struct list_text *text = &list_items(list, name)->items[i];
        if ((text->text.needs & VARS_RECIPIENT) != 0 && !list_leaves_out(list, text))
            return span_of("", 0);
    }
    return list_field_value(list, name, &values, help_arena());
}

static inline void leave_out_missing_keys(struct diagnostics *d)
{
    size_t count = 0;
    for (size_t i = 0; i < d->count; i++)
        if (wants_missing_keys || strstr(d->items[i].text, ": there is none, so that") == NULL)
            d->items[count++] = d->items[i];
    d->hints -= d->count - count;
    d->count = count;
}

static inline void loaded_finish(struct loaded *l)
{
    leave_out_missing_keys(&l->diagnostics);
    strbuf_init(&l->messages);
    for (size_t i = 0; i < l->diagnostics.count; i++) {
        diagnostics_format(&l->diagnostics, i, &l->messages);
        strbuf_add_char(&l->messages, '\n');
    }
}

/* The main file "/nowhere/t.conf" with this text. */
static inline struct loaded load_span(struct span text)
{
    struct loaded l;
    diagnostics_init(&l.diagnostics);
    l.settings = settings_load_text("/nowhere/t.conf", text, &l.diagnostics);
    loaded_finish(&l);
    return l;
}

static inline struct loaded load_text(const char *text)
{
    return load_span(span_cstr(text));
}

static inline void loaded_free(struct loaded *l)
{
    settings_free(l->settings);
    diagnostics_free(&l->diagnostics);
    strbuf_free(&l->messages);
}

/* Each text must have so many errors. */
static inline void check_errors(const char *const *texts, size_t count, long long errors)
{
    for (size_t i = 0; i < count; i++) {
        struct loaded l = load_text(texts[i]);
        check_row(texts[i]);
        if (!check_int("errors", errors, (long long)l.diagnostics.errors))
            print_error("%s", strbuf_str(&l.messages));
        loaded_free(&l);
    }
    check_end();
}

/* Each text must load without a word. */
static inline void check_silent(const char *const *texts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct loaded l = load_text(texts[i]);
        check_row(texts[i]);
        check_bool("loads", true, l.settings != NULL);
        check_str("messages", "", strbuf_str(&l.messages));
        loaded_free(&l);
    }
    check_end();
}

/* A text with a message that it must get. */
struct row {
    const char *text;
    const char *place; /* "line: key: ", looked for at the begin of a message behind the file */
    const char *says;  /* and this somewhere in it, unless NULL */
};

/* A message begins with the file and the place, and holds the text. */
static inline bool has_message(const struct loaded *l, const struct row *row)
{
    char begin[200];
    snprintf(begin, sizeof begin, "/nowhere/t.conf:%s", row->place);
    const char *line = strbuf_str(&l->messages);
    while (*line != '\0') {
        const char *end = strchr(line, '\n');
        struct span message = span_of(line, (size_t)(end - line));
        if (span_starts_nocase(message, span_cstr(begin))) {
            char copy[1000];
            snprintf(copy, sizeof copy, "%.*s", (int)message.n, message.p);
            if (row->says == NULL || strstr(copy, row->says) != NULL)
                return true;
        }
        line = end + 1;
    }
    return false;
}

/* Loads each text; errors: none may load. */
static inline void check_rows(const struct row *rows, size_t count, bool errors)
{
    for (size_t i = 0; i < count; i++) {
        struct loaded l = load_text(rows[i].text);
        check_row(rows[i].text);
        check_bool("refused", errors, l.settings == NULL);
        if (!has_message(&l, &rows[i]))
            check_complain("message", rows[i].place, strbuf_str(&l.messages));
        loaded_free(&l);
    }
    check_end();
}

#endif
