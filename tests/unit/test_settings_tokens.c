/* config/load: named tokens and files of keys (SU-24, SU-25, RULINGS 17, 47, 48). */
#include "config_help.h"

#include <fcntl.h>

#define L    "lists = {}\n"
#define GOOD "digest = sha256 of = \"{message_id}\""

static const struct settings *settings_of(const struct loaded *l)
{
    if (l->settings == NULL)
        fail_msg("%s", strbuf_str(&l->messages));
    return l->settings;
}

/* Returns the value of token i when the Message-ID is "m@x.example". */
static struct span token_of(const struct settings *s, size_t i, struct arena *arena)
{
    struct variable_values values = {.set = VAR_BIT(VAR_MESSAGE_ID)};
    struct span value = span_of(NULL, 0);
    values.text[VAR_MESSAGE_ID] = span_cstr("m@x.example");
    check_int("value", 0, token_value(&s->tokens[i], &values, arena, &value));
    return value;
}

/* SU-24, SU-25: each key, and tokens after the lists and the defaults */
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
    check_says(&l,
               "t.conf:2: hint: archived_at: \"https://x.example/{day}/{hex}/{b32:4}\" is one URL");
    assert_int_equal(l.diagnostics.errors, 0);
    assert_int_equal(s->token_names.count, 5);
    check_text("name", "up_2", s->token_names.names[3]);
    check_text("name", "up_2", s->tokens[3].name);
    /* FIPS 180-4, the example "abc" */
    check_text("hex", "a9993e364706816aba3e25717850c26c9cd0d89d", token_of(s, 0, &arena));
    check_text("base32", "VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5", token_of(s, 1, &arena));
    check_text("base64url", "qZk-NkcGgWq6PiVxeFDCbJzQ2J0=", token_of(s, 2, &arena));
    check_bool("all fields", true, s->tokens[4].of.needs == (VARS_TOKEN_OF & ~VAR_BIT(VAR_LF)));
    check_end();
    assert_true((archived_at_of(s->index.lists[0], 0)->needs & ~VARS_LIST) ==
                (VAR_BIT(VAR_DAY) | VAR_BIT(VAR_FIRST_TOKEN) | VAR_BIT(VAR_FIRST_TOKEN + 1)));
    assert_true((archived_at_of(s->index.lists[1], 0)->needs & ~VARS_LIST) ==
                (VAR_BIT(VAR_DAY) | VAR_BIT(VAR_FIRST_TOKEN + 2) | VAR_BIT(VAR_FIRST_TOKEN)));
    arena_free(&arena);
    loaded_free(&l);
}

static void test_many_tokens(void **state)
{
    (void)state;
    for (int count = TOKENS_MAX; count <= TOKENS_MAX + 1; count++) {
        struct strbuf text = STRBUF_INIT;
        strbuf_add_str(&text, L);
        for (int i = 0; i < count; i++)
            strbuf_addf(&text, "token \"t%d\" { " GOOD " }\n", i);
        strbuf_add_str(&text, "list \"a.b\" { archived_at = {\"mid:{t31}\"} }");
        struct loaded l = load_text(strbuf_str(&text));
        if (count == TOKENS_MAX)
            assert_true(archived_at_of(settings_of(&l)->index.lists[0], 0)->needs ==
                        VAR_BIT(VAR_FIRST_TOKEN + 31));
        else
            assert_string_equal(strbuf_str(&l.messages),
                                "/nowhere/t.conf:34: token: \"t32\" is one too many (expected at "
                                "most 32 tokens)\n");
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
        struct loaded l = load_text(strbuf_str(&text));
        check_row(rows[i].form);
        check_bool("fits", rows[i].fits, l.settings != NULL);
        loaded_free(&l);
        strbuf_free(&text);
    }
    check_end();
}

/* ---- files of keys ---- */

#define KEY_A "first key of this file"
#define KEY_B "second key of this file"
#define CONF                                                                                       \
    "lists = {}\ntoken_key_file = \"k\"\n"                                                         \
    "list \"a.b\" { unsubscribe = "                                                                \
    "{\"https://x.example/{recipient}/{recipient_token}\",\"mailto:a@b.c\"} }\n"

static void write_key(struct span text, mode_t mode)
{
    (void)unlink(path_of("k"));
    write_octets("k", text);
    assert_int_equal(chmod(path_of("k"), mode), 0);
}

static struct loaded load_keys(enum settings_extent extent, enum key_reading keys)
{
    struct loaded l = load_request(
        &(struct settings_request){.path = path_of("m.conf"), .extent = extent, .keys = keys});
    shorten(&l.messages);
    return l;
}

/* When keys are read: the tool runs as anyone (RULINGS 82). */
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
        {"there", 0600, SETTINGS_MAIN_KEYS, KEYS_NEEDED, true, true},
        {"missing", 0, SETTINGS_ALL, KEYS_NEEDED, false, false},
        {"missing", 0, SETTINGS_ALL, KEYS_IF_READABLE, true, false},
        {"missing", 0, SETTINGS_MAIN_FILE, KEYS_NEEDED, true, false},
        {"open", 0644, SETTINGS_ALL, KEYS_NEEDED, false, false},
        {"open", 0644, SETTINGS_ALL, KEYS_IF_READABLE, true, true},
        {"closed", 0200, SETTINGS_ALL, KEYS_NEEDED, false, false},
        {"closed", 0200, SETTINGS_ALL, KEYS_IF_READABLE, true, false},
    };
    (void)state;
    write_file("m.conf", CONF);
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        if (rows[i].mode == 0200 && geteuid() == 0)
            continue; /* root may read it */
        (void)unlink(path_of("k"));
        if (rows[i].mode != 0)
            write_key(span_cstr(KEY_A), rows[i].mode);
        struct loaded l = load_keys(rows[i].extent, rows[i].keys);
        check_row(rows[i].what);
        if (check_bool("loads", rows[i].loads, l.settings != NULL) && l.settings != NULL) {
            const char *fault = l.settings->recipient_keys_fault;
            bool is_tried = !rows[i].read && rows[i].extent == SETTINGS_ALL;
            check_int("keys", rows[i].read, (long long)l.settings->recipient_key_count);
            check_bool("a fault", is_tried,
                       fault != NULL && strncmp(fault, folder, strlen(folder)) == 0);
        }
        loaded_free(&l);
    }
    check_end();
}

/* ---- what is left of keys ---- */

void __real_OPENSSL_cleanse(void *p, size_t n);
void __wrap_OPENSSL_cleanse(void *p, size_t n);

static int cleansed_first, cleansed_second, cleansed_files;

/* Counts what is overwritten. */
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
    write_key(span_cstr(KEY_A "\n" KEY_B), 0600);
    write_file("m.conf", CONF);
    cleansed_first = cleansed_second = cleansed_files = 0;
    struct loaded l = load_keys(SETTINGS_ALL, KEYS_NEEDED);
    settings_of(&l);
    check_int("files", 1, cleansed_files);
    check_int("keys", 0, cleansed_first + cleansed_second);
    loaded_free(&l);
    check_int("first key", 1, cleansed_first);
    check_int("second key", 1, cleansed_second);
    check_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tokens),      cmocka_unit_test(test_many_tokens),
        cmocka_unit_test(test_long_urls),   IN_FOLDER(test_readings),
        IN_FOLDER(test_keys_are_forgotten),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
