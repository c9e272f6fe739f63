/* SQLite: a database in a file, and what breaks it */
#include "store_help.h"

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

static bool database_exists(void)
{
    return access(place.file, F_OK) == 0;
}

/* Runs a function in a child that returns 0, or the number of the line that was wrong. */
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

#define NEED(what)                                                                                 \
    do {                                                                                           \
        if (!(what))                                                                               \
            return __LINE__ % 255 + 1;                                                             \
    } while (0)

/* Checks that a store fails for this reason. */
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

#define GONE "the file was removed or replaced: stop every mlmilter, remove "

/* SU-20: a new file would give numbers again. */
static void removed_or_replaced(void **state)
{
    struct store *store = open_store(place.url);
    char kept[100];
    FILE *other;
    (void)state;
    snprintf(kept, sizeof kept, "%s.kept", place.file);
    for (unsigned i = 1; i <= 5; i++)
        assert_int_equal(number_of(store, LIST, i), i);
    assert_int_equal(rename(place.file, kept), 0);
    check_fails(store, GONE);
    assert_false(database_exists());
    for (int is_empty = 0; is_empty < 2; is_empty++) {
        other = fopen(place.file, "w");
        assert_non_null(other);
        if (!is_empty)
            fputs("another database", other);
        fclose(other);
        check_fails(store, GONE);
    }
    assert_int_equal(rename(kept, place.file), 0);
    assert_int_equal(number_of(store, LIST, 6), 6);
    remove_database(&place);
    check_fails(store, GONE);
    close_store(store);
    assert_false(database_exists());
    check_end();
}

static void run_sql(const char *sql)
{
    sqlite3 *db = NULL;
    assert_int_equal(sqlite3_open(place.file, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
}

/* Checks that a database is refused and unchanged; deletes it. */
static void check_refused(const char *why)
{
    struct store *store = open_store(place.url);
    struct numbers *numbers = open_numbers(place.url, true);
    struct store_answer answer;
    struct store_error error = {""};
    struct stat before, after;
    assert_int_equal(stat(place.file, &before), 0);
    check_fails(store, why);
    check_int("look", -1, look_at(numbers, post_of(LIST, 1, 0), &answer, &error));
    check_bool(error.text, true, strstr(error.text, why) != NULL);
    numbers_free(numbers);
    close_store(store);
    assert_int_equal(stat(place.file, &after), 0);
    check_int("size", before.st_size, after.st_size);
    check_int("changed", before.st_mtim.tv_nsec, after.st_mtim.tv_nsec);
    remove_database(&place);
}

static void foreign_files(void **state)
{
    FILE *f;
    (void)state;
    run_sql("CREATE TABLE addresses (a TEXT)");
    check_refused("another program");
    run_sql("PRAGMA application_id = 252006673");
    check_refused("another program");
    run_sql("CREATE TABLE addresses (a TEXT); PRAGMA user_version = 1");
    check_refused("another program");
    f = fopen(place.file, "w");
    assert_non_null(f);
    for (int i = 0; i < 1000; i++)
        fputs("root: postmaster\n", f);
    fclose(f);
    check_refused("not a database");
    /* As after a crash. */
    fclose(fopen(place.file, "w"));
    assert_int_equal(counter_of(place.url, LIST), 0);
    struct store *store = open_store(place.url);
    assert_int_equal(number_of(store, LIST, 1), 1);
    close_store(store);
    run_sql("PRAGMA user_version = 2");
    check_refused("another program or version");
    check_end();
}

/* Returns the number that a post has or would get, by a reader that stays open. */
static uint64_t seen_number(struct numbers *reader, unsigned id, bool is_new)
{
    struct store_error error = {""};
    struct store_answer answer;
    assert_int_equal(look_at(reader, post_of(LIST, id, 0), &answer, &error), 0);
    assert_int_equal(answer.is_new, is_new);
    return answer.number;
}

/* RULINGS 55, 72: a look creates no database. A reader that stays open sees what others write, and
 * a file that replaces the one that it read. */
static void readers(void **state)
{
    struct numbers *reader = open_numbers(place.url, true);
    (void)state;
    for (int times = 0; times < 2; times++) {
        struct store *daemon = NULL;
        assert_int_equal(seen_number(reader, 1, true), 1);
        assert_false(database_exists());
        for (unsigned i = 1; i <= 6; i++) {
            if (i % 3 == 1)
                daemon = open_store(place.url);
            assert_int_equal(number_of(daemon, LIST, i), i);
            assert_int_equal(seen_number(reader, i, false), i);
            assert_int_equal(seen_number(reader, i + 1, true), i + 1);
            if (i % 3 == 0)
                close_store(daemon);
        }
        remove_database(&place);
    }
    numbers_free(reader);
}

static int create_as_nobody(void)
{
    struct store_error error = {""};
    struct store *store = store_of_url(place.url, false, &error);
    NEED(geteuid() != 0 || (setgid(65534) == 0 && setuid(65534) == 0));
    NEED(store_try(store, &error) == -1);
    NEED(strstr(error.text, place.file) != NULL);
    NEED(strstr(error.text, "it cannot be created: Permission denied") != NULL);
    close_store(store);
    return 0;
}

static int read_as_nobody(void)
{
    struct store_error error = {""};
    struct store_answer answer;
    struct numbers *reader = open_numbers(place.url, true);
    NEED(geteuid() != 0 || (setgid(65534) == 0 && setuid(65534) == 0));
    NEED(look_at(reader, post_of(LIST, 1, 0), &answer, &error) == 0 && answer.number == 1);
    numbers_free(reader);
    return 0;
}

static void read_only_folder(void **state)
{
    struct store *store;
    (void)state;
    assert_int_equal(chmod(place.folder, 0555), 0);
    in_child(create_as_nobody);
    assert_int_equal(chmod(place.folder, 0755), 0);
    store = open_store(place.url);
    assert_int_equal(number_of(store, LIST, 1), 1);
    close_store(store);
    assert_true(chmod(place.file, 0644) == 0 && chmod(place.folder, 0555) == 0);
    in_child(read_as_nobody);
}

/* Files cannot grow, as on a full disk. All posts fail; later, no number is given twice. */
static int fill_disk(void)
{
    struct store_error error = {""};
    struct store *store = store_of_url(place.url, false, &error);
    struct rlimit limit;
    struct store_question post;
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
        id += failures == 0;
        NEED(failures > 0 || post.answer.number == id);
        NEED(id < 100000);
    }
    NEED(id > 100);
    NEED(strstr(error.text, place.file) != NULL);
    limit.rlim_cur = limit.rlim_max;
    NEED(setrlimit(RLIMIT_FSIZE, &limit) == 0);
    NEED(store_ask(store, &post, &error) == 0);
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

#define CASE(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(removed_or_replaced), CASE(foreign_files), CASE(readers),
        CASE(read_only_folder),    CASE(full_disk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
