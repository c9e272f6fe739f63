/* The store in front of all databases: URLs, errors, time-outs, shared commits, recent answers.
 * Linked twice: test_store_front waits long for an answer, and test_store_timeouts, with times that
 * are a tenth (system/timeouts.h), has the tests in which no answer comes. */
#include "../store/fake_driver.h"
#include "store_help.h"
#include "system/timeouts.h"

#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <sys/syscall.h>

#define LIST "list.example"

/* RULINGS 74: a store that is not built in is refused by the name of what is missing. */
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
        /* libpq may take a part of a password that was not quoted for a keyword. */
        {"postgresql:password=my secret=x", ""},
        {"postgresql:Password = a secret =x hst=y", ""},
        {"postgresql:host=x password=a secret", ""},
        {"postgresql:host='x password=secret", ""},
        {"postgresql://u:a/b?secret=1@db/x", ""},
        {"postgresql://u:secret@[::1/x", ""},
        {"postgresql:secret", ""},
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
            check_bool(error.text, false, strstr(error.text, "secret") != NULL);
        }
        close_store(store);
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

static int fail_commit(const struct query *queries, size_t count, struct store_error *error)
{
    return queries[count - 1].statement == STATEMENT_COMMIT ? store_fail(error, "full") : 0;
}

static void failing(void **state)
{
    struct numbers *numbers = numbers_new(&fake_driver, "failing", false);
    struct store *store = fake_store("failing");
    struct store_question post = post_of(LIST, 9, 0);
    struct span list = span_cstr(LIST);
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
    fake_hooks.run = fail_commit;
    numbers = numbers_new(&fake_driver, "", false);
    assert_int_equal(numbers_set(numbers, list, 7, &n, &error), -1);
    assert_string_equal(error.text, "full");
    numbers_free(numbers);
    close_store(store);
}

/* ---- recent answers ---- */

static atomic_int exchanges;
static atomic_int seconds_ahead;

/* The call for seconds of 64 bits, where a long has 32. */
#ifndef SYS_clock_gettime64
#define SYS_clock_gettime64 SYS_clock_gettime
#endif

/* Sets the monotonic clock ahead. */
int clock_gettime(clockid_t clock, struct timespec *t)
{
    bool is_long = sizeof t->tv_sec > sizeof(long);
    int result = (int)syscall(is_long ? SYS_clock_gettime64 : SYS_clock_gettime, clock, t);
    if (clock == CLOCK_MONOTONIC)
        t->tv_sec += atomic_load(&seconds_ahead);
    return result;
}

static int count_exchanges(const struct query *queries, size_t count, struct store_error *error)
{
    (void)queries, (void)count, (void)error;
    atomic_fetch_add(&exchanges, 1);
    return 0;
}

static int reset_hooks(void **state)
{
    (void)state;
    fake_hooks = (struct fake_hooks){NULL, NULL, NULL};
    atomic_store(&seconds_ahead, 0);
    return 0;
}

static int exchanges_of(struct store *store, struct store_question post, uint64_t number)
{
    int before = atomic_load(&exchanges);
    assert_int_equal(answer_of(store, post).number, number);
    return atomic_load(&exchanges) - before;
}

/* A recent answer needs no database; that of another post, or one without a wanted number, is none.
 */
static void remembered_posts_need_no_database(void **state)
{
    struct store *store = fake_store("");
    struct store_question post = post_of(LIST, 1, 0);
    struct store_question other = post_of("other.example", 1, 0);
    struct store_question unnumbered = post_of(LIST, 2, 0);
    (void)state;
    fake_hooks.run = count_exchanges;
    unnumbered.numbered = false;
    assert_true(exchanges_of(store, post, 1) > 0);
    assert_int_equal(exchanges_of(store, post, 1), 0);
    assert_true(exchanges_of(store, other, 2) > 0);
    assert_true(exchanges_of(store, unnumbered, 0) > 0);
    assert_int_equal(exchanges_of(store, unnumbered, 0), 0);
    unnumbered.numbered = true;
    assert_true(exchanges_of(store, unnumbered, 3) > 0);
    assert_int_equal(exchanges_of(store, unnumbered, 3), 0);
    /* after a quarter of an hour the database, which has forgotten it, is asked again */
    atomic_store(&seconds_ahead, (int)timeouts.store_remembered / 1000 - 30);
    assert_int_equal(exchanges_of(store, post, 1), 0);
    atomic_store(&seconds_ahead, (int)timeouts.store_remembered / 1000);
    assert_true(exchanges_of(store, post, 4) > 0);
    close_store(store);
}

/* More posts than there is room for: each remembered answer is the post's own. */
static void remembers_within_bounds(void **state)
{
    enum { POSTS = 9000, RECENT = 300 };
    static uint64_t numbers[POSTS];
    struct store *store = fake_store("");
    int recalled = 0;
    (void)state;
    fake_hooks.run = count_exchanges;
    for (unsigned i = 0; i < POSTS; i++)
        numbers[i] = number_of(store, i % 2 == 0 ? "a.example" : "b.example", i);
    for (unsigned i = POSTS; i-- > POSTS - RECENT;) {
        int before = atomic_load(&exchanges);
        uint64_t number = number_of(store, i % 2 == 0 ? "a.example" : "b.example", i);
        if (atomic_load(&exchanges) > before)
            continue;
        assert_int_equal(number, numbers[i]);
        recalled++;
    }
    assert_true(recalled > RECENT / 2);
    close_store(store);
}

/* ---- a database that hangs ---- */

static struct gate {
    sem_t entered, leave, freed;
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

enum { CALLERS = 5, MANY = NUMBERS_BATCH_MAX + CALLERS };

static struct caller {
    struct store *store;
    struct store_question post;
    struct store_error error;
    int result;
    atomic_int tid;
    atomic_bool has_ended;
    pthread_t thread;
} callers[MANY];

static void *call(void *arg)
{
    struct caller *c = arg;
    atomic_store(&c->tid, (int)syscall(SYS_gettid));
    c->result = store_ask(c->store, &c->post, &c->error);
    atomic_store(&c->has_ended, true);
    return NULL;
}

static void start_caller(struct caller *c, struct store *store, const char *list, unsigned id)
{
    pthread_attr_t small; /* 32 bits have no room for MANY stacks of the usual size */
    memset(c, 0, sizeof *c);
    c->store = store;
    c->post = post_of(list, id, 0);
    pthread_attr_init(&small);
    assert_int_equal(pthread_attr_setstacksize(&small, (size_t)256 * 1024), 0);
    assert_int_equal(pthread_create(&c->thread, &small, call, c), 0);
    pthread_attr_destroy(&small);
}

/* True if the thread sleeps: it waits for its answer. */
static bool is_waiting(struct caller *c)
{
    char path[64], state = '\0';
    snprintf(path, sizeof path, "/proc/self/task/%d/stat", atomic_load(&c->tid));
    FILE *f = fopen(path, "r");
    if (f == NULL)
        return false;
    if (fscanf(f, "%*d (%*[^)]) %c", &state) != 1)
        state = '\0';
    fclose(f);
    return state == 'S';
}

/* Returns when the caller waits, or has waited in vain. */
static void wait_for_caller(struct caller *c)
{
    while (!is_waiting(c) && !atomic_load(&c->has_ended))
        sched_yield();
}

/* Starts callers. The store's thread has the first one's question when the others come; then they
 * wait. */
static void start_callers(struct store *store, const char *first, const char *second,
                          const char *third, unsigned id)
{
    for (unsigned i = 0; i < CALLERS; i++) {
        start_caller(&callers[i], store, i == 0 ? first : i % 2 == 0 ? second : third, id + i);
        if (i == 0)
            sem_wait(&gate.entered);
    }
    for (unsigned i = 1; i < CALLERS; i++)
        wait_for_caller(&callers[i]);
}

static void join_callers(void)
{
    for (unsigned i = 0; i < CALLERS; i++)
        pthread_join(callers[i].thread, NULL);
}

/* A caller that waits in vain goes on, whether its question is in work or waits. */
static void time_outs(void **state)
{
    struct store *store = store_with_gate();
    (void)state;
    start_callers(store, LIST, LIST, LIST, 0);
    join_callers();
    for (unsigned i = 0; i < CALLERS; i++) {
        assert_int_equal(callers[i].result, -1);
        assert_string_equal(callers[i].error.text, "it did not answer within 0.3 s");
    }
    sem_post(&gate.leave);
    close_store(store);
}

/* Questions that wait while a transaction fails get that failure, without another attempt. A caller
 * may be late, but not each time. */
static void failure_is_for_all(void **state)
{
    bool shared = false;
    (void)state;
    for (int times = 0; times < 100 && !shared; times++) {
        struct store *store = store_with_gate();
        start_callers(store, LIST, LIST, LIST, 0);
        sem_post(&gate.leave);
        join_callers();
        for (unsigned i = 0; i < CALLERS; i++)
            assert_int_equal(callers[i].result, -1);
        close_store(store);
        shared = atomic_load(&gate.opens) == 1;
    }
    assert_true(shared);
}

/* A thread that is stuck in the database stops neither its caller nor store_free. */
static void ends_with_a_stuck_thread(void **state)
{
    (void)state;
    for (unsigned milliseconds = 0; milliseconds < 200; milliseconds += 100) {
        struct store *store = store_with_gate();
        start_caller(&callers[0], store, LIST, 1);
        pthread_join(callers[0].thread, NULL);
        assert_int_equal(callers[0].result, -1);
        assert_int_equal(sem_wait(&gate.entered), 0);
        alarm(120);
        store_free(store, milliseconds);
        alarm(0);
        assert_int_equal(sem_trywait(&gate.freed), -1);
        sem_post(&gate.leave);
        assert_int_equal(sem_wait(&gate.freed), 0);
    }
}

/* Posts of each commit; the first one waits at the gate. */
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

/* Posts that come during a commit share the next one. A caller may be late, but not each time. */
static void commits_are_shared(void **state)
{
    bool shared = false;
    (void)state;
    for (int times = 0; times < 100 && !shared; times++) {
        struct store *store = store_with_gate();
        fake_hooks = (struct fake_hooks){.run = run_gate};
        memset(&commits, 0, sizeof commits);
        start_callers(store, LIST, LIST, LIST, 0);
        sem_post(&gate.leave);
        join_callers();
        assert_true(number_of(store, LIST, CALLERS) > 0);
        close_store(store);
        shared = commits.count == 3 && commits.sizes[1] == CALLERS - 1 && commits.sizes[2] == 1;
    }
    assert_true(shared);
}

static atomic_int together; /* exchanges about the locked list and another one */

/* The counter of held.example is locked. The exchange about gate.example waits at the gate. */
static int run_locked(const struct query *queries, size_t count, struct store_error *error)
{
    bool is_held = false, is_free = false;
    for (size_t i = 0; i < count; i++) {
        const char *list = queries[i].list != NULL ? queries[i].list : "";
        is_held |= strcmp(list, "held.example") == 0;
        is_free |= strcmp(list, "free.example") == 0;
    }
    if (!is_held && !is_free && queries[0].statement == STATEMENT_BEGIN) {
        sem_post(&gate.entered);
        sem_wait(&gate.leave);
    }
    atomic_fetch_add(&together, is_held && is_free);
    return is_held ? store_fail(error, "locked") + 2 : 0;
}

/* A locked counter delays its own list only, and next time it is asked alone (RULINGS 118). */
static void locked_counter(void **state)
{
    struct store *store = store_with_gate();
    (void)state;
    fake_hooks = (struct fake_hooks){.run = run_locked};
    for (unsigned round = 0; round < 3; round++) {
        atomic_store(&together, 0);
        start_callers(store, "gate.example", "held.example", "free.example", 100 * round);
        sem_post(&gate.leave);
        join_callers();
        for (unsigned i = 0; i < CALLERS; i++) {
            bool is_held = i > 0 && i % 2 == 0;
            assert_int_equal(callers[i].result, is_held ? -1 : 0);
            assert_true(!is_held || strcmp(callers[i].error.text, "locked") == 0);
        }
        assert_true(atomic_load(&together) <= (round == 0 ? 1 : 0));
    }
    close_store(store);
}

/* A counter that was locked is free again, and more posts wait for it than one transaction has. */
static void many_wait_for_a_lock(void **state)
{
    struct store *store = store_with_gate();
    struct store_question post = post_of("held.example", MANY, 0);
    struct store_error error;
    (void)state;
    fake_hooks = (struct fake_hooks){.run = run_locked};
    assert_int_equal(store_ask(store, &post, &error), -1);
    fake_hooks = (struct fake_hooks){.run = run_gate};
    memset(&commits, 0, sizeof commits);
    start_callers(store, LIST, "held.example", "held.example", 0);
    for (unsigned i = CALLERS; i < MANY; i++) {
        start_caller(&callers[i], store, "held.example", i);
        wait_for_caller(&callers[i]);
    }
    sem_post(&gate.leave);
    join_callers();
    for (unsigned i = 0; i < MANY; i++) {
        if (i >= CALLERS)
            pthread_join(callers[i].thread, NULL);
        assert_int_equal(callers[i].result, 0);
    }
    close_store(store);
}

static atomic_int news;

static void count_news(void)
{
    atomic_fetch_add(&news, 1);
}

/* After a failure each question tries again. The last failure is known until a question succeeds,
 * and reported once (RULINGS 118). */
static void news_of_failures(void **state)
{
    struct store *store = fake_store("");
    struct store_question post = post_of(LIST, 1, 0);
    struct store_error error;
    struct store_news now;
    (void)state;
    store_has_news = count_news;
    fake_hooks.open = open_gate;
    atomic_store(&gate.opens, 1);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(store_ask(store, &post, &error), -1);
        assert_string_equal(error.text, "shut");
        assert_int_equal(atomic_load(&gate.opens), i + 2);
    }
    store_get_news(store, &now);
    assert_true(now.is_failing && !now.is_created && now.failed > 0);
    assert_string_equal(now.error.text, "shut");
    assert_int_equal(atomic_load(&news), 1);
    fake_hooks.open = NULL;
    assert_int_equal(number_of(store, LIST, 1), 1);
    store_get_news(store, &now);
    assert_false(now.is_failing);
    assert_int_equal(atomic_load(&news), 2);
    store_has_news = NULL;
    close_store(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(urls),
        cmocka_unit_test(errors_are_one_line),
        cmocka_unit_test_teardown(failing, reset_hooks),
        cmocka_unit_test_teardown(remembered_posts_need_no_database, reset_hooks),
        cmocka_unit_test_teardown(remembers_within_bounds, reset_hooks),
        cmocka_unit_test_teardown(failure_is_for_all, reset_hooks),
        cmocka_unit_test_teardown(commits_are_shared, reset_hooks),
        cmocka_unit_test_teardown(locked_counter, reset_hooks),
        cmocka_unit_test_teardown(many_wait_for_a_lock, reset_hooks),
        cmocka_unit_test_teardown(news_of_failures, reset_hooks),
    };
    const struct CMUnitTest without_answers[] = {
        cmocka_unit_test_teardown(time_outs, reset_hooks),
        cmocka_unit_test_teardown(ends_with_a_stuck_thread, reset_hooks),
    };
    return timeouts.store < 1000 ? cmocka_run_group_tests(without_answers, NULL, NULL)
                                 : cmocka_run_group_tests(tests, NULL, NULL);
}
