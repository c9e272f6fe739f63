/* What only a database in a file can suffer. */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "store_help.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/wait.h>

#define LIST "list.example"

static struct place place;

static int set_up(void **state)
{
    (void)state;
    make_place(&place);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    chmod(place.folder, 0700);
    remove_place(&place);
    return 0;
}

static bool is_there(const char *ending)
{
    char name[100];
    struct stat s;

    snprintf(name, sizeof name, "%s%s", place.file, ending);
    return stat(name, &s) == 0;
}

/* Runs a function in a child, which says with its exit status whether all was right: the number of
 * the line where it was not. */
static void in_child(int (*function)(void))
{
    int status = -1;
    pid_t child = fork();

    if (child == 0)
        _exit(function());
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        fail_msg("child: status %d", status);
}

/* Nobody reads the database but its owner and his group. */
static void modes(void **state)
{
    static const char *const endings[] = {"", "-wal", "-shm"};
    struct store *store = open_store(place.url);
    mode_t before = umask(0);
    struct stat s;

    (void)state;
    assert_int_equal(number_of(store, LIST, 1), 1);
    umask(before);
    for (size_t i = 0; i < CHECK_COUNT(endings); i++) {
        char name[100];
        snprintf(name, sizeof name, "%s%s", place.file, endings[i]);
        assert_int_equal(stat(name, &s), 0);
        assert_int_equal(s.st_mode & 0777, 0640);
    }
    close_store(store);
}

static void copy_file(const char *from, const char *to)
{
    char octets[65536];
    FILE *in = fopen(from, "rb");
    FILE *out = fopen(to, "wb");
    size_t n;

    assert_true(in != NULL && out != NULL);
    while ((n = fread(octets, 1, sizeof octets, in)) > 0)
        assert_int_equal(fwrite(octets, 1, n, out), n);
    fclose(in);
    assert_int_equal(fclose(out), 0);
}

#define GONE "the file was removed or replaced: stop every mlmilter, remove "

/* No number, and nothing is made. */
static void check_fails(struct store *store, const char *why)
{
    struct store_question post = post_of(LIST, 77, 0);
    struct store_error error = {""};

    check_row(why);
    check_int("ask", -1, store_ask(store, &post, &error));
    check_bool(error.text, true, strstr(error.text, why) != NULL);
    check_bool(error.text, true, strstr(error.text, place.file) != NULL);
    check_int("try", -1, store_try(store, &error));
}

/* Names of the database and its log, and others to keep them under. */
static void name_files(char names[3][100], const char *more)
{
    static const char *const endings[] = {"", "-wal", "-shm"};

    for (int i = 0; i < 3; i++)
        snprintf(names[i], 100, "%s%s%s", place.file, endings[i], more);
}

/* SU-20: the file goes away under a daemon: a new one would give its numbers again. */
static void deleted(void **state)
{
    struct store *store = open_store(place.url);
    char names[3][100], kept[3][100];

    (void)state;
    name_files(names, "");
    name_files(kept, ".kept");
    for (unsigned i = 1; i <= 5; i++)
        assert_int_equal(number_of(store, LIST, i), i);
    assert_int_equal(rename(names[0], kept[0]), 0);
    check_fails(store, GONE);
    assert_false(is_there(""));
    fclose(fopen(place.file, "w"));
    check_fails(store, GONE);
    assert_int_equal(unlink(place.file), 0);
    assert_int_equal(rename(kept[0], names[0]), 0);
    assert_int_equal(number_of(store, LIST, 6), 6);
    for (int i = 0; i < 3; i++)
        assert_int_equal(unlink(names[i]), 0);
    check_fails(store, GONE);
    close_store(store);
    assert_false(is_there(""));
    check_end();
}

/* An old copy comes in its place. */
static void replaced(void **state)
{
    struct store *store = open_store(place.url);
    char copy[100], names[3][100];

    (void)state;
    name_files(names, "");
    snprintf(copy, sizeof copy, "%s.old", place.file);
    assert_int_equal(number_of(store, LIST, 1), 1);
    close_store(store);
    copy_file(place.file, copy);
    store = open_store(place.url);
    for (unsigned i = 1; i <= 5; i++)
        assert_int_equal(number_of(store, LIST, i), i);
    assert_int_equal(rename(copy, place.file), 0);
    check_fails(store, GONE);
    close_store(store);
    /* As the text says. The copy counts from where it was. */
    assert_int_equal(unlink(names[1]), 0);
    assert_int_equal(unlink(names[2]), 0);
    for (unsigned i = 2; i <= 3; i++) {
        store = open_store(place.url);
        assert_int_equal(number_of(store, LIST, i), i);
        close_store(store);
    }
    check_end();
}

static void run_sql(const char *sql)
{
    sqlite3 *db = NULL;

    assert_int_equal(sqlite3_open(place.file, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
}

static void check_refused(const char *why)
{
    struct store *store = open_store(place.url);
    struct numbers *numbers = open_numbers(place.url, true);
    struct store_question post = post_of(LIST, 1, 0);
    struct store_answer answer;
    struct store_error error = {""};
    struct stat before, after;
    uint64_t last;

    check_row(why);
    assert_int_equal(stat(place.file, &before), 0);
    check_int("ask", -1, store_ask(store, &post, &error));
    check_bool(error.text, true, strstr(error.text, why) != NULL);
    check_bool(error.text, true, strstr(error.text, place.file) != NULL);
    memset(&error, 0, sizeof error);
    check_int("look", -1, look_at(numbers, post, &answer, &error));
    check_bool(error.text, true, strstr(error.text, why) != NULL);
    check_int("show", -1, numbers_show(numbers, span_cstr(LIST), &last, &error));
    check_int("try", -1, store_try(store, &error));
    numbers_free(numbers);
    close_store(store);
    assert_int_equal(stat(place.file, &after), 0);
    check_int("octets", before.st_size, after.st_size);
    check_int("changed", before.st_mtim.tv_nsec, after.st_mtim.tv_nsec);
    remove_database(&place);
}

static void foreign_files(void **state)
{
    FILE *f;
    struct store *store;

    (void)state;
    run_sql("CREATE TABLE addresses (a TEXT)");
    check_refused("another program");
    run_sql("PRAGMA application_id = 252006673");
    check_refused("another program");
    f = fopen(place.file, "w");
    assert_non_null(f);
    for (int i = 0; i < 1000; i++)
        fputs("root: postmaster\n", f);
    fclose(f);
    check_refused("not a database");
    run_sql("CREATE TABLE addresses (a TEXT); PRAGMA user_version = 1");
    check_refused("another program");
    store = open_store(place.url);
    assert_int_equal(number_of(store, LIST, 1), 1);
    close_store(store);
    run_sql("PRAGMA user_version = 2");
    check_refused("another program or version");
    check_end();
}

static void no_regular_files(void **state)
{
    struct store *store = open_store(place.url);

    (void)state;
    assert_int_equal(mkfifo(place.file, 0600), 0);
    check_fails(store, "it is not a regular file");
    assert_int_equal(unlink(place.file), 0);
    assert_int_equal(mkdir(place.file, 0700), 0);
    check_fails(store, "it is not a regular file");
    assert_int_equal(rmdir(place.file), 0);
    assert_int_equal(number_of(store, LIST, 1), 1);
    close_store(store);
    check_end();
}

/* A file that was made and not filled, as after a crash. */
static void empty_file(void **state)
{
    struct store *store = open_store(place.url);

    (void)state;
    fclose(fopen(place.file, "w"));
    assert_int_equal(counter_of(place.url, LIST), 0);
    assert_int_equal(number_of(store, LIST, 1), 1);
    close_store(store);
}

/* The number that a post has or would get, by a reader that stays open. */
static uint64_t seen_number(struct numbers *reader, unsigned id, bool is_new)
{
    struct store_error error = {""};
    struct store_answer answer;

    assert_int_equal(look_at(reader, post_of(LIST, id, 0), &answer, &error), 0);
    assert_int_equal(answer.is_new, is_new);
    return answer.number;
}

/* RULINGS 55, 72: neither a database nor its log is made by looking. A reader that stays open sees
 * what others write meanwhile. */
static void looking_makes_no_files(void **state)
{
    struct numbers *reader = open_numbers(place.url, true);
    struct store *daemon;

    (void)state;
    assert_int_equal(seen_number(reader, 1, true), 1);
    assert_int_equal(counter_of(place.url, LIST), 0);
    assert_false(is_there(""));
    for (unsigned i = 1; i <= 3; i++) { /* each time the daemon opens the file anew */
        daemon = open_store(place.url);
        assert_int_equal(number_of(daemon, LIST, i), i);
        close_store(daemon);
        assert_int_equal(seen_number(reader, i, false), i);
        assert_int_equal(seen_number(reader, i + 1, true), i + 1);
        assert_false(is_there("-wal"));
        assert_false(is_there("-shm"));
    }
    daemon = open_store(place.url);
    for (unsigned i = 4; i <= 6; i++) {
        assert_int_equal(number_of(daemon, LIST, i), i);
        assert_int_equal(seen_number(reader, i, false), i);
        assert_int_equal(seen_number(reader, i + 1, true), i + 1);
        assert_int_equal(counter_of(place.url, LIST), i);
    }
    numbers_free(reader);
    close_store(daemon);
    assert_false(is_there("-wal"));
}

#define NEED(what)                                                                                 \
    do {                                                                                           \
        if (!(what))                                                                               \
            return __LINE__ % 255 + 1;                                                             \
    } while (0)

/* A user who may read, and not write. */
static bool be_nobody(void)
{
    return geteuid() != 0 || (setgid(65534) == 0 && setuid(65534) == 0);
}

static int read_as_nobody(void)
{
    struct store_error error = {""};
    struct store *store = store_of_url(place.url, false, &error);
    struct numbers *numbers = numbers_of_url(place.url, true, &error);
    struct store_question post = post_of(LIST, 3, 0);
    uint64_t last = 0;

    NEED(be_nobody());
    NEED(numbers_show(numbers, span_cstr(LIST), &last, &error) == 0);
    NEED(last == 2);
    NEED(store_ask(store, &post, &error) == -1);
    NEED(strstr(error.text, "it cannot be written") != NULL);
    numbers_free(numbers);
    close_store(store);
    return 0;
}

/* Who could make the index of the log must not: the daemon could not write it. */
static int look_without_index(void)
{
    struct store_error error = {""};
    struct numbers *numbers = numbers_of_url(place.url, true, &error);
    uint64_t last = 0;

    NEED(be_nobody());
    NEED(numbers_show(numbers, span_cstr(LIST), &last, &error) == -1);
    NEED(!is_there("-shm"));
    numbers_free(numbers);
    return 0;
}

/* The daemon lives, is gone, and was killed. */
static void others_may_look(void **state)
{
    struct store *store = open_store(place.url);
    /* Has no threads, so that this process can fork; valgrind must find it in the child, too. */
    static sqlite3 *daemon;
    char names[4][100];

    (void)state;
    for (unsigned i = 1; i <= 2; i++)
        assert_int_equal(number_of(store, LIST, i), i);
    close_store(store);
    assert_int_equal(sqlite3_open(place.file, &daemon), SQLITE_OK);
    assert_int_equal(sqlite3_exec(daemon, "UPDATE lists SET last = 2", NULL, NULL, NULL), 0);
    for (int i = 0; i < 4; i++)
        snprintf(names[i], sizeof names[i], "%s%s%s", place.file, i % 2 == 0 ? "-wal" : "-shm",
                 i < 2 ? "" : ".kept");
    for (int i = 0; i < 2; i++) {
        assert_int_equal(chmod(names[i], 0444), 0);
        copy_file(names[i], names[i + 2]);
    }
    assert_int_equal(chmod(place.file, 0444), 0);
    assert_int_equal(chmod(place.folder, 0555), 0);
    in_child(read_as_nobody);
    assert_int_equal(chmod(place.folder, 0755), 0);
    sqlite3_close(daemon);
    assert_int_equal(chmod(place.folder, 0555), 0);
    in_child(read_as_nobody);
    assert_int_equal(chmod(place.folder, 0755), 0);
    for (int i = 0; i < 2; i++)
        assert_int_equal(rename(names[i + 2], names[i]), 0);
    assert_int_equal(chmod(place.folder, 0555), 0);
    in_child(read_as_nobody);
    assert_int_equal(chmod(place.folder, 0777), 0);
    assert_int_equal(unlink(names[1]), 0);
    in_child(look_without_index);
    assert_int_equal(chmod(place.folder, 0755), 0);
}

static int make_as_nobody(void)
{
    struct store_error error = {""};
    struct store *store = store_of_url(place.url, false, &error);

    NEED(be_nobody());
    NEED(store_try(store, &error) == -1);
    NEED(strstr(error.text, place.file) != NULL);
    NEED(strstr(error.text, "it cannot be created: Permission denied") != NULL);
    close_store(store);
    return 0;
}

static void read_only_folder(void **state)
{
    (void)state;
    assert_int_equal(chmod(place.folder, 0555), 0);
    in_child(make_as_nobody);
}

/* As a full disk: files cannot grow. All fails, and when there is room again nothing is given
 * twice. */
static int fill_disk(void)
{
    struct store_error error = {""};
    struct store *store = store_of_url(place.url, false, &error);
    struct rlimit limit;
    struct store_question post;
    uint64_t highest = 0;
    unsigned id = 0;
    int failures = 0;

    signal(SIGXFSZ, SIG_IGN);
    NEED(store_try(store, &error) == 0);
    NEED(getrlimit(RLIMIT_FSIZE, &limit) == 0);
    limit.rlim_cur = 100000;
    NEED(setrlimit(RLIMIT_FSIZE, &limit) == 0);
    /* The log is full first, and is emptied when the connection is opened again. */
    while (failures < 3) {
        post = post_of(LIST, id, 0);
        failures = store_ask(store, &post, &error) == 0 ? 0 : failures + 1;
        if (failures > 0)
            continue;
        id++;
        NEED(post.answer.number == ++highest);
        NEED(highest < 100000);
    }
    NEED(highest > 100);
    NEED(strstr(error.text, place.file) != NULL);
    limit.rlim_cur = limit.rlim_max;
    NEED(setrlimit(RLIMIT_FSIZE, &limit) == 0);
    NEED(store_ask(store, &post, &error) == 0);
    NEED(post.answer.number == highest + 1);
    close_store(store);
    store = store_of_url(place.url, false, &error);
    for (unsigned i = 0; i <= id; i++) {
        post = post_of(LIST, i, 0);
        NEED(store_ask(store, &post, &error) == 0);
        NEED(post.answer.number == i + 1);
    }
    close_store(store);
    return 0;
}

static void full_disk(void **state)
{
    (void)state;
    in_child(fill_disk);
}

/* Another process holds the lock for a while. */
static void locked(void **state)
{
    struct store *store = open_store(place.url);
    sqlite3 *db = NULL;
    struct poster poster = {.store = store, .list = LIST, .first = 2, .count = 1};

    (void)state;
    assert_int_equal(number_of(store, LIST, 1), 1);
    assert_int_equal(sqlite3_open(place.file, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(pthread_create(&poster.thread, NULL, post_all, &poster), 0);
    assert_int_equal(counter_of(place.url, LIST), 1);
    assert_int_equal(sqlite3_exec(db, "COMMIT", NULL, NULL, NULL), SQLITE_OK);
    pthread_join(poster.thread, NULL);
    assert_int_equal(poster.same, 2);
    sqlite3_close(db);
    close_store(store);
}

/* Frames in the log after 4,096 posts in commits of 256. */
static long long log_frames(void)
{
    struct numbers *numbers = open_numbers(place.url, false);
    struct store_error error = {""};
    char name[100];
    struct stat s;

    for (unsigned n = 0; n < 4096; n += 256) {
        static struct store_question posts[256];
        struct store_question *all[256];
        for (unsigned i = 0; i < 256; i++) {
            uint32_t scattered = (n + i) * UINT32_C(2654435761);
            posts[i] = post_of(LIST, scattered, 0);
            all[i] = &posts[i];
        }
        assert_int_equal(numbers_ask(numbers, all, 256, &error), 0);
        assert_int_equal(posts[255].answer.number, n + 256);
    }
    snprintf(name, sizeof name, "%s-wal", place.file);
    assert_int_equal(stat(name, &s), 0);
    numbers_free(numbers);
    return (long long)s.st_size / (2048 + 24);
}

/* A post writes one page where its key belongs. What is sorted by time grows at its end: with an
 * index of first_seen alone there were twice as many pages. */
static void few_pages(void **state)
{
    long long frames = log_frames();

    (void)state;
    if (frames > 2000)
        fail_msg("%lld frames", frames);
}

/* Databases of before have another index, and go on working. */
static void older_index(void **state)
{
    struct store *store = open_store(place.url);
    struct store_error error = {""};
    struct numbers *numbers;
    uint64_t count = 0;
    sqlite3 *db = NULL;

    (void)state;
    assert_int_equal(number_of(store, LIST, 1), 1);
    close_store(store);
    assert_int_equal(sqlite3_open(place.file, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db,
                                  "DROP INDEX posts_first_seen;"
                                  "CREATE INDEX posts_first_seen ON posts (first_seen)",
                                  NULL, NULL, NULL),
                     SQLITE_OK);
    sqlite3_close(db);
    store = open_store(place.url);
    assert_int_equal(number_of(store, LIST, 2), 2);
    assert_int_equal(number_of(store, LIST, 1), 1);
    close_store(store);
    numbers = open_numbers(place.url, false);
    assert_int_equal(numbers_prune(numbers, span_cstr(LIST), -5, &count, &error), 0);
    assert_int_equal(count, 2);
    numbers_free(numbers);
    store = open_store(place.url);
    assert_int_equal(number_of(store, LIST, 3), 3);
    close_store(store);
}

#define CASE(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(modes),
        CASE(deleted),
        CASE(replaced),
        CASE(foreign_files),
        CASE(no_regular_files),
        CASE(empty_file),
        CASE(looking_makes_no_files),
        CASE(others_may_look),
        CASE(read_only_folder),
        CASE(full_disk),
        CASE(locked),
        CASE(few_pages),
        CASE(older_index),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
