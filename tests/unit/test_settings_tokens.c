/* config/settings_load: named tokens and files of keys (SU-24, SU-25, RULINGS 17, 47, 48). */
#include "config_help.h"

#include "config/files/key_file.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define L           "lists = {}\n"
#define TOKEN(text) L "token \"t\" {\n" text "\n}\n"
#define GOOD        "digest = sha256 of = \"{message_id}\""
#define USE(text)   L "list \"a.b\" {\narchived_at = {\"" text "\"}\n}\n"

static const struct settings *settings_of(const struct loaded *l)
{
    if (l->settings == NULL)
        fail_msg("%s", strbuf_str(&l->messages));
    return l->settings;
}

/* The value of token i when the Message-ID is "m@x.example". */
static struct span value_of(const struct settings *s, size_t i, struct arena *arena)
{
    struct variable_values values = {.set = VAR_BIT(VAR_MESSAGE_ID)};
    struct span value = span_of(NULL, 0);
    values.text[VAR_MESSAGE_ID] = span_cstr("m@x.example");
    check_int("value", 0, token_value(&s->tokens[i], &values, arena, &value));
    return value;
}

/* SU-24, SU-25: each key, and tokens that stand behind the lists and the defaults */
static void test_tokens(void **state)
{
    struct loaded l = load_text(
        L
        "list \"a.b\" { archived_at = {\"https://x.example/{day}/{hex}/{b32:4}\"} }\n"
        "list \"c.d\" {}\n"
        "defaults { archived_at = {\"https://x.example/{day}/{b64}?q={hex}\"} }\n"
        "token \"hex\" { digest = \"SHA1\" of = \"abc\" encoding = \"hex\" }\n"
        "token b32 { of = \"abc\" digest = sha1 padding = true }\n"
        "token 'b64' { of = \"abc\" digest = \"sha-1\" encoding = base64url padding = yes }\n"
        "token \"up_2\" { of = \"abc\" digest = sha1 encoding = hex }\n"
        "token \"all\" { digest = sha256 of = \"{message_id} {date} {from} {to} {subject}{list_id}"
        "{list_label}{list_namespace}{address}{address_local}{address_domain}{message_id_hash}"
        "{list_id_hash}\" }\n");
    const struct settings *s = settings_of(&l);
    struct arena arena;
    (void)state;
    arena_init(&arena, 0);
    assert_string_equal(strbuf_str(&l.messages), "");
    assert_int_equal(s->token_names.count, 5);
    check_text("name", "up_2", s->token_names.names[3]);
    check_text("name", "up_2", s->tokens[3].name);
    /* FIPS 180-4, the example "abc" */
    check_text("hex", "a9993e364706816aba3e25717850c26c9cd0d89d", value_of(s, 0, &arena));
    check_text("base32", "VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5", value_of(s, 1, &arena));
    check_text("base64url", "qZk-NkcGgWq6PiVxeFDCbJzQ2J0=", value_of(s, 2, &arena));
    check_bool("all fields", true, s->tokens[4].of.needs == (VARS_TOKEN_OF & ~VAR_BIT(VAR_LF)));
    check_end();
    assert_true((archived_at_of(s->index.lists[0], 0)->needs & ~VARS_LIST) ==
                (VAR_BIT(VAR_DAY) | VAR_BIT(VAR_FIRST_TOKEN) | VAR_BIT(VAR_FIRST_TOKEN + 1)));
    assert_true((archived_at_of(s->index.lists[1], 0)->needs & ~VARS_LIST) ==
                (VAR_BIT(VAR_DAY) | VAR_BIT(VAR_FIRST_TOKEN + 2) | VAR_BIT(VAR_FIRST_TOKEN)));
    arena_free(&arena);
    loaded_free(&l);
}

static void test_wrong_tokens(void **state)
{
    static const struct row rows[] = {
        {L "token \"\" {" GOOD "}", "2: token: ", "no name of a token"},
        {L "token {" GOOD "}", "2: token: has no name", NULL},
        {L "token \"Ab\" {" GOOD "}", "2: token: \"Ab\"", "small letters"},
        {L "token \"2a\" {" GOOD "}", "2: token: ", "a letter first"},
        {L "token \"_a\" {" GOOD "}", "2: token: ", "a letter first"},
        {L "token \"a-b\" {" GOOD "}", "2: token: ", "small letters"},
        {L "token \"a:b\" {" GOOD "}", "2: token: ", "small letters"},
        {L "token \"abcdefghabcdefghabcdefghabcdefghabcdefghabcdefghabcdefghabcdefghi\" {" GOOD "}",
         "2: token: ", "64"},
        {L "token \"message_id\" {" GOOD "}", "2: token: ", "name of a variable"},
        {L "token \"subject\" {" GOOD "}", "2: token: ", "name of a variable"},
        {L "token \"a\" {" GOOD "}\ntoken \"b\" {" GOOD "}\ntoken \"a\" {" GOOD "}",
         "4: token: \"a\"", "line 2"},
        {TOKEN("of = \"x\""), "2: token: \"t\"", "lacks its digest"},
        {TOKEN("digest = sha1"), "2: token: \"t\"", "lacks the text"},
        {TOKEN("digest = sha1 of = \"\""), "3: of: ", "empty"},
        {TOKEN("of = \"x\"\ndigest = \"md17\""), "4: digest: \"md17\"", "libcrypto"},
        {TOKEN("of = \"x\"\ndigest = \"\""), "4: digest: ", "libcrypto"},
        {TOKEN("digest = sha1\nof = \"{sequence}\""), "4: of: ", "{sequence}"},
        {TOKEN("digest = sha1\nof = \"{recipient}\""), "4: of: ", "{recipient}"},
        {TOKEN("digest = sha1\nof = \"{archive}\""), "4: of: ", "{archive}"},
        {TOKEN("digest = sha1\nof = \"{t}\""), "4: of: ", "unknown variable {t}"},
        {TOKEN("digest = sha1\nof = \"{message_id\""), "4: of: ", "}"},
        {TOKEN(GOOD "\nencoding = \"base16\""), "4: encoding: ", "\"base32\""},
        {TOKEN(GOOD "\npadding = 2"), "4: padding: ", "true or false"},
        /* RULINGS 108: no such keys any longer */
        {TOKEN(GOOD "\nletter_case = \"lower\""), "4: letter_case: ", "not known"},
        {TOKEN(GOOD "\nprefix = \"p\""), "4: prefix: ", "not known"},
        {TOKEN(GOOD "\nkey_file = \"k\""), "4: key_file: ", "not known"},
        {TOKEN(GOOD "\ncolour = 1"), "4: colour: ", "not known"},
        {TOKEN(GOOD "\nhelp = {}"), "4: help: ", "not known"},
        {TOKEN(GOOD "\nof = \"x\""), "4: of: ", "line 3"},
        {L "digest = sha1", "2: digest: ", "not known"},
        /* used wrongly: RULINGS 47 */
        {USE("https://x.example/{t}"), "3: archived_at: ", "unknown variable {t}"},
        {TOKEN(GOOD) "list \"a.b\" {\nhelp = {\"https://x.example/{t}\"}\n}",
         "6: help: ", "may not be used"},
        {L "token \"t\" { digest = sha1 of = \"{address_local}\" }\n"
           "list \"a.b\" {\narchived_at = {\"https://x.example/{t}\"}\n}",
         "4: archived_at: ", "{t}, which is made of the address"},
        {L "token \"t\" { digest = sha1 of = \"{address}\" }\nlist \"a.b\" {}\n"
           "defaults {\narchived_at = {\"https://x.example/{t}\"}\n}",
         "5: archived_at: ", "in list \"a.b\""},
    };
    (void)state;
    check_rows(rows, CHECK_COUNT(rows), true);
}

/* A token that is wrong is told of once, not again where it is used. */
static void test_no_echo(void **state)
{
    static const char *const rows[] = {
        TOKEN("digest = \"md17\" of = \"x\"") "list \"a.b\" { archived_at = {\"x:{t}\"} }",
        TOKEN("of = \"x\"") "list \"a.b\" { archived_at = {\"x:{t}\"} }",
        TOKEN("digest = sha1 of = \"{colour}\"") "list \"a.b\" { archived_at = {\"x:{t}\"} }",
        TOKEN(GOOD) "list \"a.b\" { address = x archived_at = {\"x:{t}\"} }",
        L "token_key_file = \"a\\n\"\n"
          "list \"a.b\" { unsubscribe = {\"https://x.example/{recipient_token}\"} }",
        L "token_key_file = none\n"
          "list \"a.b\" { unsubscribe = {\"https://x.example/{recipient_token}\"} }",
    };
    (void)state;
    check_errors(rows, CHECK_COUNT(rows), 1);
}

static void test_many_tokens(void **state)
{
    (void)state;
    for (int count = TOKENS_MAX; count <= TOKENS_MAX + 1; count++) {
        struct strbuf text = STRBUF_INIT;
        strbuf_add_str(&text, L);
        for (int i = 0; i < count; i++)
            strbuf_addf(&text, "token \"t%d\" { " GOOD " }\n", i);
        strbuf_add_str(&text, "list \"a.b\" { archived_at = {\"x:{t31}\"} }");
        struct loaded l = load_span(strbuf_span(&text));
        const struct row row = {"", "34: token: \"t32\"", "at most 32"};
        if (count == TOKENS_MAX)
            assert_true(archived_at_of(settings_of(&l)->index.lists[0], 0)->needs ==
                        VAR_BIT(VAR_FIRST_TOKEN + 31));
        else
            assert_true(l.settings == NULL && has_message(&l, &row));
        loaded_free(&l);
        strbuf_free(&text);
    }
}

/* AT-09: a line of the field has at most 998 octets, whatever a token has. */
static void test_long_urls(void **state)
{
    static const struct {
        int octets;
        const char *form;
        bool fits;
    } rows[] = {
        /* Archived-At: <x:...>, with 128 characters of hex, or 103 and 1 of Base 32 */
        {998 - 17 - 128, "encoding = hex", true},
        {998 - 16 - 128, "encoding = hex", false},
        {998 - 17 - 103, "", true},
        {998 - 16 - 103, "", false},
        {998 - 16 - 104, "padding = true", false},
        {998 - 17 - 104, "padding = true", true},
        {998 - 16 - 86, "encoding = base64url", false},
        {998 - 17 - 86, "encoding = base64url", true},
    };
    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        struct strbuf text = STRBUF_INIT;
        strbuf_addf(&text,
                    L "token \"t\" { digest = sha512 of = \"x\" %s }\n"
                      "list \"a.b\" { archived_at = {\"x:",
                    rows[i].form);
        for (int k = 0; k < rows[i].octets; k++)
            strbuf_add_char(&text, 'a');
        strbuf_add_str(&text, "{t}\"} }");
        struct loaded l = load_span(strbuf_span(&text));
        check_row(rows[i].form);
        check_bool("fits", rows[i].fits, l.settings != NULL);
        loaded_free(&l);
        strbuf_free(&text);
    }
    check_end();
}

/* ---- files of keys ---- */

static char folder[200]; /* of the test at hand */

static const char *path_of(const char *name)
{
    static char path[400];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void write_octets(const char *name, const char *octets, size_t n, mode_t mode)
{
    int file = open(path_of(name), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(file >= 0);
    assert_int_equal(write(file, octets, n), n);
    assert_int_equal(fchmod(file, mode), 0);
    assert_int_equal(close(file), 0);
}

static void write_text(const char *name, const char *text, mode_t mode)
{
    write_octets(name, text, strlen(text), mode);
}

static int make_folder(void **state)
{
    const char *base = getenv("TMPDIR");
    (void)state;
    snprintf(folder, sizeof folder, "%s/mlmilter-XXXXXX", base == NULL ? "/tmp" : base);
    return mkdtemp(folder) == NULL ? -1 : 0;
}

static int remove_folder(void **state)
{
    static const char *const names[] = {"m.conf", "k", "link"};
    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(names); i++)
        if (unlink(path_of(names[i])) != 0)
            (void)rmdir(path_of(names[i]));
    return rmdir(folder);
}

static struct loaded load(enum settings_extent extent, enum key_reading keys)
{
    struct loaded l;
    diagnostics_init(&l.diagnostics);
    const struct settings_request request = {
        .path = path_of("m.conf"), .extent = extent, .keys = keys};
    l.settings = settings_load(&request, &l.diagnostics);
    loaded_finish(&l);
    return l;
}

static struct loaded load_all(void)
{
    return load(SETTINGS_ALL, KEYS_NEEDED);
}

#define KEY_A "first key of this file"
#define KEY_B "second key of this file"
#define CONF                                                                                       \
    "lists = {}\ntoken_key_file = \"k\"\n"                                                         \
    "list \"a.b\" { unsubscribe = "                                                                \
    "{\"https://x.example/{recipient}/{recipient_token}\",\"mailto:a@b.c\"} }\n"

/* RULINGS 17: one key a line, of any octets; relative to the folder of the main file. */
static void test_keys(void **state)
{
    static const struct {
        const char *text;
        size_t n;
        struct {
            const char *p;
            size_t n;
        } first;
        size_t count;
    } rows[] = {
#define ROW(text, first, count) {text, sizeof(text) - 1, {first, sizeof(first) - 1}, count}
        ROW(KEY_A, KEY_A, 1),
        ROW(KEY_A "\n", KEY_A, 1),
        ROW(KEY_A "\r\n" KEY_B "\r\n", KEY_A, 2),
        ROW("\n# a comment\n\r\n" KEY_A "\n\n" KEY_B "\n#" KEY_A, KEY_A, 2),
        ROW(" " KEY_A "\t \n", " " KEY_A "\t ", 1),     /* blanks belong to it */
        ROW("\xEF\xBB\xBF" KEY_A "\n" KEY_B, KEY_A, 2), /* RULINGS 88: a byte order mark */
        ROW("\xEF\xBB\xBF# a comment\n" KEY_A "\n", KEY_A, 1),
        ROW("16 octets a key!\n", "16 octets a key!", 1),
        ROW("\x00\xff\x01 octets of a key\r\r\n", "\x00\xff\x01 octets of a key\r", 1),
#undef ROW
    };
    (void)state;
    write_text("m.conf", CONF, 0644);
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        write_octets("k", rows[i].text, rows[i].n, i % 2 == 0 ? 0600 : 0640);
        struct loaded l = load_all();
        const struct settings *s = settings_of(&l);
        check_row_span(span_of(rows[i].text, rows[i].n));
        check_str("messages", "", strbuf_str(&l.messages));
        if (check_int("keys", (long long)rows[i].count, (long long)s->recipient_key_count)) {
            struct span first = span_of(rows[i].first.p, rows[i].first.n);
            check_span("first", first, s->recipient_keys[0]);
            if (rows[i].count > 1)
                check_text("second", KEY_B, s->recipient_keys[1]);
        }
        check_bool("read", false, s->recipient_keys_unread);
        loaded_free(&l);
    }
    check_end();
}

/* RULINGS 88: a second key that is short is a hint. */
static void test_short_second_key(void **state)
{
    (void)state;
    write_text("k", KEY_A "\nJefe\n", 0400);
    write_text("m.conf", CONF, 0644);
    struct loaded l = load_all();
    settings_of(&l);
    check_bool("hint", true,
               strstr(strbuf_str(&l.messages), "m.conf:2: hint: token_key_file: \"k\" holds a key "
                                               "of fewer than 16 bytes") != NULL);
    check_bool("no key in it", true, strstr(strbuf_str(&l.messages), "Jefe") == NULL);
    check_end();
    loaded_free(&l);
}

/* RULINGS 48, 84: texts of the poster side by side */
static void test_hints_of(void **state)
{
    static const struct {
        const char *of;
        const char *says; /* NULL: nothing */
    } rows[] = {
        {"{message_id}{date}", "has texts of the poster side by side"},
        {"x{list_id}{from}{subject}", "has texts of the poster side by side"},
        {"{list_id}{from} {subject}{list_label}", NULL},
        {"{message_id}{list_label}", NULL}, /* IETF's */
        {"{message_id:8}{from}", NULL},     /* never longer, and hardly ever shorter */
        {"{message_id}", NULL},
    };
    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        char text[400];
        snprintf(text, sizeof text, L "token \"t\" { digest = sha256\nof = \"%s\" }\n", rows[i].of);
        write_text("m.conf", text, 0644);
        struct loaded l = load_all();
        check_row(text);
        check_int("hints", rows[i].says != NULL, (long long)l.diagnostics.hints);
        check_bool("loads", true, l.settings != NULL);
        if (rows[i].says != NULL)
            check_bool(strbuf_str(&l.messages), true,
                       strstr(strbuf_str(&l.messages), rows[i].says) != NULL &&
                           strstr(strbuf_str(&l.messages), "m.conf:3: hint: of: ") != NULL);
        loaded_free(&l);
    }
    check_end();
}

static void test_wrong_key_files(void **state)
{
    static const struct {
        const char *text;
        mode_t mode;
        const char *says;
    } rows[] = {
        {KEY_A, 0644, "is open to others"},
        {KEY_A, 0604, "is open to others"},
        {KEY_A, 0602, "is open to others"},
        {KEY_A, 0601, "is open to others"},
        {KEY_A, 0660, "is open to others"},
        {KEY_A, 0620, "is open to others"},
        {KEY_A, 0650, "is open to others"},
        {"", 0600, "holds no key"},
        {"\n#" KEY_A "\n\n", 0600, "holds no key"},
        {"\xEF\xBB\xBF#" KEY_A "\n\n", 0600, "holds no key"},
        /* RULINGS 88 */
        {"\t # the first key of all\n" KEY_A "\n", 0600, "has a line with blanks before a \"#\""},
        {KEY_A "\n #\n", 0600, "has a line with blanks before a \"#\""},
        {"\xEF\xBB\xBF # the first key\n" KEY_A "\n", 0600, "has a line with blanks before"},
        {"# first key\n\n15 octets a key\n" KEY_A "\n", 0600, "has a first key of fewer than 16"},
    };
    (void)state;
    write_text("m.conf", CONF, 0644);
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        char says[100];
        write_text("k", rows[i].text, rows[i].mode);
        struct loaded l = load_all();
        check_row(rows[i].says);
        check_bool("refused", true, l.settings == NULL);
        check_int("errors", 1, (long long)l.diagnostics.errors);
        snprintf(says, sizeof says, "m.conf:2: token_key_file: \"k\" %s", rows[i].says);
        check_bool(says, true, strstr(strbuf_str(&l.messages), says) != NULL);
        check_bool("no key in it", true, strstr(strbuf_str(&l.messages), "of this file") == NULL);
        loaded_free(&l);
        assert_int_equal(unlink(path_of("k")), 0);
    }
    check_end();
}

static void expect(const char *says)
{
    struct loaded l = load_all();
    assert_null(l.settings);
    if (strstr(strbuf_str(&l.messages), says) == NULL)
        fail_msg("\"%s\" is not in %s", says, strbuf_str(&l.messages));
    loaded_free(&l);
}

/* A folder, a FIFO (which must not wait), a large file; a link of the administrator is fine. */
static void test_kinds_of_files(void **state)
{
    struct loaded l;
    (void)state;
    write_text("m.conf", CONF, 0644);
    expect("m.conf:2: token_key_file: \"k\" cannot be read: No such file");
    assert_int_equal(mkdir(path_of("k"), 0700), 0);
    expect("m.conf:2: token_key_file: \"k\" is not a regular file");
    assert_int_equal(rmdir(path_of("k")), 0);
    assert_int_equal(mkfifo(path_of("k"), 0600), 0);
    expect("m.conf:2: token_key_file: \"k\" is not a regular file");
    assert_int_equal(unlink(path_of("k")), 0);

    char *large = malloc(KEY_FILE_MAX + 1);
    assert_non_null(large);
    memset(large, 'k', KEY_FILE_MAX + 1);
    write_octets("k", large, KEY_FILE_MAX + 1, 0600);
    expect("m.conf:2: token_key_file: \"k\" is too large");
    write_octets("k", large, KEY_FILE_MAX, 0600);
    l = load_all();
    assert_int_equal(settings_of(&l)->recipient_keys[0].n, KEY_FILE_MAX);
    loaded_free(&l);
    free(large);

    char target[400];
    write_text("k", KEY_A, 0600);
    snprintf(target, sizeof target, "%s", path_of("k"));
    assert_int_equal(symlink(target, path_of("link")), 0);
    write_text("m.conf", L "token_key_file = \"link\"", 0644);
    l = load_all();
    assert_int_equal(settings_of(&l)->recipient_key_count, 1);
    loaded_free(&l);
}

/* What is read when: the tool runs as anyone (RULINGS 82). */
static void test_readings(void **state)
{
    static const struct {
        const char *what;
        mode_t mode; /* 0: no file */
        enum settings_extent extent;
        enum key_reading keys;
        bool loads, read;
    } rows[] = {
        {"there", 0600, SETTINGS_ALL, KEYS_NEEDED, true, true},
        {"there", 0600, SETTINGS_ALL, KEYS_IF_READABLE, true, true},
        {"there", 0600, SETTINGS_MAIN_FILE, KEYS_NEEDED, true, false},
        {"missing", 0, SETTINGS_ALL, KEYS_NEEDED, false, false},
        {"missing", 0, SETTINGS_ALL, KEYS_IF_READABLE, true, false},
        {"missing", 0, SETTINGS_MAIN_FILE, KEYS_NEEDED, true, false},
        {"open", 0644, SETTINGS_ALL, KEYS_NEEDED, false, false},
        {"open", 0644, SETTINGS_ALL, KEYS_IF_READABLE, true, true},
        {"closed", 0200, SETTINGS_ALL, KEYS_NEEDED, false, false},
        {"closed", 0200, SETTINGS_ALL, KEYS_IF_READABLE, true, false},
    };
    (void)state;
    write_text("m.conf", CONF, 0644);
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        if (rows[i].mode == 0200 && geteuid() == 0)
            continue; /* root may read it */
        (void)unlink(path_of("k"));
        if (rows[i].mode != 0)
            write_text("k", KEY_A, rows[i].mode);
        struct loaded l = load(rows[i].extent, rows[i].keys);
        check_row(rows[i].what);
        check_bool("loads", rows[i].loads, l.settings != NULL);
        if (l.settings != NULL) {
            check_int("keys", rows[i].read, (long long)l.settings->recipient_key_count);
            check_bool("unread", !rows[i].read, l.settings->recipient_keys_unread);
            bool tried = !rows[i].read && rows[i].extent == SETTINGS_ALL;
            const char *fault = l.settings->recipient_keys_fault;
            if (check_bool("a fault", tried, fault != NULL) && tried)
                check_bool(fault, true,
                           strncmp(fault, path_of("k"), strlen(path_of("k"))) == 0 &&
                               strstr(fault, ": ") != NULL);
        }
        loaded_free(&l);
    }
    check_end();
}

/* RULINGS 17: with {recipient_token} and a key, one-click loads without a word. */
static void test_one_click(void **state)
{
    (void)state;
    write_text("k", KEY_A, 0600);
    write_text("m.conf",
               L "token_key_file = \"k\" list \"a.b\" { unsubscribe_one_click = true unsubscribe = "
                 "{\"https://x.example/{recipient_token}?a={recipient}\", \"mailto:a@b.c\"} }",
               0644);
    struct loaded l = load_all();
    assert_true(settings_of(&l)->index.lists[0]->one_click);
    assert_string_equal(strbuf_str(&l.messages), "");
    loaded_free(&l);

    /* RFC 8058 3.1, 5: a proof that is never sent is none */
    write_text("m.conf",
               L "token_key_file = \"k\" list \"a.b\" { unsubscribe_one_click = true unsubscribe = "
                 "{\"https://x.example/{recipient}#{recipient_token}\", \"mailto:a@b.c\"} }",
               0644);
    l = load_all();
    settings_of(&l);
    assert_non_null(strstr(strbuf_str(&l.messages), "lets anyone who knows an address"));
    loaded_free(&l);
}

/* ---- what is left of keys ---- */

void __real_OPENSSL_cleanse(void *p, size_t n);
void __wrap_OPENSSL_cleanse(void *p, size_t n);

static int cleansed_first, cleansed_second, cleansed_files;

/* In its place when it is called: what is overwritten. */
void __wrap_OPENSSL_cleanse(void *p, size_t n)
{
    if (n == strlen(KEY_A) && memcmp(p, KEY_A, n) == 0)
        cleansed_first++;
    else if (n == strlen(KEY_B) && memcmp(p, KEY_B, n) == 0)
        cleansed_second++;
    else if (n == strlen(KEY_A "\n" KEY_B) && memcmp(p, KEY_A "\n" KEY_B, n) == 0)
        cleansed_files++;
    __real_OPENSSL_cleanse(p, n);
}

static void test_keys_are_forgotten(void **state)
{
    (void)state;
    write_text("k", KEY_A "\n" KEY_B, 0600);
    write_text("m.conf", CONF, 0644);
    cleansed_first = cleansed_second = cleansed_files = 0;
    struct loaded l = load_all();
    settings_of(&l);
    check_int("files", 1, cleansed_files);
    check_int("keys", 0, cleansed_first + cleansed_second);
    loaded_free(&l);
    check_int("first key", 1, cleansed_first);
    check_int("second key", 1, cleansed_second);

    char octets[] = "key";
    key_file_forget(span_of(octets, 3));
    check_bool("overwritten", true, memcmp(octets, "\0\0\0", 4) == 0);
    key_file_forget(span_of(NULL, 0));
    check_end();
}

int main(void)
{
#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tokens),      cmocka_unit_test(test_wrong_tokens),
        cmocka_unit_test(test_no_echo),     cmocka_unit_test(test_many_tokens),
        cmocka_unit_test(test_long_urls),   IN_FOLDER(test_keys),
        IN_FOLDER(test_short_second_key),   IN_FOLDER(test_hints_of),
        IN_FOLDER(test_wrong_key_files),    IN_FOLDER(test_kinds_of_files),
        IN_FOLDER(test_readings),           IN_FOLDER(test_one_click),
        IN_FOLDER(test_keys_are_forgotten),

    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
