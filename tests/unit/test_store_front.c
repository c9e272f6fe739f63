/* What stands in front of all drivers: URLs, errors, time-outs, what is remembered. */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "store/queue.h"
#include "store/remembered.h"
#include "store/testing/driver.h"
#include "store/workers.h"
#include "store_help.h"
#include "system/monotonic.h"

#include <semaphore.h>
#include <stdatomic.h>
#include <time.h>

/* RULINGS 74: what is not built in is refused by what it needs. */
static void urls(void **state)
{
    static const struct {
        const char *url;
        const char *fault; /* a part of it */
    } rows[] = {
        {"memory:", NULL},
        {"failing:", NULL},
        {"failing:slow=20", NULL},
        {"failing:slow=", "slow=MS"},
        {"failing:slow=x", "slow=MS"},
        {"failing:fast", "slow=MS"},
        {"", "is no store"},
        {"sqlite", "is no store"},
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
        {"postgresql:hst=db dbname=x", "has the keyword \"hst\", which libpq does not know"},
        {"postgresql:host=db pasword = secret", "the keyword \"pasword\""},
        {"postgresql://u:p@db/x?hst=y", "the keyword \"hst\""},
        {"postgresql://u@db/x", NULL},
#else
        {"postgresql:host=db", "PostgreSQL (libpq) is not built in"},
#endif
    };

    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        char room[200];
        const char *fault = store_url_fault(span_cstr(rows[i].url), room, sizeof room);
        struct store_error error = {""};
        struct store *store = store_new(rows[i].url, &error);
        check_row(rows[i].url);
        check_bool("a fault", rows[i].fault != NULL, fault != NULL);
        check_bool("a store", rows[i].fault == NULL, store != NULL);
        if (rows[i].fault != NULL && fault != NULL) {
            check_bool(fault, true, strstr(fault, rows[i].fault) != NULL);
            check_bool(error.text, true, strstr(error.text, fault) != NULL);
        }
        store_free(store);
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
        char room[200];
        const char *fault = store_url_fault(span_cstr(urls[i]), room, sizeof room);
        check_row(urls[i]);
        if (check_bool("a fault", true, fault != NULL))
            check_bool(fault, true, strstr(fault, "secret") == NULL);
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

static void failing(void **state)
{
    struct store *store = open_store("failing:");
    struct store_post post = post_of("list.example", 9, 0);
    struct store_answer answer;
    struct store_error error = {""};
    uint64_t n;

    (void)state;
    assert_int_equal(store_assign(store, &post, &answer, &error), -1);
    assert_string_equal(error.text, "failing: as asked");
    assert_int_equal(store_look_up(store, &post, &answer, &error), -1);
    assert_int_equal(store_counter(store, post.list, &n, &error), -1);
    assert_int_equal(store_set_counter(store, post.list, 7, &n, &error), -1);
    assert_int_equal(store_prune(store, post.list, 7, &n, &error), -1);
    assert_int_equal(store_try(store, &error), -1);
    store_free(store);
}

static int assign_once(struct driver_connection *c, struct store_item **items, size_t count,
                       int64_t now, struct store_error *error)
{
    static atomic_int times;

    if (atomic_fetch_add(&times, 1) > 0)
        return store_fail(error, "shut");
    return store_memory.assign(c, items, count, now, error);
}

static void remembered_posts_need_no_database(void **state)
{
    struct store_driver driver = store_memory;
    struct store_post other = post_of("list.example", 2, 0);
    struct store_answer answer;
    struct store_error error = {""};
    struct store *store;

    (void)state;
    driver.assign = assign_once;
    store = store_new_of(&driver, "");
    assert_int_equal(number_of(store, "list.example", 1), 1);
    assert_int_equal(store_assign(store, &other, &answer, &error), -1);
    assert_string_equal(error.text, "shut");
    assert_int_equal(number_of(store, "list.example", 1), 1);
    store_free(store);
}

static void too_long_a_list(void **state)
{
    struct store *store = open_store("memory:");
    char list[STORE_LIST_MAX + 2];
    struct store_answer answer;
    struct store_error error = {""};
    struct store_post post;

    (void)state;
    memset(list, 'a', sizeof list - 1);
    list[sizeof list - 1] = '\0';
    post = post_of(list, 1, 0);
    assert_int_equal(store_assign(store, &post, &answer, &error), -1);
    assert_non_null(strstr(error.text, "longer than 255"));
    assert_int_equal(store_look_up(store, &post, &answer, &error), -1);
    list[STORE_LIST_MAX] = '\0';
    assert_int_equal(number_of(store, list, 1), 1);
    assert_int_equal(number_of(store, list, 1), 1);
    store_free(store);
}

/* A store that was never asked, and one whose workers wait. */
static void ends_promptly(void **state)
{
    struct timespec a, b;

    (void)state;
    clock_gettime(CLOCK_MONOTONIC, &a);
    for (int i = 0; i < 100; i++) {
        struct store *store = open_store("memory:");
        if (i % 2 == 0)
            assert_int_equal(number_of(store, "list.example", 1), 1);
        store_free(store);
    }
    store_free(NULL);
    clock_gettime(CLOCK_MONOTONIC, &b);
    assert_true(b.tv_sec - a.tv_sec < 30);
}

struct impatient {
    struct queue *queue;
    struct store_error error;
    int result;
    pthread_t thread;
};

static void *ask_impatiently(void *arg)
{
    struct impatient *i = arg;
    struct request *r = request_new(REQUEST_ASSIGN, span_cstr("list.example"));

    i->result = queue_ask(i->queue, r, &i->error);
    if (i->result == 0) {
        i->error = r->error;
        i->result = r->result == -1 ? -2 : r->result;
        request_free(r);
    }
    return NULL;
}

/* Five callers at once, and what each is told. */
static void ask_in_threads(struct queue *queue, int result, const char *error)
{
    struct impatient callers[5];

    for (size_t i = 0; i < CHECK_COUNT(callers); i++) {
        memset(&callers[i], 0, sizeof callers[i]);
        callers[i].queue = queue;
        assert_int_equal(pthread_create(&callers[i].thread, NULL, ask_impatiently, &callers[i]), 0);
    }
    for (size_t i = 0; i < CHECK_COUNT(callers); i++) {
        pthread_join(callers[i].thread, NULL);
        check_row(error);
        check_int("result", result, callers[i].result);
        check_str("error", error, callers[i].error.text);
    }
}

/* A driver whose open fails, when it may. */
static struct gate {
    sem_t entered;
    sem_t leave;
    sem_t asking;
    atomic_int opens;
} gate;

static int open_gate(struct driver_connection *c, struct store_error *error)
{
    (void)c;
    if (atomic_fetch_add(&gate.opens, 1) == 0) {
        sem_post(&gate.entered);
        sem_wait(&gate.leave);
    }
    return store_fail(error, "shut");
}

/* Who waits in vain goes away, from the line or from the hands of a worker; who has time waits. */
static void time_outs(void **state)
{
    struct store_driver driver = store_failing;
    struct queue *queue;

    (void)state;
    driver.open = open_gate;
    assert_int_equal(sem_init(&gate.entered, 0, 0), 0);
    assert_int_equal(sem_init(&gate.leave, 0, 0), 0);
    atomic_store(&gate.opens, 0);
    queue = queue_new(&driver, "", 100);
    ask_in_threads(queue, -1, "it did not answer within 0.1 s");
    sem_post(&gate.leave);
    queue_free(queue, 60000);
    queue = queue_new(&store_failing, "slow=100", 60000);
    ask_in_threads(queue, -2, "failing: as asked");
    queue_free(queue, 60000);
    check_end();
}

static void *ask_at_gate(void *arg)
{
    sem_post(&gate.asking);
    return ask_impatiently(arg);
}

/* One caller is with the driver, four come after it. How often the driver was asked. */
static int ask_gate(const struct store_driver *driver)
{
    struct impatient callers[5];
    struct queue *queue = queue_new(driver, "", 60000);

    atomic_store(&gate.opens, 0);
    for (size_t i = 0; i < CHECK_COUNT(callers); i++) {
        callers[i] = (struct impatient){.queue = queue};
        assert_int_equal(pthread_create(&callers[i].thread, NULL, ask_at_gate, &callers[i]), 0);
        sem_wait(&gate.asking);
        if (i == 0)
            sem_wait(&gate.entered);
    }
    sem_post(&gate.leave);
    for (size_t i = 0; i < CHECK_COUNT(callers); i++) {
        pthread_join(callers[i].thread, NULL);
        assert_int_equal(callers[i].result, -2);
        assert_string_equal(callers[i].error.text, "shut");
    }
    queue_free(queue, 60000);
    return atomic_load(&gate.opens);
}

/* Who waits while the store fails gets that failure. A caller may come too late for it, but not
 * each time. */
static void failure_is_for_all(void **state)
{
    struct store_driver driver = store_failing;
    bool shared = false;

    (void)state;
    driver.open = open_gate;
    assert_int_equal(sem_init(&gate.entered, 0, 0), 0);
    assert_int_equal(sem_init(&gate.leave, 0, 0), 0);
    assert_int_equal(sem_init(&gate.asking, 0, 0), 0);
    for (int i = 0; i < 200 && !shared; i++)
        shared = ask_gate(&driver) == 1;
    assert_true(shared);
}

static void free_at_gate(struct driver_connection *c)
{
    store_failing.connection_free(c);
    sem_post(&gate.entered);
}

/* A worker that is stuck in the database holds up nobody: neither who asked, nor who frees. */
static void ends_with_a_stuck_worker(void **state)
{
    static struct store_driver driver;
    struct impatient caller;
    struct queue *queue;

    (void)state;
    driver = store_failing;
    driver.open = open_gate;
    driver.connection_free = free_at_gate;
    for (unsigned milliseconds = 0; milliseconds < 200; milliseconds += 100) {
        queue = queue_new(&driver, "", 50);
        atomic_store(&gate.opens, 0);
        caller = (struct impatient){.queue = queue};
        ask_impatiently(&caller);
        assert_int_equal(caller.result, -1);
        assert_string_equal(caller.error.text, "it did not answer within 0.05 s");
        assert_int_equal(sem_wait(&gate.entered), 0);
        alarm(20);
        queue_free(queue, milliseconds);
        alarm(0);
        sem_post(&gate.leave);
        assert_int_equal(sem_wait(&gate.entered), 0); /* it has closed its connection */
    }
}

static int assign_slowly(struct driver_connection *c, struct store_item **items, size_t count,
                         int64_t now, struct store_error *error)
{
    sem_post(&gate.entered);
    monotonic_sleep(700);
    return store_memory.assign(c, items, count, now, error);
}

/* A store that is slow is no dead one: who comes behind others waits for longer than the patience.
 */
static void waits_while_others_are_answered(void **state)
{
    static struct store_driver driver;
    struct impatient callers[2];
    struct queue *queue;

    (void)state;
    driver = store_memory;
    driver.connections = 1;
    driver.assign = assign_slowly;
    queue = queue_new(&driver, "", 1000);
    for (size_t i = 0; i < CHECK_COUNT(callers); i++) {
        callers[i] = (struct impatient){.queue = queue};
        assert_int_equal(pthread_create(&callers[i].thread, NULL, ask_impatiently, &callers[i]), 0);
        if (i == 0)
            sem_wait(&gate.entered);
    }
    for (size_t i = 0; i < CHECK_COUNT(callers); i++) {
        pthread_join(callers[i].thread, NULL);
        assert_int_equal(callers[i].result, 0);
    }
    queue_free(queue, 60000);
    assert_int_equal(sem_init(&gate.entered, 0, 0), 0);
}

/* Nobody waits beyond the last moment: neither for what a worker has, nor in the line. */
static void last_moment(void **state)
{
    static struct store_driver driver;
    struct impatient callers[2];
    struct queue *queue;

    (void)state;
    driver = store_failing;
    driver.open = open_gate;
    queue = queue_new(&driver, "", 60000);
    atomic_store(&gate.opens, 0);
    alarm(40);
    queue_set_last_moment(queue, monotonic_now() + 1000);
    for (size_t i = 0; i < CHECK_COUNT(callers); i++) {
        callers[i] = (struct impatient){.queue = queue};
        assert_int_equal(pthread_create(&callers[i].thread, NULL, ask_at_gate, &callers[i]), 0);
        sem_wait(&gate.asking);
        if (i == 0)
            sem_wait(&gate.entered);
    }
    for (size_t i = 0; i < CHECK_COUNT(callers); i++) {
        pthread_join(callers[i].thread, NULL);
        assert_int_equal(callers[i].result, -1);
        assert_string_equal(callers[i].error.text,
                            "it did not answer before the end of the program");
    }
    alarm(0);
    sem_post(&gate.leave);
    queue_free(queue, 60000);
}

/* Before it there is time for an answer. */
static void answers_before_the_last_moment(void **state)
{
    struct queue *queue = queue_new(&store_failing, "slow=10", 60000);
    struct impatient caller = {.queue = queue};

    (void)state;
    queue_set_last_moment(queue, monotonic_now() + 60000);
    ask_impatiently(&caller);
    assert_int_equal(caller.result, -2);
    queue_free(queue, 60000);
}

/* How many posts the commits had; the first waits at the gate. */
static struct {
    size_t sizes[8];
    size_t count;
} commits;

static int assign_at_gate(struct driver_connection *c, struct store_item **items, size_t count,
                          int64_t now, struct store_error *error)
{
    if (commits.count < CHECK_COUNT(commits.sizes))
        commits.sizes[commits.count++] = count;
    if (commits.count == 1) {
        sem_post(&gate.entered);
        sem_wait(&gate.leave);
    }
    return store_memory.assign(c, items, count, now, error);
}

static void await_line(struct queue *queue, size_t count)
{
    for (size_t waiting = 0; waiting != count; monotonic_sleep(1)) {
        waiting = 0;
        pthread_mutex_lock(&queue->mutex);
        for (const struct request *r = queue->posts.first; r != NULL; r = r->next)
            waiting++;
        pthread_mutex_unlock(&queue->mutex);
    }
}

/* Who comes during a commit shares the next one. Who comes alone is answered,
 * too. */
static void commits_are_shared(void **state)
{
    struct store_driver driver = store_memory;
    struct impatient callers[6];
    struct queue *queue;

    (void)state;
    driver.connections = 1;
    driver.assign = assign_at_gate;
    assert_int_equal(sem_init(&gate.entered, 0, 0), 0);
    assert_int_equal(sem_init(&gate.leave, 0, 0), 0);
    memset(&commits, 0, sizeof commits);
    queue = queue_new(&driver, "", 60000);
    for (size_t i = 0; i < CHECK_COUNT(callers); i++) {
        callers[i] = (struct impatient){.queue = queue};
        if (i == 5) {
            sem_post(&gate.leave);
            for (size_t j = 0; j < i; j++)
                pthread_join(callers[j].thread, NULL);
        }
        assert_int_equal(pthread_create(&callers[i].thread, NULL, ask_impatiently, &callers[i]), 0);
        if (i == 0)
            sem_wait(&gate.entered);
        else if (i < 5)
            await_line(queue, i);
    }
    pthread_join(callers[5].thread, NULL);
    for (size_t i = 0; i < CHECK_COUNT(callers); i++)
        assert_int_equal(callers[i].result, 0);
    queue_free(queue, 60000);
    assert_int_equal(commits.count, 3);
    assert_int_equal(commits.sizes[0], 1);
    assert_int_equal(commits.sizes[1], 4);
    assert_int_equal(commits.sizes[2], 1);
}

/* A failure that took long is told those of the next second, too, and then it is tried anew; what
 * fails at once is. */
static void remembers_failures(void **state)
{
    static const struct {
        const char *options;
        unsigned patience;
        int first, second;
        const char *error;
    } rows[] = {
        {"slow=500", 100, -1, -1, "it did not answer within 0.1 s"},
        {"slow=1100", 60000, -2, -1, "failing: as asked"},
        {"", 60000, -2, -2, "failing: as asked"},
    };

    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        struct queue *queue = queue_new(&store_failing, rows[i].options, rows[i].patience);
        struct impatient caller = {.queue = queue};

        check_row(rows[i].options);
        ask_impatiently(&caller);
        check_int("first", rows[i].first, caller.result);
        check_str("error", rows[i].error, caller.error.text);
        ask_impatiently(&caller);
        check_int("second", rows[i].second, caller.result);
        check_str("error", rows[i].error, caller.error.text);
        monotonic_sleep(1100);
        ask_impatiently(&caller);
        check_int("third", rows[i].first, caller.result);
        queue_free(queue, 60000);
    }
    check_end();
}

static struct store_answer make_answer(uint64_t number)
{
    struct store_answer answer = {.number = number};

    return answer;
}

static void remembers(void **state)
{
    struct remembered *r = remembered_new();
    struct store_post post = post_of("list.example", 1, 0);
    struct store_post other = post_of("list.exampl2", 1, 0);
    struct store_post version = post_of("list.example", 1, 1);
    struct store_answer none = make_answer(0);
    struct store_answer five = make_answer(5);
    struct store_answer got;

    (void)state;
    assert_false(remembered_find(r, &post, 100, &got));
    post.numbered = false;
    remembered_add(r, &post, 100, &none);
    assert_true(remembered_find(r, &post, 100, &got));
    assert_int_equal(got.number, 0);
    post.numbered = true;
    assert_false(remembered_find(r, &post, 100, &got));
    five.reused = true;
    five.first_fingerprint[3] = 77;
    remembered_add(r, &post, 101, &five);
    remembered_add(r, &post, 102, &none); /* was asked before, comes later */
    assert_true(remembered_find(r, &post, 103, &got));
    assert_int_equal(got.number, 5);
    assert_true(got.reused);
    assert_int_equal(got.first_fingerprint[3], 77);
    assert_false(remembered_find(r, &other, 103, &got));
    assert_false(remembered_find(r, &version, 103, &got));
    assert_true(remembered_find(r, &post, 100 + REMEMBERED_SECONDS, &got));
    assert_false(remembered_find(r, &post, 101 + REMEMBERED_SECONDS, &got));
    remembered_clear(r);
    assert_false(remembered_find(r, &post, 103, &got));
    remembered_free(r);
}

/* More posts than there are places: none is mixed up with another. */
static void remembers_within_bounds(void **state)
{
    enum { POSTS = 20000 };
    struct remembered *r = remembered_new();
    size_t found = 0;
    size_t late = 0;

    (void)state;
    for (unsigned i = 1; i <= POSTS; i++) {
        struct store_post post = post_of("list.example", 1, i);
        struct store_answer answer = make_answer(i);
        remembered_add(r, &post, i, &answer);
    }
    for (unsigned i = 1; i <= POSTS; i++) {
        struct store_post post = post_of("list.example", 1, i);
        struct store_answer got;
        if (!remembered_find(r, &post, REMEMBERED_SECONDS, &got))
            continue;
        found++;
        assert_int_equal(got.number, i);
        late += i > POSTS / 2;
    }
    assert_true(found > 3500 && found <= 4096);
    assert_true(late > found - 100);
    remembered_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(urls),
        cmocka_unit_test(url_faults_hold_no_secret),
        cmocka_unit_test(errors_are_one_line),
        cmocka_unit_test(failing),
        cmocka_unit_test(remembered_posts_need_no_database),
        cmocka_unit_test(too_long_a_list),
        cmocka_unit_test(ends_promptly),
        cmocka_unit_test(time_outs),
        cmocka_unit_test(failure_is_for_all),
        cmocka_unit_test(ends_with_a_stuck_worker),
        cmocka_unit_test(waits_while_others_are_answered),
        cmocka_unit_test(last_moment),
        cmocka_unit_test(answers_before_the_last_moment),
        cmocka_unit_test(remembers_failures),
        cmocka_unit_test(commits_are_shared),
        cmocka_unit_test(remembers),
        cmocka_unit_test(remembers_within_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
