/* main_keys - socket, user, trusted and the other keys of the daemon. */
#include "config/main_keys.h"

#include "config/files/find_files.h"
#include "config/lists/trust.h"
#include "config/report/say.h"
#include "config/socket_fault.h"
#include "config/store_kinds.h"
#include "text/ascii.h"
#include "text/strbuf.h"

#include <string.h>

struct applier {
    const struct raw_section *raw;
    struct settings *settings;
    struct diagnostics *diagnostics;
};

struct raw_value main_key_value(const struct raw_section *raw, enum key key,
                                struct raw_item room[BUILT_IN_VALUES])
{
    struct raw_value value = raw->values[key];
    if (value.set && !value.wrong)
        return value;
    struct span rest = span_cstr(schema[key].fallback);
    value = (struct raw_value){.items = room};
    while (rest.n > 0 && value.count < BUILT_IN_VALUES) {
        size_t end = span_find(rest, '\n');
        room[value.count++] = (struct raw_item){.text = span_sub(rest, 0, end)};
        rest = span_sub(rest, end + 1, rest.n);
    }
    return value;
}

static void wrong(struct applier *a, enum key key, const struct raw_item *item, const char *fault)
{
    say(a->diagnostics, SEVERITY_ERROR, place_of(a->raw->file, item->line, schema[key].name),
        item->text, "%s", fault);
}

/* what may be NULL: nothing. */
static void hint(struct applier *a, enum key key, const struct raw_item *item, const char *what)
{
    if (what != NULL)
        say(a->diagnostics, SEVERITY_HINT, place_of(a->raw->file, item->line, schema[key].name),
            item->text, "%s", what);
}

static struct raw_item single(const struct applier *a, enum key key)
{
    struct raw_item room[BUILT_IN_VALUES];
    struct raw_value value = main_key_value(a->raw, key, room);
    return value.count > 0 ? value.items[0] : (struct raw_item){.text = span_of("", 0)};
}

static const char *copy(struct applier *a, struct span text)
{
    return arena_strdup(&a->settings->arena, text);
}

/* The text; if its path, which begins at the octet `at`, is relative, with the folder of the main
 * file before the path (RULINGS 60). */
static const char *copy_resolved(struct applier *a, enum key key, struct span text, size_t at)
{
    struct span path = span_sub(text, at, text.n);
    struct span folder = path_base(a->raw->file, path);
    struct strbuf resolved = STRBUF_INIT;
    strbuf_add_span(&resolved, span_sub(text, 0, at));
    if (path.n > 0 && path.p[0] != '/' && key == KEY_STORE && (folder.n == 0 || folder.p[0] != '/'))
        strbuf_add_str(&resolved, "./"); /* SQLite has other uses for ":memory:" and "file:" */
    strbuf_add_span(&resolved, path.n > 0 ? folder : path);
    strbuf_add_span(&resolved, path);
    return strbuf_keep(&resolved, &a->settings->arena);
}

static void apply_socket(struct applier *a)
{
    struct raw_item item = single(a, KEY_SOCKET);
    const char *fault = socket_fault(item.text);
    a->settings->socket = copy_resolved(a, KEY_SOCKET, item.text, socket_path(item.text));
    if (fault == NULL && socket_fault(span_cstr(a->settings->socket)) != NULL)
        fault = "has a path that is too long for a socket with the folder of this file before it "
                "(" SOCKET_ROOM " in all)";
    if (fault != NULL)
        wrong(a, KEY_SOCKET, &item, fault);
    else
        hint(a, KEY_SOCKET, &item, socket_hint(item.text));
}

/* A name of the system's: no check but for what no system allows. */
static const char *name_fault(struct span name)
{
    if (name.n == 0)
        return "is empty (expected a name)";
    if (!span_is_printable_ascii(name) || span_find(name, ' ') < name.n ||
        span_find(name, ':') < name.n || span_find(name, '/') < name.n)
        return "is no name of a user or group";
    return NULL;
}

static void apply_user_and_group(struct applier *a)
{
    struct raw_item user = single(a, KEY_USER);
    const char *fault = name_fault(user.text);
    if (fault != NULL)
        wrong(a, KEY_USER, &user, fault);
    a->settings->user = copy(a, user.text);
    a->settings->user_is_set = a->raw->values[KEY_USER].set;

    if (!a->raw->values[KEY_SOCKET_GROUP].set)
        return;
    struct raw_item group = single(a, KEY_SOCKET_GROUP);
    fault = name_fault(group.text);
    if (fault != NULL && !a->raw->values[KEY_SOCKET_GROUP].wrong)
        wrong(a, KEY_SOCKET_GROUP, &group, fault);
    a->settings->socket_group = copy(a, group.text);
}

/* mode = [ "0" ] 3OCTDIGIT */
static void apply_socket_mode(struct applier *a)
{
    struct raw_item item = single(a, KEY_SOCKET_MODE);
    struct span digits = item.text;
    unsigned mode = 0;
    if (digits.n == 4 && digits.p[0] == '0')
        digits = span_sub(digits, 1, 3);
    bool fine = digits.n == 3;
    for (size_t i = 0; fine && i < digits.n; i++) {
        fine = digits.p[i] >= '0' && digits.p[i] <= '7';
        mode = mode * 8 + (unsigned)(digits.p[i] - '0');
    }
    if (!fine)
        wrong(a, KEY_SOCKET_MODE, &item,
              "is no mode of a file (expected three octal digits, for example \"0660\")");
    else if ((mode & 02) != 0)
        hint(
            a, KEY_SOCKET_MODE, &item,
            "lets everybody on this host speak to the socket (expected socket_group and \"0660\")");
    a->settings->socket_mode = fine ? mode : 0;
}

static const char *written_file(struct applier *a, enum key key)
{
    struct raw_item item = single(a, key);
    if (item.text.n == 0 || item.text.p[item.text.n - 1] == '/')
        wrong(a, key, &item, "names no file (expected a path)");
    return copy_resolved(a, key, item.text, 0);
}

static void apply_written_files(struct applier *a)
{
    a->settings->pid_file = written_file(a, KEY_PID_FILE);
    a->settings->pid_file_is_set = a->raw->values[KEY_PID_FILE].set;
    if (raw_value_find(a->raw, NULL, KEY_METRICS) != NULL)
        a->settings->metrics = written_file(a, KEY_METRICS);
}

/* What is not built in is an error when it is asked for: here by name, else by the lists that need
 * it (RULINGS 74). The value may hold a password, and what was meant to be one too. */
static void apply_store(struct applier *a, store_fault_ask *ask)
{
    struct raw_item item = single(a, KEY_STORE);
    const struct raw_value *value = &a->raw->values[KEY_STORE];
    const char *fault = store_key_fault(item.text);
    const char *missing = store_key_missing(item.text);
    struct place place = place_of(a->raw->file, item.line, schema[KEY_STORE].name);
    struct raw_item shown = item;
    a->settings->store = copy_resolved(a, KEY_STORE, item.text, store_key_path(item.text));
    for (const char *end = ":=@ "; *end != '\0'; end++)
        shown.text.n = span_find(shown.text, *end);
    if (fault != NULL) {
        wrong(a, KEY_STORE, &shown, fault);
        return;
    }
    if (missing != NULL && value->set && !value->wrong)
        say(a->diagnostics, SEVERITY_ERROR, place, NO_VALUE, "is not available (%s)", missing);
    else if (missing == NULL && ask != NULL)
        fault = ask(span_cstr(a->settings->store));
    if (fault != NULL)
        say(a->diagnostics, SEVERITY_ERROR, place, NO_VALUE, "%s", fault);
}

static void apply_trusted(struct applier *a)
{
    struct raw_item room[BUILT_IN_VALUES];
    struct raw_value value = main_key_value(a->raw, KEY_TRUSTED, room);
    struct span *rules = arena_calloc(&a->settings->arena, value.count, sizeof *rules);
    bool is_wrong = false;
    for (size_t i = 0; i < value.count; i++) {
        rules[i] = span_trim(value.items[i].text);
        const char *fault = trust_fault(rules[i]);
        if (fault != NULL)
            wrong(a, KEY_TRUSTED, &value.items[i], fault);
        is_wrong = is_wrong || fault != NULL;
        hint(a, KEY_TRUSTED, &value.items[i], trust_hint(rules[i]));
    }
    if (!is_wrong)
        a->settings->trusted = trust_compile(rules, value.count, &a->settings->arena);
}

/* RULINGS 17. What is wrong with the file is reported here alone, not by each list that uses it. */
static void apply_token_key_file(struct applier *a, enum key_reading reading)
{
    const struct raw_value *value = raw_value_find(a->raw, NULL, KEY_TOKEN_KEY_FILE);
    struct settings *settings = a->settings;
    settings->recipient_keys_unread = a->raw->values[KEY_TOKEN_KEY_FILE].set;
    if (value == NULL)
        return;
    watched_add_file(&settings->watched, &settings->arena, a->raw->file, value->items[0].text);
    settings->recipient_keys_path = copy_resolved(a, KEY_TOKEN_KEY_FILE, value->items[0].text, 0);
    struct key_file file =
        key_file_read(a->raw->file, &value->items[0], reading, &settings->arena, a->diagnostics);
    settings->recipient_keys = file.keys;
    settings->recipient_key_count = file.count;
    settings->recipient_keys_unread = file.is_unread;
    settings->recipient_keys_fault = file.why;
}

/* RULINGS 21; a letter would cut names in half, and a dot or "@" belongs to every address. */
static void apply_delimiter(struct applier *a)
{
    struct raw_item item = single(a, KEY_RECIPIENT_DELIMITER);
    bool fine = span_is_printable_ascii(item.text);
    for (size_t i = 0; fine && i < item.text.n; i++) {
        char c = item.text.p[i];
        fine = !ascii_is_alpha(c) && !ascii_is_digit(c) && strchr(" .@", c) == NULL;
    }
    if (!fine)
        wrong(a, KEY_RECIPIENT_DELIMITER, &item,
              "cannot separate a name from an addition (expected signs such as \"+\" or \"-\", or "
              "\"\" for none)");
    a->settings->recipient_delimiter = arena_dup(&a->settings->arena, item.text);
}

/* RULINGS 74 */
static void apply_watch(struct applier *a)
{
    const char *missing = watch_missing();
    a->settings->watch = raw_bool(a->raw, NULL, KEY_WATCH);
    if (a->settings->watch && missing != NULL)
        say(a->diagnostics, SEVERITY_ERROR,
            place_of(a->raw->file, single(a, KEY_WATCH).line, schema[KEY_WATCH].name), NO_VALUE,
            "is not available (%s)", missing);
}

static void check_lists(struct applier *a)
{
    const struct raw_value *value = &a->raw->values[KEY_LISTS];
    for (size_t i = 0; i < value->count; i++)
        if (value->items[i].text.n == 0)
            wrong(a, KEY_LISTS, &value->items[i], "names no file (expected a path or a pattern)");
}

void main_keys_apply(const struct raw_section *raw, enum key_reading keys, store_fault_ask *ask,
                     struct settings *settings, struct diagnostics *diagnostics)
{
    struct applier a = {raw, settings, diagnostics};
    apply_socket(&a);
    apply_user_and_group(&a);
    apply_socket_mode(&a);
    apply_store(&a, ask);
    apply_written_files(&a);
    apply_token_key_file(&a, keys);
    apply_trusted(&a);
    apply_watch(&a);
    apply_delimiter(&a);
    check_lists(&a);
    settings->syslog_facility = (enum syslog_facility)raw_choice(raw, NULL, KEY_SYSLOG_FACILITY);
    settings->dry_run = raw_bool(raw, NULL, KEY_DRY_RUN);
}
