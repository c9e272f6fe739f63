/* main_file - see main_file.h; delegate.c has its delegates */
#include "config/main_file.h"

#include "config/read/faults.h"
#include "config/read/files.h"
#include "system/folder_watch.h"
#include "text/ascii.h"

/* The section that is read, and the settings that it fills. */
struct main_keys {
    struct sources from;
    struct settings *settings;
    struct diagnostics *diagnostics;
};

static struct entry entry_of(const struct main_keys *m, enum key key)
{
    return value_entry(&m->from, key);
}

/* Returns the text of a key, or NULL if it is not set and has no built-in value. If its path, which
 * begins at `at`, is relative, the folder of the main file is before it (RULINGS 60). */
static const char *path_of(const struct main_keys *m, enum key key, size_t at)
{
    struct span text = entry_of(m, key).text, path = span_sub(text, at, text.n);
    struct span folder = path.n > 0 ? path_base(m->from.sections[FROM_SECTION]->file, path) : path;
    struct span first = folder.n > 0 ? folder : path;
    struct strbuf resolved = STRBUF_INIT;
    if (value_of(&m->from, key).entries == NULL)
        return NULL;
    strbuf_add_span(&resolved, span_sub(text, 0, at));
    if (key == KEY_STORE && first.n > 0 && first.p[0] != '/')
        strbuf_add_str(&resolved, "./"); /* SQLite has other uses for ":memory:" and "file:" */
    strbuf_add_span(&resolved, folder);
    strbuf_add_span(&resolved, path);
    return strbuf_keep(&resolved, &m->settings->arena);
}

static const char *text_of(const struct main_keys *m, enum key key)
{
    return path_of(m, key, SIZE_MAX);
}

static void apply_socket(const struct main_keys *m)
{
    struct settings *s = m->settings;
    struct entry socket = entry_of(m, KEY_SOCKET);
    s->socket = path_of(m, KEY_SOCKET, socket_path(socket.text));
    if (socket_fault(span_cstr(s->socket)) != REMARK_NONE)
        say_entry(m->diagnostics, &m->from, &socket, ERROR_SOCKET_LONG_IN_ALL, NULL);
    (void)mode_read(entry_of(m, KEY_SOCKET_MODE).text, &s->socket_mode);
}

/* A database that is not built in is an error if the key names it, or if a list needs it
 * (RULINGS 74). The value may contain a password, and so may a text that was meant as one. */
static void apply_store(const struct main_keys *m, store_fault_ask *ask)
{
    struct entry store = entry_of(m, KEY_STORE);
    struct span scheme = span_sub(store.text, 0, span_find_any(store.text, ":=@ "));
    const char *fault = store_key_fault(store.text), *missing = store_key_missing(store.text);
    m->settings->store = path_of(m, KEY_STORE, store_key_path(store.text));
    bool is_asked = fault == NULL && missing == NULL && ask != NULL;
    if (is_asked)
        fault = ask(span_cstr(m->settings->store));
    enum remark remark = fault != NULL                        ? ERROR_STORE
                         : missing != NULL && store.line != 0 ? ERROR_STORE_MISSING
                                                              : REMARK_NONE;
    if (remark != REMARK_NONE)
        say(m->diagnostics, SEVERITY_ERROR, key_place(m->from.sections[FROM_SECTION], KEY_STORE),
            fault != NULL && !is_asked ? scheme : NO_TEXT, remark,
            WITH(fault != NULL ? fault : missing));
}

/* Reads the keys of token_key_file (RULINGS 17). Lists do not report its errors again. */
static void apply_token_key_file(const struct main_keys *m, enum key_reading reading)
{
    struct value value = value_of(&m->from, KEY_TOKEN_KEY_FILE);
    struct settings *s = m->settings;
    s->recipient_keys_path = path_of(m, KEY_TOKEN_KEY_FILE, 0);
    if (value.count == 0 || value.is_wrong)
        return;
    settings_watch_path(s, s->recipient_keys_path);
    if (reading != KEYS_NOT_READ)
        key_file_read(s, reading, entry_place(&m->from, value.entries), value.entries->text,
                      m->diagnostics);
}

void main_keys_apply(const struct section *top, enum key_reading keys, store_fault_ask *ask,
                     struct settings *settings, struct diagnostics *diagnostics)
{
    const struct main_keys m = {{{top}}, settings, diagnostics};
    struct value trusted = value_of(&m.from, KEY_TRUSTED);
    settings->path = top->file;
    values_hint(diagnostics, &m.from, SECTION_MAIN);
    apply_socket(&m);
    apply_store(&m, ask);
    apply_token_key_file(&m, keys);
    settings->trusted = trust_rules_of(&trusted, &settings->arena);
    settings->user = text_of(&m, KEY_USER);
    settings->user_line = entry_of(&m, KEY_USER).line;
    settings->socket_group = text_of(&m, KEY_SOCKET_GROUP);
    settings->socket_group_line = entry_of(&m, KEY_SOCKET_GROUP).line;
    settings->pid_file = path_of(&m, KEY_PID_FILE, 0);
    settings->pid_file_is_set = value_of(&m.from, KEY_PID_FILE).source != BUILT_IN;
    settings->metrics = path_of(&m, KEY_METRICS, 0);
    if (settings->metrics != NULL && strcmp(settings->metrics, settings->pid_file) == 0)
        say(diagnostics, SEVERITY_ERROR, key_place(top, KEY_METRICS), NO_TEXT,
            ERROR_METRICS_IS_PID_FILE, NULL); /* RULINGS 119 */
    settings->recipient_delimiter = span_cstr(text_of(&m, KEY_RECIPIENT_DELIMITER));
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
    if (value.count == 0)
        return;
    const struct entry *entry = value.entries;
    const char *fault = template_compile(entry->text, TEMPLATE_TEXT, schema[KEY_OF].variables, NULL,
                                         &m->settings->arena, of);
    if (fault != NULL || entry->text.n == 0)
        say_entry(m->diagnostics, &m->from, entry,
                  entry->text.n == 0 ? ERROR_OF_EMPTY : ERROR_TEMPLATE, fault);
    size_t i = 0;
    while (i + 1 < of->count && !(is_free_text(&of->parts[i]) && is_free_text(&of->parts[i + 1])))
        i++;
    if (i + 1 < of->count)
        say(m->diagnostics, SEVERITY_HINT, entry_place(&m->from, entry), entry->text,
            HINT_TOKEN_IS_AMBIGUOUS, NULL);
}

static void add_token(const struct main_keys *m, struct token_names *names, struct span *name)
{
    struct token *token = &m->settings->tokens[names->count++];
    token->name = *name = arena_dup(&m->settings->arena, m->from.sections[FROM_SECTION]->title);
    read_digest(m, token);
    read_of(m, token);
    token->encoding = (enum token_encoding)value_choice(&m->from, KEY_ENCODING);
    token->padding = value_bool(&m->from, KEY_PADDING);
}

void tokens_apply(const struct parsed *main, struct settings *settings,
                  struct diagnostics *diagnostics)
{
    struct span *names = arena_calloc(&settings->arena, TOKENS_MAX, sizeof *names);
    settings->tokens = arena_calloc(&settings->arena, TOKENS_MAX, sizeof *settings->tokens);
    struct token_names *all = &settings->token_names;
    all->names = names;
    for (size_t i = 0; i < main->count; i++) {
        const struct section *section = &main->sections[i];
        const struct main_keys m = {{{section}}, settings, diagnostics};
        if (section->kind != KEY_TOKEN ||
            !title_check(main->sections, section, token_name_fault(section->title), diagnostics))
            continue;
        if (all->count == TOKENS_MAX)
            say(diagnostics, SEVERITY_ERROR, key_place(section, KEY_TOKEN), section->title,
                ERROR_TOKENS, NULL);
        else
            add_token(&m, all, &names[all->count]);
    }
}
