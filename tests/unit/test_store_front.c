/* The store in front of all databases: URLs, errors, time-outs, shared commits, recent answers.
 * Linked with times that are a tenth (system/patience.h). */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "../store/fake_driver.h"
#include "store_help.h"
#include "system/monotonic.h"

#include <semaphore.h>
#include <stdatomic.h>

/* RULINGS 74: what is not built in is refused by what it needs. */
static void urls(void **state)
{
    static const struct {
        const char *url;
        const char *fault; /* a part of it */
    } rows[] = {
        {"", "is no store"},
        {"sqlite", "is no store"},
        {"memory:", "is no store"},
        {"failing:", "is no store"},
        {"mysql:host=db", "is no store"},
        {"/var/lib/mlmilter.db", "is no store"},
#ifdef HAVE_SQLITE
        {"sqlite:/var/lib/mlmilter.db", NULL},
        {"sqlite:./mlmilter.db", NULL},
        {"sqlite:", "names no file"},
        {"sqlite:/var/lib/", "names no file"},
#else
        {"sqlite:/var/lib/mlmilter.db", "SQLite is not built in"},
#endif
#ifdef HAVE_LIBPQ
        {"postgresql:host=db dbname=x", NULL},
        {"postgresql:hst=db dbname=x", "is no connection string of libpq"},
        {"postgresql://u:p@db/x?hst=y", "is no connection string of libpq"},
        {"postgresql://u@db/x", NULL},
#else
        {"postgresql:host=db", "PostgreSQL (libpq) is not built in"},
#endif
    };

    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        const char *fault = store_url_fault(span_cstr(rows[i].url));
        struct store_error error = {""};
        struct store *store = store_of_url(rows[i].url, false, &error);
        check_row(rows[i].url);
        check_bool("a fault", rows[i].fault != NULL, fault != NULL);
        check_bool("a store", rows[i].fault == NULL, store != NULL);
        if (rows[i].fault != NULL && fault != NULL) {
            check_bool(fault, true, strstr(fault, rows[i].fault) != NULL);
            check_bool(error.text, true, strstr(error.text, fault) != NULL);
        }
        close_store(store);
    }
    check_end();
}

/* What libpq takes for a keyword may be a part of a password that was not quoted. */
static void url_faults_hold_no_secret(void **state)
{
    static const char *const urls[] = {
        "postgresql:password=my secret=x",
        "postgresql:Password = a secret =x hst=y",
        "postgresql:host=x password=a secret",
        "postgresql:host='x password=secret",
        "postgresql://u:a/b?secret=1@db/x",
        "postgresql://u:secret@[::1/x",
        "postgresql:secret",
    };

    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(urls); i++) {
        const char *fault = store_url_fault(span_cstr(urls[i]));
        struct store_error error = {""};
        check_row(urls[i]);
        check_bool("a store", true, store_of_url(urls[i], false, &error) == NULL);
        if (check_bool("a fault", true, fault != NULL)) {
            check_bool(fault, true, strstr(fault, "secret") == NULL);
            check_bool(error.text, true, strstr(error.text, "secret") == NULL);
        }
    }
    check_end();
}

static void errors_are_one_line(void **state)
{
    struct store_error error;
    char text[400];

    (void)state;
    assert_int_equal(store_fail(&error, "FATAL: %s\n\tDETAIL\r\n", "no"), -1);
    assert_string_equal(error.text, "FATAL: no  DETAIL");
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    store_fail(&error, "%s", text);
    assert_int_equal(strlen(error.text), sizeof error.text - 1);
}

static struct store *fake_store(const char *where)
{
    return store_new(numbers_new(&fake_driver, where, false));
}

static void failing(void **state)
{
    struct numbers *numbers = numbers_new(&fake_driver, "failing", false);
    struct store *store = fake_store("failing");
    struct store_question post = post_of("list.example", 9, 0);
    struct span list = span_cstr("list.example");
    struct store_answer answer;
    struct store_error error = {""};
    uint64_t n;

    (void)state;
    assert_int_equal(store_ask(store, &post, &error), -1);
    assert_string_equal(error.text, "failing: as asked");
    assert_int_equal(store_try(store, &error), -1);
    assert_int_equal(look_at(numbers, post, &answer, &error), -1);
    assert_int_equal(numbers_show(numbers, list, &n, &error), -1);
    assert_int_equal(numbers_set(numbers, list, 7, &n, &error), -1);
    assert_int_equal(numbers_prune(numbers, list, 7, &n, &error), -1);
    numbers_free(numbers);
    close_store(store);
}

static atomic_int exchanges;

static int count_exchanges(const struct query *queries, size_t count, struct store_error *error)
{
    (void)queries, (void)count, (void)error;
    atomic_fetch_add(&exchanges, 1);
    return 0;
}

static int exchanges_of(struct store *store, struct store_question post, uint64_t number)
{
    struct store_error error = {""};
    int before = atomic_load(&exchanges);

    if (store_ask(store, &post, &error) != 0)
        fail_msg("%s", error.text);
    assert_int_equal(post.answer.number, number);
    return atomic_load(&exchanges) - before;
}

/* A recent answer needs no database; that of another post, or one without a wanted number, is none.
 */
static void remembered_posts_need_no_database(void **state)
{
    struct store *store = fake_store("");
    struct store_question post = post_of("list.example", 1, 0);
    struct store_question other = post_of("other.example", 1, 0);
    struct store_question unnumbered = post_of("list.example", 2, 0);
    struct store_question reused = post_of("list.example", 1, 1);

    (void)state;
    fake_hooks.run = count_exchanges;
    unnumbered.numbered = false;
    reused.wish = STORE_ASSIGN_IF_FIRST;
    assert_true(exchanges_of(store, post, 1) > 0);
    assert_int_equal(exchanges_of(store, post, 1), 0);
    assert_true(exchanges_of(store, other, 1) > 0);
    assert_true(exchanges_of(store, post, 1) >= 0);
    assert_true(exchanges_of(store, unnumbered, 0) > 0);
    assert_int_equal(exchanges_of(store, unnumbered, 0), 0);
    unnumbered.numbered = true;
    assert_true(exchanges_of(store, unnumbered, 2) > 0);
    assert_int_equal(exchanges_of(store, unnumbered, 2), 0);
    for (int i = 0; i < 2; i++) /* refused: what it would get */
        assert_true(exchanges_of(store, reused, 3) > 0);
    fake_hooks.run = NULL;
    close_store(store);
}

/* A busy machine may be too late for the time-out. */
static uint64_t number_in_the_end(struct store *store, unsigned i)
{
    char list[40];
    uint64_t number = 0;

    snprintf(list, sizeof list, "list%u.example", i % 3);
    for (int times = 0; times < 50 && number == 0; times++)
        number = number_of(store, list, i / 3);
    return number;
}

/* More posts than there are places: none is mixed up with another. */
static void remembers_within_bounds(void **state)
{
    enum { POSTS = 9000 };
    struct store *store = fake_store("");
    int before;

    (void)state;
    fake_hooks.run = count_exchanges;
    for (unsigned i = 1; i <= POSTS; i++)
        assert_int_equal(number_in_the_end(store, i), i / 3 + (i % 3 != 0));
    before = atomic_load(&exchanges);
    for (unsigned i = POSTS; i > POSTS - 300; i--)
        assert_int_equal(number_in_the_end(store, i), i / 3 + (i % 3 != 0));
    assert_true(atomic_load(&exchanges) - before < 450);
    fake_hooks.run = NULL;
    close_store(store);
}

static void too_long_a_list(void **state)
{
    struct store *store = fake_store("");
    char list[STORE_LIST_MAX + 2], copy[STORE_LIST_MAX + 1];
    struct store_error error = {""};

    (void)state;
    memset(list, 'a', sizeof list - 1);
    list[sizeof list - 1] = '\0';
    assert_int_equal(numbers_copy_list(copy, span_cstr(list), &error), -1);
    assert_non_null(strstr(error.text, "longer than 255"));
    list[STORE_LIST_MAX] = '\0';
    assert_int_equal(number_of(store, list, 1), 1);
    assert_int_equal(number_of(store, list, 1), 1);
    close_store(store);
}

/* A store that was never asked, and one whose thread waits. */
static void ends_promptly(void **state)
{
    int64_t begin = monotonic_now();

    (void)state;
    for (int i = 0; i < 100; i++) {
        struct store *store = fake_store("");
        if (i % 2 == 0)
            assert_int_equal(number_of(store, "list.example", 1), 1);
        close_store(store);
    }
    store_free(NULL, 0);
    assert_true(monotonic_now() - begin < 30000);
}

/* ---- a database that stands still ---- */

static struct gate {
    sem_t entered;
    sem_t leave;
    sem_t freed;
    atomic_int opens;
} gate;

/* The first one stays until it may leave; all fail. */
static int open_gate(struct store_error *error)
{
    if (atomic_fetch_add(&gate.opens, 1) == 0) {
        sem_post(&gate.entered);
        sem_wait(&gate.leave);
    }
    return store_fail(error, "shut");
}

static void free_gate(void)
{
    sem_post(&gate.freed);
}

static struct store *store_with_gate(void)
{
    assert_int_equal(sem_init(&gate.entered, 0, 0), 0);
    assert_int_equal(sem_init(&gate.leave, 0, 0), 0);
    assert_int_equal(sem_init(&gate.freed, 0, 0), 0);
    atomic_store(&gate.opens, 0);
    fake_hooks = (struct fake_hooks){.open = open_gate, .free = free_gate};
    return fake_store("");
}

static int end_gate(void **state)
{
    (void)state;
    fake_hooks = (struct fake_hooks){NULL, NULL, NULL};
    return 0;
}

struct caller {
    struct store *store;
    unsigned id;
    struct store_error error;
    int result;
    pthread_t thread;
};

static void *call(void *arg)
{
    struct caller *c = arg;
    struct store_question post = post_of("list.example", c->id, 0);

    c->result = store_ask(c->store, &post, &c->error);
    return NULL;
}

static void start_caller(struct caller *c, struct store *store, unsigned id)
{
    *c = (struct caller){.store = store, .id = id};
    assert_int_equal(pthread_create(&c->thread, NULL, call, c), 0);
}

/* Who waits in vain goes away, from the queue or from the thread, and holds up nobody. */
static void time_outs(void **state)
{
    struct store *store = store_with_gate();
    struct caller callers[5];
    int64_t begin = monotonic_now();

    (void)state;
    for (unsigned i = 0; i < CHECK_COUNT(callers); i++) {
        start_caller(&callers[i], store, i);
        if (i == 0)
            sem_wait(&gate.entered);
    }
    for (unsigned i = 0; i < CHECK_COUNT(callers); i++) {
        pthread_join(callers[i].thread, NULL);
        assert_int_equal(callers[i].result, -1);
        assert_string_equal(callers[i].error.text, "it did not answer within 0.3 s");
    }
    assert_true(monotonic_now() - begin < 10 * (int64_t)patience.store);
    sem_post(&gate.leave);
    close_store(store);
}

/* Who waits while the transaction of others fails gets that failure, without another trial. */
static void failure_is_for_all(void **state)
{
    bool shared = false;

    (void)state;
    for (int i = 0; i < 200 && !shared; i++) {
        struct store *store = store_with_gate();
        struct caller callers[5];
        for (unsigned n = 0; n < CHECK_COUNT(callers); n++) {
            start_caller(&callers[n], store, n);
            if (n == 0)
                sem_wait(&gate.entered);
        }
        monotonic_sleep(20);
        sem_post(&gate.leave);
        for (unsigned n = 0; n < CHECK_COUNT(callers); n++) {
            pthread_join(callers[n].thread, NULL);
            assert_int_equal(callers[n].result, -1);
        }
        close_store(store);
        shared = atomic_load(&gate.opens) == 1;
    }
    assert_true(shared);
}

/* The next question tries again. */
static void tries_again(void **state)
{
    struct store *store = store_with_gate();
    struct caller caller;

    (void)state;
    sem_post(&gate.leave);
    for (int i = 1; i < 4; i++) {
        start_caller(&caller, store, 1);
        pthread_join(caller.thread, NULL);
        assert_string_equal(caller.error.text, "shut");
        assert_int_equal(atomic_load(&gate.opens), i);
    }
    fake_hooks.open = NULL;
    assert_int_equal(number_of(store, "list.example", 1), 1);
    close_store(store);
}

/* A thread that is stuck in the database holds up nobody: neither who asked, nor who frees. */
static void ends_with_a_stuck_thread(void **state)
{
    (void)state;
    for (unsigned milliseconds = 0; milliseconds < 200; milliseconds += 100) {
        struct store *store = store_with_gate();
        struct caller caller;
        start_caller(&caller, store, 1);
        pthread_join(caller.thread, NULL);
        assert_int_equal(caller.result, -1);
        assert_int_equal(sem_wait(&gate.entered), 0);
        alarm(20);
        store_free(store, milliseconds);
        alarm(0);
        assert_int_equal(sem_trywait(&gate.freed), -1);
        sem_post(&gate.leave);
        assert_int_equal(sem_wait(&gate.freed), 0);
    }
}

/* How many posts the commits had; the first waits at the gate. */
static struct {
    size_t sizes[8];
    size_t count;
} commits;

static int run_gate(const struct query *queries, size_t count, struct store_error *error)
{
    size_t posts = 0;

    (void)error;
    for (size_t i = 0; i < count; i++)
        posts += queries[i].statement == STATEMENT_PUT_POST;
    if (posts == 0)
        return 0;
    if (commits.count < CHECK_COUNT(commits.sizes))
        commits.sizes[commits.count++] = posts;
    if (commits.count == 1) {
        sem_post(&gate.entered);
        sem_wait(&gate.leave);
    }
    return 0;
}

/* Posts that come during a commit share the next one, and one that comes alone is answered. On a
 * busy machine a caller may come late, but not each time. */
static void commits_are_shared(void **state)
{
    bool shared = false;

    (void)state;
    for (int times = 0; times < 100 && !shared; times++) {
        struct store *store = store_with_gate();
        struct caller callers[6];
        fake_hooks = (struct fake_hooks){.run = run_gate};
        memset(&commits, 0, sizeof commits);
        for (unsigned i = 0; i < 5; i++) {
            start_caller(&callers[i], store, i);
            if (i == 0)
                sem_wait(&gate.entered);
        }
        monotonic_sleep(50);
        sem_post(&gate.leave);
        for (unsigned i = 0; i < 5; i++)
            pthread_join(callers[i].thread, NULL);
        start_caller(&callers[5], store, 5);
        pthread_join(callers[5].thread, NULL);
        close_store(store);
        shared = commits.count == 3 && commits.sizes[1] == 4 && commits.sizes[2] == 1;
    }
    assert_true(shared);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(urls),
        cmocka_unit_test(url_faults_hold_no_secret),
        cmocka_unit_test(errors_are_one_line),
        cmocka_unit_test(failing),
        cmocka_unit_test(remembered_posts_need_no_database),
        cmocka_unit_test(remembers_within_bounds),
        cmocka_unit_test(too_long_a_list),
        cmocka_unit_test(ends_promptly),
        cmocka_unit_test_teardown(time_outs, end_gate),
        cmocka_unit_test_teardown(failure_is_for_all, end_gate),
        cmocka_unit_test_teardown(tries_again, end_gate),
        cmocka_unit_test_teardown(ends_with_a_stuck_thread, end_gate),
        cmocka_unit_test_teardown(commits_are_shared, end_gate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
