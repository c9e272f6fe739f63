/*
 * store_help - posts and places for the tests of src/store
 */
#ifndef MLMILTER_TESTS_STORE_HELP_H
#define MLMILTER_TESTS_STORE_HELP_H

#include "check.h"
#include "store/url.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Returns a list that no other test and no other run uses. */
static inline const char *new_list(void)
{
    static char lists[4][80];
    static unsigned count;
    char *list = lists[++count % 4];
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    snprintf(list, sizeof lists[0], "test%u.%ld.p%ld-%lx.example", count, (long)t.tv_sec,
             (long)getpid(), (unsigned long)t.tv_nsec);
    return list;
}

/* Returns post number `id` of a list; another version is another post with that Message-ID. */
static inline struct store_question post_of(const char *list, unsigned id, unsigned version)
{
    struct store_question p = {.numbered = true, .wish = STORE_ASSIGN};
    struct store_error error = {""};
    if (numbers_copy_list(p.list, span_cstr(list), &error) != 0)
        fail_msg("%s", error.text);
    memset(p.key, 0x5A, sizeof p.key);
    memcpy(p.key, &id, sizeof id);
    memset(p.fingerprint, 0xA5, sizeof p.fingerprint);
    memcpy(p.fingerprint, &id, sizeof id);
    memcpy(p.fingerprint + sizeof id, &version, sizeof version);
    return p;
}

static inline struct store *open_store(const char *url)
{
    struct store_error error = {""};
    struct store *store = store_of_url(url, false, &error);
    if (store == NULL)
        fail_msg("%s: %s", url, error.text);
    return store;
}

static inline void close_store(struct store *store)
{
    store_free(store, 60000);
}

static inline struct numbers *open_numbers(const char *url, bool read_only)
{
    struct store_error error = {""};
    struct numbers *numbers = numbers_of_url(url, read_only, &error);
    if (numbers == NULL)
        fail_msg("%s: %s", url, error.text);
    return numbers;
}

/* Looks without the store's thread, as mlmilterctl. */
static inline int look_at(struct numbers *numbers, struct store_question post,
                          struct store_answer *answer, struct store_error *error)
{
    struct store_question *posts[] = {&post};
    int result;
    post.wish = STORE_LOOK;
    result = numbers_ask(numbers, posts, 1, error);
    *answer = post.answer;
    return result;
}

/* Returns the answer; if the store fails, prints the error, and the number is 0. Any thread. */
static inline struct store_answer answer_of(struct store *store, struct store_question post)
{
    struct store_error error = {""};
    if (store_ask(store, &post, &error) != 0) {
        print_error("store_ask: %s\n", error.text);
        memset(&post.answer, 0, sizeof post.answer);
    }
    return post.answer;
}

static inline uint64_t number_of(struct store *store, const char *list, unsigned id)
{
    return answer_of(store, post_of(list, id, 0)).number;
}

static inline uint64_t counter_of(const char *url, const char *list)
{
    uint64_t last = UINT64_MAX;
    struct store_error error = {""};
    struct numbers *numbers = open_numbers(url, true);
    if (numbers_show(numbers, span_cstr(list), &last, &error) != 0)
        fail_msg("numbers_show: %s", error.text);
    numbers_free(numbers);
    return last;
}

/* A folder of the test, and the URL of a database in it. */
struct place {
    char folder[64];
    char file[80];
    char url[96];
};

static inline void make_place(struct place *place)
{
    snprintf(place->folder, sizeof place->folder, "/tmp/mlmilter-store-XXXXXX");
    if (mkdtemp(place->folder) == NULL)
        fail_msg("no folder");
    snprintf(place->file, sizeof place->file, "%s/posts.db", place->folder);
    snprintf(place->url, sizeof place->url, "sqlite:%s", place->file);
}

static inline void remove_database(const struct place *place)
{
    static const char *const endings[] = {"", "-wal", "-shm", "-journal"};
    char name[100];
    for (size_t i = 0; i < CHECK_COUNT(endings); i++) {
        snprintf(name, sizeof name, "%s%s", place->file, endings[i]);
        unlink(name);
    }
}

static inline void remove_place(const struct place *place)
{
    remove_database(place);
    rmdir(place->folder);
}

#endif
