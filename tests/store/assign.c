/*
 * assign - asks a store for numbers, as the tests of tests/store need it
 *
 *   assign URL LIST COUNT THREADS PREFIX
 *
 * LIST may be several with commas between; the posts go to each in turn.
 * Prints "POST NUMBER" for each post PREFIX1 to PREFIXcount as soon as its number is told, in one
 * write, so that nothing is lost when the program is killed; "POST error: TEXT" when the store
 * failed. COUNT "-": posts come from standard input, one a line, each answered before the next is
 * read; "?POST" only looks what it has, or would get, and adds "new" or "known". Exit status 1 if
 * any failed.
 */
#include "store/url.h"
#include "system/timeouts.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define THREADS_MAX 256
#define LISTS_MAX   16

struct work {
    struct store *store;
    struct numbers *reader; /* for "?POST"; one thread */
    const char *lists[LISTS_MAX];
    size_t list_count;
    const char *prefix;
    long count;
    atomic_long next;
    atomic_bool failed;
};

static void print(const char *line, int n)
{
    if (write(STDOUT_FILENO, line, (size_t)n) != n)
        _exit(71);
}

/* The key is the name itself, so that it can be read in the database. */
static void ask(struct work *work, const char *name, long i)
{
    bool look = name[0] == '?';
    struct store_question post = {.numbered = true, .wish = look ? STORE_LOOK : STORE_ASSIGN};
    struct store_question *posts[] = {&post};
    struct store_error error;
    char line[400];
    int status;

    name += look;
    memcpy(post.key, name, strnlen(name, sizeof post.key));
    status =
        numbers_copy_list(post.list, span_cstr(work->lists[(size_t)i % work->list_count]), &error);
    if (status == 0)
        status = look ? numbers_ask(work->reader, posts, 1, &error)
                      : store_ask(work->store, &post, &error);
    if (status != 0) {
        print(line, snprintf(line, sizeof line, "%s error: %s\n", name, error.text));
        atomic_store(&work->failed, true);
    } else {
        print(line, snprintf(line, sizeof line, "%s %llu%s\n", name,
                             (unsigned long long)post.answer.number,
                             !look                ? ""
                             : post.answer.is_new ? " new"
                                                  : " known"));
    }
}

static void *run(void *arg)
{
    struct work *work = arg;
    long i;

    while ((i = atomic_fetch_add(&work->next, 1)) <= work->count) {
        char name[POST_KEY_OCTETS + 1];

        snprintf(name, sizeof name, "%s%ld", work->prefix, i);
        ask(work, name, i);
    }
    return NULL;
}

static int run_threads(struct work *work, int threads)
{
    pthread_t ids[THREADS_MAX];
    int started = 0;

    while (started < threads && pthread_create(&ids[started], NULL, run, work) == 0)
        started++;
    for (int i = 0; i < started; i++)
        pthread_join(ids[i], NULL);
    return started == threads ? 0 : 71;
}

static void run_lines(struct work *work)
{
    char name[POST_KEY_OCTETS + 3];

    while (fgets(name, sizeof name, stdin)) {
        name[strcspn(name, "\n")] = '\0';
        ask(work, name, 0);
    }
}

int main(int argc, char **argv)
{
    struct store_error error;
    struct work work = {.count = 0};
    int threads, status = 0;

    if (argc != 6 || (threads = atoi(argv[4])) < 1 || threads > THREADS_MAX ||
        strlen(argv[5]) > POST_KEY_OCTETS - 12) {
        fprintf(stderr, "usage: assign URL LIST COUNT THREADS PREFIX\n");
        return 64;
    }
    work.store = store_of_url(argv[1], false, &error);
    work.reader = numbers_of_url(argv[1], true, &error);
    if (!work.store) {
        fprintf(stderr, "assign: %s\n", error.text);
        return 69;
    }
    for (char *list = strtok(argv[2], ","); list && work.list_count < LISTS_MAX;
         list = strtok(NULL, ","))
        work.lists[work.list_count++] = list;
    work.prefix = argv[5];
    atomic_init(&work.next, 1);
    if (strcmp(argv[3], "-") == 0) {
        run_lines(&work);
    } else {
        work.count = strtol(argv[3], NULL, 10);
        status = run_threads(&work, threads);
    }
    numbers_free(work.reader);
    store_free(work.store, timeouts.store);
    return status ? status : atomic_load(&work.failed) ? 1 : 0;
}
