/* config/load: configurations, all that is said about each, and what is made of it. The rows of
 * settings.txt have two forms:
 *
 *   PLACE: TEXT => LINE: [hint: ][KEY: ]REMARK[ WORDS[ & WORDS]] | ...     or "ok": nothing is said
 *   PLACE: TEXT -> NAME = VALUE; ...       "N." before a name: of list N, not of list 0
 *
 * "\n", "\xHH" and "\\" are a line end, a byte and a backslash. A remark is called as in JSON; its
 * text has the words, "$" is its end. The name of another file is before LINE.
 *
 * folders.txt has the files that a load reads, a folder of config_help.h for each case:
 *
 *   == NAME: ABOUT
 *   PATH: TEXT                   a file; \A and \B are the delegates of config_help.h
 *   link|hard|mv|mode|size VALUE PATH, rm|fifo|mkdir PATH
 *   load [main-file|main-keys|PATH] => MESSAGES [-> VALUES]       as above; PATH instead of m.conf
 *   reload => MESSAGES [-> VALUES]     with the settings of the last load; again: instead of them
 *   check PATH => MESSAGES [-> VALUES]     a list file; alone: without m.conf
 *
 * REMARK=off and REMARK=kept say whether the lists of a delegated file are disabled or stay. */
#include "config_help.h"

#include "config/read/schema.h"
#include "mail/address.h"
#include "spec/owned_fields.h"

static const struct {
    const char *name, *before, *after;
    const char *file; /* whose name is left out of messages */
} places[] = {
    {"file: ", "", "", "/nowhere/t.conf:"},
    {"at ", "", "", ""}, /* "at PATH: " */
    {"main: ", "lists = {}\n", "", "/nowhere/t.conf:"},
    {"whole: ", "lists = {}\n", "",
     "/nowhere/t.conf:"}, /* with hints about keys that are missing */
    {"list: ", "lists = {}\nlist \"a.b\" {\n", "\n}\n", "/nowhere/t.conf:"},
    {"defaults: ", "lists = {}\nlist \"a.b\" {}\ndefaults {\n", "\n}\n", "/nowhere/t.conf:"},
    {"lists: ", "", "", "own/s.conf:"},
    {"delegated: ", "", "", "a/m.conf:"},
    {"delegated list: ", "list \"n.alice.example\" {\n", "\n}\n", "a/m.conf:"},
};
#define PLACES    CHECK_COUNT(places)
#define AT        1
#define WHOLE     3
#define LISTS     6
#define DELEGATED 7 /* the first of the delegated ones */

static void add_text(struct strbuf *out, const char *p, const char *end)
{
    unsigned octet;
    for (; p < end; p++) {
        if (*p == '\\' && p[1] == 'x' && sscanf(p + 2, "%2x", &octet) == 1) {
            strbuf_add_char(out, (char)octet);
            p += 3;
        } else if (*p == '\\' && (p[1] == 'A' || p[1] == 'B')) {
            strbuf_add_str(out, *++p == 'A' ? ALICE : BOB);
        } else if (*p == '\\') {
            check_bool("an escape", true, strchr("n\\\"$", *++p) != NULL);
            strbuf_add_char(out, *p == 'n' ? '\n' : *p);
        } else {
            strbuf_add_char(out, *p);
        }
    }
}

/* Returns what is said, without words, as a row has it; without a file, also what became of it. */
static const char *remarks_of(const struct loaded *l, const char *file, struct strbuf *out)
{
    size_t n = strcspn(file, ":");
    for (size_t i = 0; i < l->diagnostics.count; i++) {
        const struct diagnostic *item = &l->diagnostics.items[i];
        if (!wants(item))
            continue;
        const char *name = item->file;
        name += strncmp(name, folder, strlen(folder)) == 0 ? strlen(folder) + 1 : 0;
        strbuf_add_str(out, out->len > 0 ? " | " : "");
        if (strlen(name) != n || strncmp(name, file, n) != 0)
            strbuf_addf(out, "%s:%s", name, item->line > 0 ? "" : " ");
        if (item->line > 0)
            strbuf_addf(out, "%d: ", item->line);
        strbuf_addf(out, "%s%s%s%s", item->severity == SEVERITY_HINT ? "hint: " : "",
                    item->key != NULL ? item->key : "", item->key != NULL ? ": " : "",
                    remarks[item->remark].name);
        if (n == 0 && item->severity == SEVERITY_DELEGATED)
            strbuf_add_str(out, strstr(item->text, "good version") != NULL ? "=kept"
                                : strstr(item->text, "in force") != NULL   ? ""
                                                                           : "=off");
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

static void check_remarks(const struct loaded *l, const char *row, const char *got)
{
    struct strbuf names = STRBUF_INIT, words = STRBUF_INIT;
    split_words(row, &names, &words);
    check_str("remarks", strbuf_str(&names), got);
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

static void check_loaded(const struct loaded *l, size_t place, const char *said)
{
    if (place < DELEGATED) {
        check_bool("loads", l->diagnostics.errors == 0, l->settings != NULL);
        return;
    }
    bool is_right = strcmp(said, "ok") == 0 || strstr(said, "parent-outside") != NULL ||
                    strstr(said, ": hint: ") != NULL;
    check_bool("alice's other list", true, has_list(l, "fine.alice.example"));
    check_bool("bob's list", true, has_list(l, "b.bob.example"));
    check_bool("the list", is_right && place > DELEGATED, has_list(l, "n.alice.example"));
    check_bool("its address", false,
               !is_right &&
                   list_get(&l->settings->index, LIST_BY_ADDRESS, span_cstr("n@alice.example")));
}

/* ---- what is made of it ---- */

struct number {
    const char *name;
    long value;
};

static bool add_number(const struct number *rows, size_t count, const char *name,
                       struct strbuf *out)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(rows[i].name, name) == 0) {
            strbuf_addf(out, "%ld", rows[i].value);
            return true;
        }
    return false;
}

static bool add_main_value(const struct settings *s, const char *name, struct strbuf *out)
{
#define NUMBER(member)                                                                             \
    {                                                                                              \
#member, (long)s->member                                                                   \
    }
    const struct number numbers[] = {NUMBER(user_line),        NUMBER(socket_mode),
                                     NUMBER(pid_file_is_set),  NUMBER(dry_run),
                                     NUMBER(syslog_facility),  NUMBER(watch),
                                     NUMBER(needs_store),      NUMBER(recipient_key_count),
                                     NUMBER(index.count),      NUMBER(index.recipient_lists),
                                     NUMBER(token_names.count)};
    const struct {
        const char *name, *text;
    } texts[] = {{"socket", s->socket},
                 {"store", s->store},
                 {"pid_file", s->pid_file},
                 {"metrics", s->metrics},
                 {"user", s->user},
                 {"socket_group", s->socket_group},
                 {"recipient_delimiter", s->recipient_delimiter.p}};
    for (size_t i = 0; i < CHECK_COUNT(texts); i++)
        if (strcmp(texts[i].name, name) == 0) {
            strbuf_add_str(out, texts[i].text != NULL ? texts[i].text : "none");
            return true;
        }
    return add_number(numbers, CHECK_COUNT(numbers), name, out);
}

static bool add_choice(const struct list *list, const char *name, struct strbuf *out)
{
    const struct {
        enum key key;
        unsigned value;
    } rows[] = {{KEY_SELECT, list->select},
                {KEY_MISSING_MESSAGE_ID, list->missing_message_id},
                {KEY_DUPLICATE_MESSAGE_ID, list->duplicate_message_id},
                {KEY_CROSSPOST, list->crosspost},
                {KEY_PRIVATE_RECIPIENTS, list->private_recipients},
                {KEY_OVERSIGNED, list->oversigned},
                {KEY_SEQUENCE_FROM, list->sequence_from},
                {KEY_ARCHIVED_AT_REQUIRES, list->archived_at_requires},
                {KEY_REUSED_MESSAGE_ID, list->reused_message_id},
                {KEY_ON_STORE_FAILURE, list->on_store_failure}};
    for (size_t i = 0; i < CHECK_COUNT(rows); i++)
        if (strcmp(schema[rows[i].key].name, name) == 0) {
            strbuf_add_str(out, schema[rows[i].key].choices[rows[i].value]);
            return true;
        }
    return false;
}

static bool add_flag(const struct list *list, const char *name, struct strbuf *out)
{
#define FLAG(member)                                                                               \
    {                                                                                              \
#member, list->member                                                                      \
    }
    const struct number rows[] = {FLAG(message_id_hash),
                                  FLAG(honor_no_archive),
                                  FLAG(sender_count),
                                  FLAG(list_id_hash),
                                  FLAG(alt_message_id),
                                  FLAG(replace_post),
                                  FLAG(precedence),
                                  FLAG(unsubscribe_one_click),
                                  FLAG(numbered),
                                  FLAG(asks_store),
                                  FLAG(alias_count),
                                  FLAG(command_address_count),
                                  {"virtual", list_domain_is_virtual(list)},
                                  {"sources", list->nesting != NULL && list->nesting->has_sources}};
    return add_number(rows, CHECK_COUNT(rows), name, out);
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
        : span_eq(way, span_cstr("has"))    ? (list_has_sender(index, list, text) ? list : NULL)
        : span_eq(way, span_cstr("sender")) ? list_by_sender(index, text)
        : span_eq(way, span_cstr("plain"))  ? list_get(index, LIST_BY_COMMAND, text)
        : span_eq(way, span_cstr("from"))   ? list_get(index, LIST_BY_COMMAND_FROM, text)
        : span_eq(way, span_cstr("token"))  ? list_by_token(index, LIST_BY_COMMAND_FROM, text, NULL)
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
    const struct trust_rules *rules = &s->trusted;
    const char *blank = strchr(name, ' ');
    if (strncmp(name, "trusts ", 7) != 0 && strncmp(name, "brings ", 7) != 0)
        return false;
    if (name[0] == 'b')
        rules = &list->nesting->sources;
    client.has_address = trust_address_parse(span_cstr(blank + 1), &client.address);
    strbuf_add_str(out, trust_matches(rules, &client) ? "yes" : "no");
    return true;
}

static struct loaded before; /* for a reload */

/* Adds what is told of all files. */
static bool add_whole(const struct settings *s, const char *name, struct strbuf *out)
{
    if (strcmp(name, "same") == 0)
        strbuf_add_str(out,
                       strcmp(s->fingerprint, before.settings->fingerprint) == 0 ? "yes" : "no");
    if (strcmp(name, "first_key") == 0)
        strbuf_add_span(out, s->recipient_keys[0]);
    for (size_t i = 0; strcmp(name, "lists") == 0 && i < s->index.count; i++)
        strbuf_addf(out, "%s%s", i > 0 ? " " : "", s->index.lists[i]->id.p);
    return strcmp(name, "same") == 0 || strcmp(name, "lists") == 0 ||
           strcmp(name, "first_key") == 0;
}

static bool add_list_text(const struct list *list, const char *name, struct strbuf *out)
{
    enum field_name field = field_name_find(span_cstr(name));
    const struct template *url =
        strncmp(name, "url", 3) == 0 ? archived_at_of(list, (size_t)(name[3] - '0')) : NULL;
    if (strcmp(name, "archive") == 0)
        strbuf_add_span(out, values_of_list(list).text[VAR_ARCHIVE]);
    else if (field != FIELD_OTHER)
        strbuf_add_span(out, field_of(list, field));
    else if (strcmp(name, "address") == 0)
        strbuf_add_span(out, list->address);
    else if (url != NULL)
        strbuf_add_span(out, shown_text_of(list, url));
    else if (strncmp(name, "leave", 5) == 0)
        strbuf_add_span(
            out, shown_text_of(
                     list, &list_items(list, FIELD_LIST_UNSUBSCRIBE)->items[name[5] - '0'].text));
    for (size_t i = 0;
         strcmp(name, "parents") == 0 && list->nesting != NULL && i < list->nesting->parent_count;
         i++)
        strbuf_addf(out, "%s%.*s", i > 0 ? " " : "", (int)list->nesting->parents[i].id.n,
                    list->nesting->parents[i].id.p);
    for (int i = 0; strcmp(name, "keep") == 0 && i < FIELD_NAME_COUNT; i++)
        if ((list->keep & FIELD_BIT(i)) != 0)
            strbuf_addf(out, "%s%s", out->len > 0 ? " " : "", field_name_text((enum field_name)i));
    return field != FIELD_OTHER || strcmp(name, "archive") == 0 || strcmp(name, "address") == 0 ||
           strcmp(name, "parents") == 0 || strcmp(name, "keep") == 0 ||
           strncmp(name, "url", 3) == 0 || strncmp(name, "leave", 5) == 0;
}

static void check_value(const struct loaded *l, char *name, const char *expected)
{
    struct strbuf out = STRBUF_INIT;
    size_t number = 0;
    if (name[0] >= '0' && name[0] <= '9' && name[1] == '.') {
        number = (size_t)(name[0] - '0');
        name += 2;
    }
    const struct list *list =
        number < l->settings->index.count ? l->settings->index.lists[number] : NULL;
    if (!add_whole(l->settings, name, &out) && !add_main_value(l->settings, name, &out) &&
        !add_trust(l->settings, list, name, &out) &&
        !add_found(&l->settings->index, list, name, &out) &&
        (list == NULL || (!add_choice(list, name, &out) && !add_flag(list, name, &out) &&
                          !add_list_text(list, name, &out))))
        check_complain("a name of a value", "one that is known", name);
    for (char *end; (end = strchr(strbuf_str(&out), '\n')) != NULL;) /* of a folded field */
        memmove(end, end + 1, strlen(end));
    check_str(name, expected, out.len > 0 ? strbuf_str(&out) : "none");
    strbuf_free(&out);
}

/* values = NAME " = " VALUE *( "; " NAME " = " VALUE ) */
static void check_values(const struct loaded *l, char *values)
{
    for (char *next = NULL; values != NULL; values = next) {
        char *equals = strstr(values, " = ");
        next = strstr(values, "; ");
        assert_non_null(equals);
        *equals = '\0';
        if (next != NULL) {
            *next = '\0';
            next += 2;
        }
        check_value(l, values, equals + 3);
    }
}

/* ---- rows ---- */

static struct loaded load_place(size_t place, const char *path, const struct strbuf *text)
{
    const char *file = place < DELEGATED ? "own/s.conf" : "a/m.conf";
    if (place < LISTS)
        return load_request(&(struct settings_request){
            .path = place == AT ? path : "/nowhere/t.conf", .text = strbuf_span(text)});
    write_octets(file, strbuf_span(text));
    struct loaded l = load_main(NULL);
    remove_file(file);
    return l;
}

static void check_line(char *line)
{
    struct strbuf text = STRBUF_INIT, said = STRBUF_INIT;
    char path[400] = "", *messages = strstr(line, " => "), *values = strstr(line, " -> ");
    char *end = messages != NULL ? messages : values;
    size_t place = 0;
    check_row(line);
    while (place < PLACES && strncmp(line, places[place].name, strlen(places[place].name)) != 0)
        place++;
    assert_true(place < PLACES && end != NULL);
    const char *begin = line + strlen(places[place].name);
    if (place == AT) {
        snprintf(path, sizeof path, "%.*s", (int)strcspn(begin, ":"), begin);
        begin += strlen(path) + 2;
    }
    strbuf_add_str(&text, places[place].before);
    add_text(&text, begin, end);
    strbuf_add_str(&text, places[place].after);
    wants_missing_keys = place == WHOLE;
    struct loaded l = load_place(place, path, &text);
    const char *got = remarks_of(&l, places[place].file, &said);
    if (messages != NULL)
        check_remarks(&l, end + 4, got);
    else if (check_bool(got, true, l.settings != NULL))
        check_values(&l, end + 4);
    check_loaded(&l, place, got);
    wants_missing_keys = false;
    loaded_free(&l);
    strbuf_free(&text);
    strbuf_free(&said);
}

static void check_file(const char *path)
{
    static char line[4000];
    FILE *rows = fopen(path, "r");
    int count = 0;
    assert_non_null(rows);
    while (fgets(line, sizeof line, rows) != NULL) {
        bool is_international = false;
        assert_non_null(strchr(line, '\n'));
        line[strcspn(line, "\n")] = '\0';
#ifndef HAVE_LIBIDN2
        is_international = !span_is_printable_ascii(span_cstr(line)) ||
                           strstr(line, "no international domain name") != NULL;
#endif
        if (line[0] == '#' || is_international)
            continue;
        check_line(line);
        count++;
    }
    fclose(rows);
    assert_true(count > 550);
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
    check_file(UNIT_FOLDER "/settings.txt");
    check_end();
}

/* ---- folders ---- */

/* Changes a file. */
static bool run_change(const char *command, const char *value, const char *path)
{
    const char *file = path_of(path[0] != '\0' ? path : value);
    return strcmp(command, "rm") == 0      ? remove(file) == 0
           : strcmp(command, "fifo") == 0  ? mkfifo(file, 0644) == 0
           : strcmp(command, "mkdir") == 0 ? mkdir(file, 0755) == 0
           : strcmp(command, "link") == 0  ? symlink(value, file) == 0
           : strcmp(command, "hard") == 0  ? link(path_of(value), file) == 0
           : strcmp(command, "mv") == 0    ? rename(path_of(value), file) == 0
           : strcmp(command, "mode") == 0  ? chmod(file, (mode_t)strtoul(value, NULL, 8)) == 0
           : strcmp(command, "size") == 0  ? truncate(file, strtol(value, NULL, 10)) == 0
                                           : false;
}

static void run_load(const char *command, const char *what, char *messages, char *values)
{
    char *files[] = {(char *)(uintptr_t)path_of(what)};
    struct settings_request request = {.path = path_of("m.conf")};
    struct strbuf said = STRBUF_INIT;
    bool is_reload = strcmp(command, "reload") == 0 || strcmp(command, "again") == 0;
    bool is_check = strcmp(command, "check") == 0 || strcmp(command, "alone") == 0;
    check_bool("a command", true, is_reload || is_check || strcmp(command, "load") == 0);
    if (is_check) {
        request.files = files;
        request.file_count = 1;
        request.keys = KEYS_NOT_READ;
        request.path = command[0] == 'a' ? NULL : request.path;
    } else if (strncmp(what, "main-", 5) == 0) {
        request.extent = what[5] == 'f' ? SETTINGS_MAIN_FILE : SETTINGS_MAIN_KEYS;
    } else if (what[0] != '\0') {
        request.path = files[0];
    }
    request.previous = is_reload ? before.settings : NULL;
    struct loaded l = load_request(&request);
    shorten(&l.messages);
    check_remarks(&l, messages, remarks_of(&l, "", &said));
    check_bool("loads", l.diagnostics.errors == 0, l.settings != NULL);
    if (values != NULL && l.settings != NULL)
        check_values(&l, values);
    if (strcmp(command, "load") == 0 || strcmp(command, "again") == 0) {
        struct loaded old = before;
        before = l;
        l = old;
    }
    loaded_free(&l);
    strbuf_free(&said);
}

static void run_line(char *line)
{
    char *messages = strstr(line, "=> "), *values = strstr(line, " -> ");
    char command[300] = "", what[100] = "", path[100] = "";
    struct strbuf text = STRBUF_INIT;
    check_row(line);
    (void)sscanf(line, "%299s %99s %99s", command, what, path);
    if (command[strlen(command) - 1] == ':') {
        add_text(&text, strchr(line, ' ') + 1, line + strlen(line));
        command[strlen(command) - 1] = '\0';
        write_octets(command, strbuf_span(&text));
    } else if (messages == NULL) {
        check_bool("can be done", true, run_change(command, what, path));
    } else {
        if (values != NULL)
            *values = '\0';
        run_load(command, what[0] == '=' ? "" : what, messages + 3,
                 values != NULL ? values + 4 : NULL);
    }
    strbuf_free(&text);
}

static void test_folders(void **state)
{
    static char line[4000];
    FILE *rows = fopen(UNIT_FOLDER "/folders.txt", "r");
    int cases = 0;
    (void)state;
    assert_non_null(rows);
    while (fgets(line, sizeof line, rows) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        if (strncmp(line, "== ", 3) == 0) {
            cases++;
            loaded_free(&before);
            before = (struct loaded){.settings = NULL};
            remove_folder(NULL);
            assert_int_equal(make_folder(NULL), 0);
        } else if (line[0] != '#') {
            run_line(line);
        }
    }
    loaded_free(&before);
    fclose(rows);
    check_bool("cases", true, cases > 15);
    check_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(test_rows),
        IN_FOLDER(test_folders),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
