/* main_file - see main_file.h; delegate.c has its delegates */
#include "config/main_file.h"

#include "config/read/faults.h"
#include "config/read/files.h"
#include "system/folder_watch.h"
#include "text/ascii.h"

/* The main section that is read, and the settings that it fills. */
struct main_keys {
    struct sources from;
    const char *file;
    struct settings *settings;
    struct diagnostics *diagnostics;
};

static const char *copy(const struct main_keys *m, enum key key)
{
    return arena_strdup(&m->settings->arena, value_entry(&m->from, key).text);
}

static bool is_set(const struct main_keys *m, enum key key)
{
    return value_of(&m->from, key).source != BUILT_IN;
}

/* Returns the text of a key. If its path, which begins at `at`, is relative, the folder of the main
 * file is before it (RULINGS 60). */
static const char *resolve(const struct main_keys *m, enum key key, size_t at)
{
    struct span text = value_entry(&m->from, key).text, path = span_sub(text, at, text.n);
    struct span folder = path.n > 0 ? path_base(m->file, path) : path;
    struct strbuf resolved = STRBUF_INIT;
    strbuf_add_span(&resolved, span_sub(text, 0, at));
    if (key == KEY_STORE && path.n > 0 && path.p[0] != '/' && (folder.n == 0 || folder.p[0] != '/'))
        strbuf_add_str(&resolved, "./"); /* SQLite has other uses for ":memory:" and "file:" */
    strbuf_add_span(&resolved, folder);
    strbuf_add_span(&resolved, path);
    return strbuf_keep(&resolved, &m->settings->arena);
}

static void apply_socket(const struct main_keys *m)
{
    struct settings *s = m->settings;
    struct entry socket = value_entry(&m->from, KEY_SOCKET);
    s->socket = resolve(m, KEY_SOCKET, socket_path(socket.text));
    if (socket_fault(span_cstr(s->socket)) != REMARK_NONE)
        say_entry(m->diagnostics, &m->from, &socket, ERROR_SOCKET_LONG_IN_ALL, NULL);
    (void)mode_read(value_entry(&m->from, KEY_SOCKET_MODE).text, &s->socket_mode);
}

/* A database that is not built in is an error if the key names it, or if a list needs it
 * (RULINGS 74). The value may contain a password, and so may a text that was meant as one. */
static void apply_store(const struct main_keys *m, store_fault_ask *ask)
{
    struct entry store = value_entry(&m->from, KEY_STORE);
    struct place place = place_of(m->file, store.line, schema[KEY_STORE].name);
    const char *fault = store_key_fault(store.text), *missing = store_key_missing(store.text);
    m->settings->store = resolve(m, KEY_STORE, store_key_path(store.text));
    if (fault != NULL)
        say(m->diagnostics, SEVERITY_ERROR, place,
            span_sub(store.text, 0, span_find_any(store.text, ":=@ ")), ERROR_STORE, WITH(fault));
    else if (missing != NULL && store.line != 0)
        say(m->diagnostics, SEVERITY_ERROR, place, NO_TEXT, ERROR_STORE_MISSING, WITH(missing));
    else if (missing == NULL && ask != NULL && (fault = ask(span_cstr(m->settings->store))) != NULL)
        say(m->diagnostics, SEVERITY_ERROR, place, NO_TEXT, ERROR_STORE, WITH(fault));
}

static void apply_trusted(const struct main_keys *m)
{
    struct value value = value_of(&m->from, KEY_TRUSTED);
    struct arena *arena = &m->settings->arena;
    struct trust_rule *rules = arena_calloc(arena, value.count, sizeof *rules);
    for (size_t i = 0; i < value.count && !value.is_wrong; i++)
        (void)trust_rule_read(arena_dup(arena, span_trim(value.entries[i].text)), &rules[i]);
    m->settings->trusted = (struct trust_rules){rules, value.count};
}

/* Reads the keys of token_key_file (RULINGS 17). Lists do not report its errors again. */
static void apply_token_key_file(const struct main_keys *m, enum key_reading reading)
{
    struct value value = value_of(&m->from, KEY_TOKEN_KEY_FILE);
    struct settings *s = m->settings;
    if (value.entries == NULL)
        return;
    s->recipient_keys_path = resolve(m, KEY_TOKEN_KEY_FILE, 0);
    if (value.is_wrong)
        return;
    settings_watch_path(s, s->recipient_keys_path);
    if (reading != KEYS_NOT_READ)
        key_file_read(s, reading, entry_place(&m->from, value.entries), value.entries->text,
                      m->diagnostics);
}

void main_keys_apply(const struct section *top, enum key_reading keys, store_fault_ask *ask,
                     struct settings *settings, struct diagnostics *diagnostics)
{
    const struct main_keys m = {{{top}}, top->file, settings, diagnostics};
    settings->path = top->file;
    values_hint(diagnostics, &m.from, SECTION_MAIN, NULL);
    apply_socket(&m);
    apply_store(&m, ask);
    apply_token_key_file(&m, keys);
    apply_trusted(&m);
    settings->user = copy(&m, KEY_USER);
    settings->user_line = value_entry(&m.from, KEY_USER).line;
    settings->socket_group = is_set(&m, KEY_SOCKET_GROUP) ? copy(&m, KEY_SOCKET_GROUP) : NULL;
    settings->socket_group_line = value_entry(&m.from, KEY_SOCKET_GROUP).line;
    settings->pid_file = resolve(&m, KEY_PID_FILE, 0);
    settings->pid_file_is_set = is_set(&m, KEY_PID_FILE);
    settings->metrics = is_set(&m, KEY_METRICS) ? resolve(&m, KEY_METRICS, 0) : NULL;
    if (settings->metrics != NULL && strcmp(settings->metrics, settings->pid_file) == 0)
        say(diagnostics, SEVERITY_ERROR, key_place(top, KEY_METRICS), NO_TEXT,
            ERROR_METRICS_IS_PID_FILE, NULL); /* RULINGS 119 */
    settings->recipient_delimiter =
        arena_dup(&settings->arena, value_entry(&m.from, KEY_RECIPIENT_DELIMITER).text);
    settings->syslog_facility = value_choice(&m.from, KEY_SYSLOG_FACILITY);
    settings->dry_run = value_bool(&m.from, KEY_DRY_RUN);
    settings->watch = value_bool(&m.from, KEY_WATCH);
    if (settings->watch && watch_missing() != NULL) /* RULINGS 74 */
        say(diagnostics, SEVERITY_ERROR, key_place(top, KEY_WATCH), NO_TEXT, ERROR_WATCH_MISSING,
            WITH(watch_missing()));
}

/* name = %x61-7A *( %x61-7A / DIGIT / "_" ) */
static enum remark token_name_fault(struct span name)
{
    bool is_right = name.n > 0 && name.p[0] >= 'a' && name.p[0] <= 'z';
    for (size_t i = 0; i < name.n; i++)
        is_right = is_right && ((name.p[i] >= 'a' && name.p[i] <= 'z') ||
                                ascii_is_digit(name.p[i]) || name.p[i] == '_');
    if (!is_right)
        return ERROR_TOKEN_NAME;
    return variable_is_name(name) ? ERROR_TOKEN_IS_VARIABLE : REMARK_NONE;
}

static void read_digest(const struct main_keys *m, struct token *token)
{
    struct value value =
        value_needed(m->diagnostics, &m->from, KEY_DIGEST, "digest = \"sha256\", for example");
    unsigned char octets[DIGEST_MAX_OCTETS];
    if (value.count == 0)
        return;
    token->digest = arena_strdup(&m->settings->arena, value.entries->text);
    token->octets = digest_compute(token->digest, NULL, 0, octets);
    if (token->octets == 0)
        say_entry(m->diagnostics, &m->from, value.entries, ERROR_DIGEST, NULL);
}

/* True if a poster writes the part, so that it may end in any text. */
static bool is_free_text(const struct template_part *part)
{
    const uint64_t free_texts = VARS_FIELDS | VAR_BIT(VAR_MESSAGE_ID);
    return part->variable < VAR_COUNT && part->width == 0 &&
           (free_texts & VAR_BIT(part->variable)) != 0;
}

static void read_of(const struct main_keys *m, struct token *token)
{
    struct value value =
        value_needed(m->diagnostics, &m->from, KEY_OF, "of = \"{message_id}\", for example");
    struct template *of = &token->of;
    const char *fault = NULL;
    if (value.count == 0)
        return;
    if (value.entries->text.n > 0)
        fault = template_compile(value.entries->text, TEMPLATE_TEXT, VARS_TOKEN_OF, NULL,
                                 &m->settings->arena, of);
    if (fault != NULL || value.entries->text.n == 0)
        say_entry(m->diagnostics, &m->from, value.entries,
                  fault != NULL ? ERROR_TEMPLATE : ERROR_OF_EMPTY, fault);
    for (size_t i = 0; i + 1 < of->count; i++)
        if (is_free_text(&of->parts[i]) && is_free_text(&of->parts[i + 1])) {
            report_hint(m->diagnostics, HINT_TOKEN_IS_AMBIGUOUS,
                        entry_place(&m->from, value.entries), value.entries->text, NULL);
            return;
        }
}

static void add_token(const struct main_keys *m, struct span *names)
{
    struct token_names *all = &m->settings->token_names;
    struct token *token = &m->settings->tokens[all->count];
    token->name = names[all->count] =
        arena_dup(&m->settings->arena, m->from.sections[FROM_SECTION]->title);
    all->count++;
    read_digest(m, token);
    read_of(m, token);
    token->encoding = (enum token_encoding)value_choice(&m->from, KEY_ENCODING);
    token->padding = value_bool(&m->from, KEY_PADDING);
}

void tokens_apply(const struct section *sections, size_t count, struct settings *settings,
                  struct diagnostics *diagnostics)
{
    struct span *names = arena_calloc(&settings->arena, TOKENS_MAX, sizeof *names);
    settings->tokens = arena_calloc(&settings->arena, TOKENS_MAX, sizeof *settings->tokens);
    settings->token_names.names = names;
    for (size_t i = 0; i < count; i++) {
        const struct section *section = &sections[i];
        const struct main_keys m = {{{section}}, section->file, settings, diagnostics};
        if (section->kind != KEY_TOKEN ||
            !title_check(sections, section, token_name_fault(section->title), diagnostics))
            continue;
        if (settings->token_names.count == TOKENS_MAX)
            say(diagnostics, SEVERITY_ERROR, key_place(section, KEY_TOKEN), section->title,
                ERROR_TOKENS, NULL);
        else
            add_token(&m, names);
    }
}
