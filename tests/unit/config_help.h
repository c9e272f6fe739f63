/*
 * config_help - loads a configuration from a text, or from a folder of files
 *
 *     m.conf   main file     own/     the administrator's list files
 *     a/       alice's       b/       bob's
 */
#ifndef MLMILTER_TESTS_CONFIG_HELP_H
#define MLMILTER_TESTS_CONFIG_HELP_H

#include "check.h"

#include "config/load.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static bool wants_hints = true; /* the daemon computes none */

/* The messages of a load, as a test sees them: all, each with an LF after it. */
struct loaded {
    struct settings *settings;
    struct diagnostics diagnostics;
    struct strbuf messages;
};

/* The lists of tests are short: hints about what each list should have (RULINGS 84) are left out,
 * unless a test is about them. */
static bool wants_missing_keys;

static inline bool wants(const struct diagnostic *item)
{
    return wants_missing_keys || item->remark < HINT_NO_ADDRESS ||
           item->remark > HINT_NO_UNSUBSCRIBE;
}

static inline void loaded_finish(struct loaded *l)
{
    strbuf_init(&l->messages);
    for (size_t i = 0; i < l->diagnostics.count; i++)
        if (wants(&l->diagnostics.items[i])) {
            diagnostics_format(&l->diagnostics, i, &l->messages);
            strbuf_add_char(&l->messages, '\n');
        }
}

static inline struct loaded load_request(const struct settings_request *request)
{
    struct loaded l;
    struct settings_request with_hints = *request;
    with_hints.with_hints = wants_hints;
    diagnostics_init(&l.diagnostics);
    l.settings = settings_load(&with_hints, &l.diagnostics);
    loaded_finish(&l);
    return l;
}

/* Loads the main file "/nowhere/t.conf" with this text. */
static inline struct loaded load_text(const char *text)
{
    return load_request(
        &(struct settings_request){.path = "/nowhere/t.conf", .text = span_cstr(text)});
}

static inline void loaded_free(struct loaded *l)
{
    settings_free(l->settings);
    diagnostics_free(&l->diagnostics);
    strbuf_free(&l->messages);
}

static inline void check_says(const struct loaded *l, const char *text)
{
    if (strstr(strbuf_str(&l->messages), text) == NULL)
        check_complain("messages", text, strbuf_str(&l->messages));
}

static inline bool has_list(const struct loaded *l, const char *id)
{
    return l->settings != NULL && list_get(&l->settings->index, LIST_BY_ID, span_cstr(id)) != NULL;
}

static inline int list_count(const struct loaded *l)
{
    return l->settings != NULL ? (int)l->settings->index.count : -1;
}

/* Returns a list of settings, which must be right. */
static inline const struct list *list_number(const struct loaded *l, size_t i)
{
    if (l->settings == NULL || l->settings->index.count <= i)
        fail_msg("%s", strbuf_str(&l->messages));
    return l->settings->index.lists[i];
}

/* ---- a folder ---- */

#define ALICE                                                                                      \
    "delegate \"alice\" { files = {\"a/*.conf\"} domains = {\"alice.example\", "                   \
    "\"*.alice.example\"} }\n"
#define BOB "delegate \"bob\" { files = {\"b/*.conf\"} domains = {\"bob.example\"} }\n"

static char folder[200]; /* of the test at hand */

/* Returns the path of a file; the last eight are kept. */
static char *path_of(const char *name)
{
    static char path[8][500];
    static int next;
    next = (next + 1) % 8;
    snprintf(path[next], sizeof path[next], "%s/%s", folder, name);
    return path[next];
}

static inline void write_octets(const char *name, struct span text)
{
    FILE *f = fopen(path_of(name), "w");
    assert_non_null(f);
    assert_int_equal(fwrite(text.p, 1, text.n, f), text.n);
    assert_int_equal(fclose(f), 0);
}

static inline void write_file(const char *name, const char *text)
{
    write_octets(name, span_cstr(text));
}

static inline void remove_file(const char *name)
{
    assert_int_equal(unlink(path_of(name)), 0);
}

static inline int make_folder(void **state)
{
    const char *base = getenv("TMPDIR");
    (void)state;
    /* A bracket, so that the folder's own name would not fit itself as a pattern. */
    snprintf(folder, sizeof folder, "%s/mlmilter[x]-XXXXXX", base == NULL ? "/tmp" : base);
    if (mkdtemp(folder) == NULL || chmod(folder, 0755) != 0 || mkdir(path_of("own"), 0755) != 0 ||
        mkdir(path_of("a"), 0755) != 0 || mkdir(path_of("b"), 0755) != 0)
        return -1;
    write_file("m.conf", "lists = {\"own/*.conf\"}\n" ALICE BOB);
    write_file("own/empty.conf", "");
    return 0;
}

static inline int remove_folder(void **state)
{
    char command[500];
    if (state != NULL)
        check_left(state);
    snprintf(command, sizeof command, "chmod -R u+rwX '%s' && rm -r '%s'", folder, folder);
    return system(command);
}

/* Removes the name of the folder, which no test can know, from messages. */
static inline void shorten(struct strbuf *messages)
{
    struct strbuf out = STRBUF_INIT;
    size_t n = strlen(folder);
    for (const char *p = strbuf_str(messages); *p != '\0';) {
        if (strncmp(p, folder, n) == 0 && p[n] == '/')
            p += n + 1;
        else
            strbuf_add_char(&out, *p++);
    }
    strbuf_free(messages);
    *messages = out;
}

/* Loads m.conf. */
static inline struct loaded load_main(const struct settings *previous)
{
    struct loaded l =
        load_request(&(struct settings_request){.path = path_of("m.conf"), .previous = previous});
    shorten(&l.messages);
    return l;
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

#endif
