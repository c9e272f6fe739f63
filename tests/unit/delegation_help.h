/*
 * delegation_help - a folder with a main file, files of the administrator's and of two delegates
 *
 *     m.conf   main file     own/     the administrator's list files
 *     a/       alice's       b/       bob's
 */
#ifndef MLMILTER_TESTS_DELEGATION_HELP_H
#define MLMILTER_TESTS_DELEGATION_HELP_H

#include "config_help.h"

#include "config/delegation/delegated.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define ALICE                                                                                      \
    "delegate \"alice\" { files = {\"a/*.conf\"} domains = {\"alice.example\", "                   \
    "\"*.alice.example\"} }\n"
#define BOB "delegate \"bob\" { files = {\"b/*.conf\"} domains = {\"bob.example\"} }\n"

static char folder[200]; /* of the test at hand */

static const char *path_of(const char *name)
{
    static char path[4][500];
    static int next;
    next = (next + 1) % 4;
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

static inline void empty_folder(const char *path)
{
    DIR *dir = opendir(path);
    if (dir == NULL)
        return;
    for (struct dirent *e = readdir(dir); e != NULL; e = readdir(dir)) {
        struct strbuf name = STRBUF_INIT;
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
            continue;
        strbuf_addf(&name, "%s/%s", path, e->d_name);
        if (unlink(strbuf_str(&name)) != 0) {
            chmod(strbuf_str(&name), 0700);
            empty_folder(strbuf_str(&name));
            rmdir(strbuf_str(&name));
        }
        strbuf_free(&name);
    }
    closedir(dir);
}

static inline int make_folder(void **state)
{
    const char *base = getenv("TMPDIR");
    (void)state;
    /* A bracket, so that the folder's own name would not fit itself as a pattern. */
    snprintf(folder, sizeof folder, "%s/mlmilter[x]-XXXXXX", base == NULL ? "/tmp" : base);
    if (mkdtemp(folder) == NULL || chmod(folder, 0755) != 0)
        return -1;
    if (mkdir(path_of("own"), 0755) != 0 || mkdir(path_of("a"), 0755) != 0)
        return -1;
    write_file("m.conf", "lists = {\"own/*.conf\"}\n" ALICE BOB);
    write_file("own/empty.conf", "");
    return mkdir(path_of("b"), 0755);
}

static inline int remove_folder(void **state)
{
    (void)state;
    empty_folder(folder);
    return rmdir(folder);
}

/* The messages without the name of the folder, which no test can know. */
static inline void shorten(struct strbuf *messages)
{
    struct strbuf out = STRBUF_INIT;
    size_t n = strlen(folder) + 1;
    for (const char *p = strbuf_str(messages); *p != '\0';) {
        if (strncmp(p, folder, n - 1) == 0 && p[n - 1] == '/')
            p += n;
        else
            strbuf_add_char(&out, *p++);
    }
    strbuf_free(messages);
    *messages = out;
}

static inline struct loaded load_main(const struct settings *previous)
{
    struct loaded l;
    diagnostics_init(&l.diagnostics);
    const struct settings_request request = {
        .path = path_of("m.conf"), .extent = SETTINGS_ALL, .previous = previous};
    l.settings = settings_load(&request, &l.diagnostics);
    loaded_finish(&l);
    shorten(&l.messages);
    return l;
}

static inline bool says(const struct loaded *l, const char *text)
{
    return strstr(strbuf_str(&l->messages), text) != NULL;
}

static inline void check_says(const struct loaded *l, const char *text)
{
    if (!says(l, text))
        check_complain("messages", text, strbuf_str(&l->messages));
}

static inline bool has_list(const struct loaded *l, const char *id)
{
    return l->settings != NULL && list_by_id(&l->settings->index, span_cstr(id)) != NULL;
}

#endif
