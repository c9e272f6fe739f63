/* config/load: configurations, all that is said about each, and what is made of it. The rows of
 * settings.txt have two forms; their escapes and long lines are those of table.h:
 *
 *   PLACE: TEXT => LINE: [hint: ][KEY: ]REMARK[ WORDS[ & WORDS]] | ...     or "ok": nothing is said
 *   PLACE: TEXT -> NAME = VALUE; ...       "N." before a name: of list N, not of list 0
 *
 * "TEXT | TEXT ..." are configurations of which the row is true. The names of values are in
 * settings_values.c. A remark is called as in JSON; its text has the words, "$" is its end. The
 * name of another file is before LINE. "... N" after the last bar: the remarks begin so, and are N
 * in all.
 *
 * folders.txt has the files that a load reads, a folder of config_help.h for each case:
 *
 *   == NAME: ABOUT
 *   [N ]PATH: TEXT               a file, or N of them, with \# in their names; \A and \B are the
 *                                delegates of config_help.h
 *   link|hard|mv|mode|size VALUE PATH, rm|fifo|mkdir PATH
 *   as nobody|root               for loads, if the test is root's
 *   load [main-file|main-keys|if-readable|PATH] => MESSAGES [-> VALUES]      PATH: not m.conf
 *   reload => MESSAGES [-> VALUES]     with the settings of the last load; again: instead of them
 *   check PATH => MESSAGES [-> VALUES]     a list file; alone: without m.conf
 *   is-main PATH => yes|no
 *
 * REMARK=off and REMARK=kept say whether the lists of a delegated file are disabled or stay. */
#include "config_help.h"
#include "settings_values.h"
#include "table.h"

#include "config/read/schema.h"
#include "mail/field_check.h"

#include <fcntl.h>
#include <time.h>

enum place_kind {
    PLACE_MAIN,
    PLACE_WHOLE,    /* with hints about keys that are missing */
    PLACE_DAEMON,   /* without hints, as the daemon loads it */
    PLACE_LESS,     /* as if neither a store nor a watch was built in */
    PLACE_AT,       /* "at PATH: " of the main file */
    PLACE_BOUND,    /* "bound DOMAIN: " of the delegate */
    PLACE_LISTS,    /* the administrator's list file */
    PLACE_DELEGATED /* alice's list file */
};

#define MAIN_FILE "/nowhere/t.conf"

static const struct place_form {
    const char *name;
    enum place_kind kind;
    const char *file; /* whose name is left out of messages */
    const char *before, *after;
} places[] = {
    {"file: ", PLACE_MAIN, MAIN_FILE, "", ""},
    {"main: ", PLACE_MAIN, MAIN_FILE, "lists = {}\n", ""},
    {"whole: ", PLACE_WHOLE, MAIN_FILE, "lists = {}\n", ""},
    {"list: ", PLACE_MAIN, MAIN_FILE, "lists = {}\nlist \"a.b\" {\n", "\n}\n"},
    {"defaults: ", PLACE_MAIN, MAIN_FILE, "lists = {}\nlist \"a.b\" {}\ndefaults {\n", "\n}\n"},
    {"daemon: ", PLACE_DAEMON, MAIN_FILE, "lists = {}\n", ""},
    {"less: ", PLACE_LESS, MAIN_FILE, "lists = {}\n", ""},
    {"at ", PLACE_AT, "", "", ""},
    {"bound list ", PLACE_BOUND, "a/m.conf", "list \"", "\" {}\n"},
    {"bound ", PLACE_BOUND, "a/m.conf", "list \"l.id.example\" { address = \"l@", "\" }\n"},
    {"lists: ", PLACE_LISTS, "own/s.conf", "", ""},
    {"delegated: ", PLACE_DELEGATED, "a/m.conf", "", ""},
    {"delegated list: ", PLACE_DELEGATED, "a/m.conf", "list \"n.alice.example\" {\n", "\n}\n"},
};

/* ---- what is said ---- */

/* Returns what is said, without words, as a row has it; without a file, also what became of it. */
static const char *remarks_of(const struct loaded *l, const char *file, struct strbuf *out)
{
    for (size_t i = 0; i < l->diagnostics.count; i++) {
        const struct diagnostic *item = &l->diagnostics.items[i];
        if (!wants(item))
            continue;
        const char *name = item->file;
        name += begins(name, folder) ? strlen(folder) + 1 : 0;
        strbuf_add_str(out, out->len > 0 ? " | " : "");
        if (!is(name, file))
            strbuf_addf(out, "%s:%s", name, item->line > 0 ? "" : " ");
        if (item->line > 0)
            strbuf_addf(out, "%d: ", item->line);
        strbuf_addf(out, "%s%s%s%s", item->severity == SEVERITY_HINT ? "hint: " : "",
                    item->key != NULL ? item->key : "", item->key != NULL ? ": " : "",
                    remarks[item->remark].name);
        if (file[0] == '\0' && item->severity == SEVERITY_DELEGATED)
            strbuf_add_str(out, strstr(item->text, "good version") != NULL ? "=kept"
                                : strstr(item->text, "in force") != NULL   ? ""
                                                                           : "=off");
        check_bool("a short text", true, strlen(item->text) < 1000);
    }
    return out->len > 0 ? strbuf_str(out) : "ok";
}

/* Moves the words out of a row, to `words`: " & " or " | " stands before those that come later. */
static void split_words(const char *row, struct strbuf *names, struct strbuf *words)
{
    while (*row != '\0') {
        const char *bar = strstr(row, " | ");
        size_t n = bar != NULL ? (size_t)(bar - row) : strlen(row), end = 0;
        /* The remark is the first word that no colon follows. */
        while (end < n && (end == 0 || row[end] != ' ' || row[end - 1] == ':'))
            end++;
        strbuf_addf(names, "%s%.*s", names->len > 0 ? " | " : "", (int)end, row);
        strbuf_addf(words, "%s%.*s", words->len > 0 ? " & " : "", (int)(n > end ? n - end - 1 : 0),
                    row + (n > end ? end + 1 : end));
        row += n + (bar != NULL ? 3 : 0);
    }
}

static void check_remarks(const struct loaded *l, char *row, const char *got)
{
    struct strbuf names = STRBUF_INIT, words = STRBUF_INIT;
    const struct diagnostics *d = &l->diagnostics;
    char *more = strstr(row, " | ... ");
    /* With pointers of 32 bits more lists have room. */
    if (sizeof(void *) == 4 && strstr(row, "delegated-memory") != NULL)
        return;
    if (more != NULL) {
        *more = '\0';
        check_int("remarks in all", strtol(more + 7, NULL, 10),
                  (long)(d->errors + d->hints + d->delegated));
    }
    split_words(row, &names, &words);
    check_text("remarks", strbuf_str(&names),
               span_of(got, more != NULL ? strnlen(got, names.len) : strlen(got)));
    check_bool("a password", false, strstr(strbuf_str(&l->messages), "geheim") != NULL);
    for (const char *p = strbuf_str(&words), *next; *p != '\0'; p = next) {
        char text[400];
        next = strstr(p, " & ");
        size_t n = next != NULL ? (size_t)(next - p) : strlen(p);
        next = next != NULL ? next + 3 : p + n;
        snprintf(text, sizeof text, "%.*s", (int)n, p);
        if (n > 0 && text[n - 1] == '$')
            text[n - 1] = '\n';
        check_says(l, text);
    }
    strbuf_free(&names);
    strbuf_free(&words);
}

static void check_delegated(const struct loaded *l, bool is_list, const char *said)
{
    bool is_right = is(said, "ok") || strstr(said, "parent-outside") != NULL ||
                    strstr(said, ": hint: ") != NULL;
    check_bool("alice's other list", true, has_list(l, "fine.alice.example"));
    check_bool("bob's list", true, has_list(l, "b.bob.example"));
    check_bool("the list", is_right && is_list, has_list(l, "n.alice.example"));
    check_bool("its address", false,
               !is_right &&
                   list_get(&l->settings->index, LIST_BY_ADDRESS, span_cstr("n@alice.example")));
}

/* ---- rows ---- */

static bool is_built_in = true;

const char *__real_store_key_missing(struct span store);
const char *__real_watch_missing(void);
const char *__wrap_store_key_missing(struct span store);
const char *__wrap_watch_missing(void);

const char *__wrap_store_key_missing(struct span store)
{
    return is_built_in ? __real_store_key_missing(store) : "left out";
}

const char *__wrap_watch_missing(void)
{
    return is_built_in ? __real_watch_missing() : "left out";
}

#define OTHERS "lists = {\"own/*.conf\"}\n" ALICE BOB

static struct loaded load_place(const struct place_form *place, const char *word,
                                const struct strbuf *text)
{
    const struct settings_request request = {.path = place->kind == PLACE_AT ? word : place->file,
                                             .text = strbuf_span(text)};
    struct strbuf bound = STRBUF_INIT;
    wants_missing_keys = place->kind == PLACE_WHOLE;
    wants_hints = place->kind != PLACE_DAEMON;
    is_built_in = place->kind != PLACE_LESS;
    if (place->kind <= PLACE_AT)
        return load_request(&request);
    strbuf_addf(
        &bound,
        "lists = {}\ndelegate d { files = {\"a/m.conf\"} domains = {\"id.example\", \"%s\"} }\n",
        word);
    write_file("m.conf", place->kind == PLACE_BOUND ? strbuf_str(&bound) : OTHERS);
    write_octets(place->file, strbuf_span(text));
    struct loaded l = load_main(NULL);
    remove_file(place->file);
    strbuf_free(&bound);
    return l;
}

/* Loads a text in a place, and compares it with the rest of its row. */
static void check_text_in(const struct place_form *place, const char *word, struct span text,
                          const char *row)
{
    struct strbuf whole = STRBUF_INIT, said = STRBUF_INIT, wanted = STRBUF_INIT;
    bool has_messages = begins(row, " => ");
    strbuf_add_str(&wanted, row + strlen(" => "));
    strbuf_add_str(&whole, place->before);
    table_unescape(text, &whole);
    strbuf_add_str(&whole, place->after);
    struct loaded l = load_place(place, word, &whole);
    const char *got = remarks_of(&l, place->file, &said);
    if (has_messages)
        check_remarks(&l, wanted.data, got);
    else if (check_bool(got, true, l.settings != NULL))
        check_values(l.settings, NULL, folder, wanted.data);
    check_bool("loads", l.diagnostics.errors == 0, l.settings != NULL);
    if (place->kind == PLACE_DELEGATED)
        check_delegated(&l, place->before[0] != '\0', got);
    loaded_free(&l);
    strbuf_free(&whole);
    strbuf_free(&said);
    strbuf_free(&wanted);
}

static void check_line(char *line)
{
    char word[400] = "", *messages = strstr(line, " => "), *values = strstr(line, " -> ");
    const char *end = messages != NULL ? messages : values;
    const struct place_form *place = places;
    check_row(line);
    while (place < places + CHECK_COUNT(places) && !begins(line, place->name))
        place++;
    assert_true(place < places + CHECK_COUNT(places) && end != NULL);
    const char *begin = line + strlen(place->name);
    if (place->kind == PLACE_AT || place->kind == PLACE_BOUND) {
        snprintf(word, sizeof word, "%.*s", (int)strcspn(begin, ":"), begin);
        begin += strlen(word) + 2;
    }
    for (const char *bar = begin; bar != end; begin = bar + strlen(" | ")) {
        bar = strstr(begin, " | ");
        bar = bar != NULL && bar < end ? bar : end;
        check_row_span(span_of(begin, (size_t)(bar - begin)));
        check_text_in(place, word, span_of(begin, (size_t)(bar - begin)), end);
    }
}

static bool is_international(struct span row)
{
#ifndef HAVE_LIBIDN2
    return !span_is_printable_ascii(row);
#else
    (void)row;
    return false;
#endif
}

/* Calls a function for each row but comments. Returns their number. */
static int each_row(const char *file, void (*function)(char *row))
{
    struct strbuf text = STRBUF_INIT, row = STRBUF_INIT;
    int line = 0, count = 0;
    table_read(file, &text);
    for (struct span rest = strbuf_span(&text); table_next_row(&rest, &row, &line);)
        if (row.len > 0 && row.data[0] != '#' && !is_international(strbuf_span(&row))) {
            function(row.data);
            count++;
        }
    strbuf_free(&text);
    strbuf_free(&row);
    return count;
}

static void test_rows(void **state)
{
    (void)state;
    write_file("own/x.conf", "list \"main.admin.example\" { address = \"main@admin.example\"\n"
                             "  command_addresses = {\"main-request@admin.example\"} }\n"
                             "list \"taken.alice.example\" { address = \"taken@alice.example\"\n"
                             "  command_addresses = {\"robot@alice.example\", "
                             "\"from:notices@alice.example\"} }\n"
                             "list \"s.admin.example\" { select = \"sender\" senders = "
                             "{\"bounces@alice.example\"} }\n");
    write_file("a/z.conf", "list \"fine.alice.example\" { address = \"fine@alice.example\" }\n");
    write_file("b/b.conf", "list \"b.bob.example\" { }\n");
    check_bool("rows", true, each_row("settings.txt", check_line) > 500);
    wants_missing_keys = false;
    wants_hints = is_built_in = true;
    check_end();
}

/* ---- folders ---- */

static struct loaded before; /* for a reload */

static bool is_skipped; /* the rest of the case */

/* Becomes a user without rights, who must reach the folder, or root again; another user stays. */
static bool become(const char *user)
{
    if (getuid() != 0)
        return true;
    if (is(user, "root"))
        return seteuid(0) == 0 && setegid(0) == 0;
    if (setegid(65534) != 0 || seteuid(65534) != 0)
        return false;
    if (faccessat(AT_FDCWD, path_of("own"), X_OK, AT_EACCESS) == 0)
        return true;
    check_skip("the folder of temporary files is closed to others");
    is_skipped = true;
    return become("root");
}

static bool run_change(const char *command, const char *value, const char *path)
{
    const char *file = path_of(path[0] != '\0' ? path : value);
    return is(command, "rm")      ? remove(file) == 0
           : is(command, "fifo")  ? mkfifo(file, 0644) == 0
           : is(command, "mkdir") ? mkdir(file, 0755) == 0
           : is(command, "link")  ? symlink(value, file) == 0
           : is(command, "hard")  ? link(path_of(value), file) == 0
           : is(command, "mv")    ? rename(path_of(value), file) == 0
           : is(command, "mode")  ? chmod(file, (mode_t)strtoul(value, NULL, 8)) == 0
           : is(command, "size")  ? truncate(file, strtol(value, NULL, 10)) == 0
           : is(command, "as")    ? become(value)
                                  : false;
}

static void run_load(const char *command, const char *what, char *messages, char *values)
{
    char *paths[] = {path_of(what)};
    struct settings_request request = {.path = path_of("m.conf")};
    struct strbuf said = STRBUF_INIT;
    bool is_reload = is(command, "reload") || is(command, "again");
    bool is_check = is(command, "check") || is(command, "alone");
    check_bool("a command", true, is_reload || is_check || is(command, "load"));
    if (is_check) {
        request.files = paths;
        request.file_count = 1;
        request.keys = KEYS_NOT_READ;
        request.path = is(command, "alone") ? NULL : request.path;
    } else if (begins(what, "main-")) {
        request.extent = is(what, "main-file") ? SETTINGS_MAIN_FILE : SETTINGS_MAIN_KEYS;
    } else if (is(what, "if-readable")) {
        request.keys = KEYS_IF_READABLE;
    } else if (what[0] != '\0') {
        request.path = paths[0];
    }
    request.previous = is_reload ? before.settings : NULL;
    struct loaded l = load_request(&request);
    shorten(&l.messages);
    check_remarks(&l, messages, remarks_of(&l, "", &said));
    check_bool("loads", l.diagnostics.errors == 0, l.settings != NULL);
    if (values != NULL && l.settings != NULL)
        check_values(l.settings, before.settings, folder, values);
    if (is(command, "load") || is(command, "again")) {
        struct loaded old = before;
        before = l;
        l = old;
    }
    loaded_free(&l);
    strbuf_free(&said);
}

static void write_files(int count, struct span name, const char *text)
{
    struct strbuf content = STRBUF_INIT;
    table_unescape(span_cstr(text), &content);
    for (int i = 0; i < count; i++) {
        struct strbuf path = STRBUF_INIT;
        size_t n = span_find(name, '\\'); /* of "\#" */
        strbuf_add_span(&path, span_sub(name, 0, n));
        if (n < name.n)
            strbuf_addf(&path, "%d", i);
        strbuf_add_span(&path, span_sub(name, n + 2, name.n));
        write_octets(strbuf_str(&path), strbuf_span(&content));
        strbuf_free(&path);
    }
    strbuf_free(&content);
}

static void begin_case(void)
{
    loaded_free(&before);
    before = (struct loaded){.settings = NULL};
    is_skipped = false;
    remove_folder(NULL);
    assert_int_equal(make_folder(NULL), 0);
}

static void run_line(char *line)
{
    char *messages = strstr(line, "=> "), *values = strstr(line, " -> "), *colon;
    char command[300] = "", what[100] = "", path[100] = "";
    check_row(line);
    (void)sscanf(line, "%299s %99s %99s", command, what, path);
    char *name = strtol(line, &colon, 10) > 0 ? colon + 1 : line;
    colon = name + strcspn(name, ": ");
    if (begins(line, "== ")) {
        begin_case();
    } else if (is_skipped) {
        return;
    } else if (*colon == ':') {
        write_files(name == line ? 1 : (int)strtol(line, NULL, 10),
                    span_of(name, (size_t)(colon - name)), colon + 1);
    } else if (messages == NULL) {
        check_bool("can be done", true, run_change(command, what, path));
    } else if (is(command, "is-main")) {
        check_str("a main file", messages + 3, settings_is_main_file(path_of(what)) ? "yes" : "no");
    } else {
        if (values != NULL)
            *values = '\0';
        run_load(command, is(what, "=>") ? "" : what, messages + 3,
                 values != NULL ? values + 4 : NULL);
    }
}

static void test_folders(void **state)
{
    (void)state;
    check_bool("rows", true, each_row("folders.txt", run_line) > 300);
    loaded_free(&before);
    check_end();
}

/* ---- many lists, and texts that are made ---- */

/* Loads 10,000 lists: 0.1 s of a processor here, 4 s under valgrind; quadratic behaviour would take
 * minutes. */
static void test_many_lists(void **state)
{
    static const struct {
        const char *text;
        size_t most; /* bytes that a list takes */
    } rows[] = {
        {"lists = {}\ndefaults { owner = {\"mailto:{list_label}@x.y\"} }\n"
         "\\[10000 list \"l\\#.l.example\" { description = \"List number \\#\" address = "
         "\"l\\#@l.example\"\n"
         "help = {\"mailto:l\\#-request@l.example?subject=help\"}\n"
         "unsubscribe = {\"mailto:l\\#-leave@l.example\"} post = {\"mailto:l\\#@l.example\"}\n"
         "archive = {\"https://l.example/l\\#/\"} archived_at = {\"{archive}/{message_id_hash}\"} "
         "}\n]",
         1300},
        /* texts that lists take from the defaults are shared, and parents */
        {"lists = {}\ndefaults { owner = {\"mailto:{list_label}@x.y\"} parents = {x.y} "
         "help = {\"mailto:help@x.y\"} archive = {\"https://x.y/{list_id}\"} }\n"
         "\\[10000 list \"l\\#.l.example\" { description = \"D\" }\n]",
         220},
    };
    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        struct strbuf text = STRBUF_INIT;
        table_unescape(span_cstr(rows[i].text), &text);
        clock_t begin = clock();
        struct loaded l = load_text(strbuf_str(&text));
        check_bool("10 seconds", true, clock() - begin < 10 * CLOCKS_PER_SEC);
        check_int("lists", 10000, list_count(&l));
        check_bool("the last", true, has_list(&l, "l9999.l.example"));
        check_bool("memory", true, l.settings->arena.used / 10000 <= rows[i].most);
        loaded_free(&l);
        strbuf_free(&text);
    }
    check_end();
}

/* Lists do not check the texts of their manager: they are right with every address. */
static void test_manager_texts(void **state)
{
    const char *const *managers = schema[KEY_MANAGER].choices;
    static const char *const parts[] = {"\xC3\xA9", "x?&#=/", "^"}; /* of the local part */
    (void)state;
    for (size_t i = 0; i < MANAGER_COUNT * CHECK_COUNT(parts); i++) {
        struct strbuf text = STRBUF_INIT, local = STRBUF_INIT;
        struct arena arena;
        struct variable_values values = {.set = 0};
        while (local.len < 228)
            strbuf_add_str(&local, parts[i / MANAGER_COUNT]);
        strbuf_addf(&text, "lists = {} list 'a.b' { manager = %s address = '%s@b.example' }",
                    managers[i % MANAGER_COUNT], strbuf_str(&local));
        check_row(strbuf_str(&text));
        struct loaded l = load_text(strbuf_str(&text));
        assert_non_null(l.settings);
        arena_init(&arena, 0);
        list_variables(list_number(&l, 0), &values);
        for (enum field_name name = FIELD_LIST_HELP; name <= LIST_LAST_FIELD; name++) {
            struct span value =
                span_cstr(list_field_value(list_number(&l, 0), name, &values, &arena));
            if (value.n > 0)
                check_int("fault", FIELD_FINE,
                          field_check(span_cstr(field_name_text(name)), value));
        }
        arena_free(&arena);
        strbuf_free(&text);
        strbuf_free(&local);
        loaded_free(&l);
    }
    check_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {IN_FOLDER(test_rows), IN_FOLDER(test_folders),
                                       cmocka_unit_test(test_many_lists),
                                       cmocka_unit_test(test_manager_texts)};
    table_texts['A' - 'A'] = ALICE;
    table_texts['B' - 'A'] = BOB;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
