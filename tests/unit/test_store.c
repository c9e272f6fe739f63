/*
 * One contract for all drivers that are built: SQLite, and PostgreSQL when
 * MLMILTER_TEST_POSTGRESQL holds the URL of a database ("postgresql:...") that may be written.
 */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "store_help.h"
#include "store_killed.h"

#include <sched.h>

#define THREADS  16
#define BACKENDS 2

/* SU-16, SU-20: the first number of a new list is 1 (RULINGS 9). */
static void first_numbers(void **state)
{
    const struct backend *b = *state;
    struct store *store = open_store(b->url);
    const char *list = new_list();

    assert_int_equal(counter_of(b->url, list), 0);
    assert_int_equal(number_of(store, list, 1), 1);
    assert_int_equal(number_of(store, list, 1), 1);
    assert_int_equal(number_of(store, list, 2), 2);
    assert_int_equal(number_of(store, list, 1), 1);
    assert_int_equal(counter_of(b->url, list), 2);
    close_store(store);
}

/* SU-21: all transactions of one post. */
static void one_post_many_threads(void **state)
{
    const struct backend *b = *state;
    struct store *store = open_store(b->url);
    const char *list = new_list();
    struct poster posters[THREADS];

    for (size_t i = 0; i < THREADS; i++)
        posters[i] = (struct poster){.store = store, .list = list, .first = 7, .count = 20};
    run_posters(posters, THREADS);
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(posters[i].same, 1);
    assert_int_equal(counter_of(b->url, list), 1);
    close_store(store);
}

static void many_posts_many_threads(void **state)
{
    enum { POSTS = 2000 };
    const struct backend *b = *state;
    struct store *store = open_store(b->url);
    const char *list = new_list();
    struct poster posters[THREADS];
    static uint64_t numbers[POSTS];

    for (unsigned i = 0; i < THREADS; i++)
        posters[i] = (struct poster){.store = store,
                                     .list = list,
                                     .first = i,
                                     .step = THREADS,
                                     .count = POSTS / THREADS,
                                     .numbers = numbers};
    run_posters(posters, THREADS);
    check_consecutive(numbers, POSTS, 1);
    assert_int_equal(counter_of(b->url, list), POSTS);
    close_store(store);
}

/* SU-21: two hosts with one database; each post comes to both. */
static void two_hosts(void **state)
{
    enum { POSTS = 400, EACH = 4 };
    const struct backend *b = *state;
    struct store *hosts[2];
    const char *list = new_list();
    struct poster posters[2 * EACH];
    static uint64_t numbers[2][POSTS];

    for (unsigned h = 0; h < 2; h++)
        hosts[h] = open_store(b->url);
    for (unsigned i = 0; i < 2 * EACH; i++)
        posters[i] = (struct poster){.store = hosts[i % 2],
                                     .list = list,
                                     .first = i / 2,
                                     .step = EACH,
                                     .count = POSTS / EACH,
                                     .numbers = numbers[i % 2]};
    run_posters(posters, 2 * EACH);
    check_consecutive(numbers[0], POSTS, 1);
    assert_memory_equal(numbers[0], numbers[1], sizeof numbers[0]);
    close_store(hosts[0]);
    assert_int_equal(number_of(hosts[1], list, POSTS), POSTS + 1);
    close_store(hosts[1]);
}

/* RFC 2919 6: list identifiers are compared without regard to letter case. */
static void lists(void **state)
{
    const struct backend *b = *state;
    struct store *store = open_store(b->url);
    char lower[80], upper[80], other[80];

    snprintf(lower, sizeof lower, "%s", new_list());
    snprintf(other, sizeof other, "%s", new_list());
    snprintf(upper, sizeof upper, "TEST%s", lower + 4);
    assert_int_equal(number_of(store, upper, 1), 1);
    assert_int_equal(number_of(store, lower, 1), 1);
    assert_int_equal(number_of(store, lower, 2), 2);
    assert_int_equal(number_of(store, other, 2), 1);
    assert_int_equal(counter_of(b->url, upper), 2);
    assert_int_equal(counter_of(b->url, other), 1);
    close_store(store);
}

static struct store_answer look(const struct backend *b, struct store_question post)
{
    struct store_answer answer;
    struct store_error error = {""};
    struct numbers *numbers = open_numbers(b->url, true);

    if (look_at(numbers, post, &answer, &error) != 0)
        fail_msg("numbers_ask: %s", error.text);
    numbers_free(numbers);
    return answer;
}

/* RULINGS 55. */
static void look_up(void **state)
{
    const struct backend *b = *state;
    struct store *store = open_store(b->url);
    const char *list = new_list();
    struct store_answer answer;

    for (int i = 0; i < 2; i++) {
        answer = look(b, post_of(list, 1, 0));
        assert_true(answer.is_new);
        assert_int_equal(answer.number, 1);
        assert_false(answer.reused);
    }
    assert_int_equal(counter_of(b->url, list), 0);
    assert_int_equal(number_of(store, list, 1), 1);
    answer = look(b, post_of(list, 1, 0));
    assert_false(answer.is_new);
    assert_int_equal(answer.number, 1);
    answer = look(b, post_of(list, 1, 9));
    assert_true(answer.is_new);
    assert_true(answer.reused);
    assert_int_equal(answer.number, 2);
    assert_memory_equal(answer.first_fingerprint, post_of(list, 1, 0).fingerprint,
                        POST_FINGERPRINT_OCTETS);
    assert_int_equal(counter_of(b->url, list), 1);
    assert_false(answer_of(store, post_of(list, 2, 0)).reused);
    close_store(store);
}

/* SU-23 is asked for without numbers; a number may be wanted later. */
static void unnumbered(void **state)
{
    const struct backend *b = *state;
    struct store *store = open_store(b->url);
    const char *list = new_list();
    struct store_question post = post_of(list, 1, 0);

    post.numbered = false;
    assert_int_equal(answer_of(store, post).number, 0);
    assert_int_equal(answer_of(store, post).number, 0);
    assert_int_equal(counter_of(b->url, list), 0);
    assert_false(look(b, post).is_new);
    assert_int_equal(look(b, post_of(list, 1, 0)).number, 1);
    assert_true(look(b, post_of(list, 1, 0)).is_new);
    assert_int_equal(number_of(store, list, 2), 1);
    assert_int_equal(number_of(store, list, 1), 2);
    assert_int_equal(number_of(store, list, 1), 2);
    assert_false(answer_of(store, post_of(list, 1, 0)).reused);
    assert_int_equal(answer_of(store, post).number, 2);
    close_store(store);
}

/* SU-23, AT-12, RULINGS 33: a reused Message-ID. */
static void reused(void **state)
{
    const struct backend *b = *state;
    const char *list = new_list();
    struct store_question first = post_of(list, 1, 0);
    static const struct {
        unsigned version;
        uint64_t number;
        bool reused;
    } rows[] = {{0, 1, false}, {1, 2, true}, {0, 1, false}, {2, 3, true}, {1, 2, true}};

    /* A second time, what is remembered is not. */
    for (int time = 0; time < 2; time++) {
        struct store *store = open_store(b->url);
        for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
            struct store_answer a = answer_of(store, post_of(list, 1, rows[i].version));
            check_row(rows[i].reused ? "another" : "the first");
            check_int("number", (long long)rows[i].number, (long long)a.number);
            check_bool("reused", rows[i].reused, a.reused);
            check_bool("first", true,
                       memcmp(a.first_fingerprint, first.fingerprint, sizeof first.fingerprint) ==
                           0);
        }
        assert_false(answer_of(store, post_of(list, 2, 0)).reused);
        close_store(store);
    }
    check_end();
}

/* SU-23, RULINGS 33: the later post of two that share a key gets neither number nor row. */
static void only_first(void **state)
{
    const struct backend *b = *state;
    struct store *store = open_store(b->url);
    const char *list = new_list();
    struct store_question post = post_of(list, 1, 0);

    post.wish = STORE_ASSIGN_IF_FIRST;
    assert_int_equal(answer_of(store, post).number, 1);
    post = post_of(list, 1, 1);
    post.wish = STORE_ASSIGN_IF_FIRST;
    for (int i = 0; i < 2; i++) {
        struct store_answer answer = answer_of(store, post);
        assert_true(answer.reused);
        assert_true(answer.is_new);
        assert_int_equal(counter_of(b->url, list), 1);
    }
    assert_int_equal(number_of(store, list, 2), 2);
    post.wish = STORE_ASSIGN; /* the policy has changed */
    assert_int_equal(answer_of(store, post).number, 3);
    post.wish = STORE_ASSIGN_IF_FIRST;
    assert_true(answer_of(store, post).reused);
    assert_false(answer_of(store, post).is_new);
    close_store(store);
}

struct rival {
    struct store *store;
    const char *list;
    unsigned version;
    size_t numbers;
    pthread_t thread;
};

enum { RIVAL_POSTS = 500 };

static void *post_as_rival(void *arg)
{
    struct rival *r = arg;

    for (unsigned id = 0; id < RIVAL_POSTS; id++) {
        struct store_question post = post_of(r->list, id, r->version);
        post.wish = STORE_ASSIGN_IF_FIRST;
        r->numbers += !answer_of(r->store, post).reused;
    }
    return NULL;
}

/* SU-20, RULINGS 33: two posts with one Message-ID come at once; one of them uses up a number. */
static void only_first_at_once(void **state)
{
    const struct backend *b = *state;
    struct store *stores[2] = {open_store(b->url), open_store(b->url)};
    const char *list = new_list();
    struct rival rivals[4];

    for (unsigned i = 0; i < 4; i++) {
        rivals[i] = (struct rival){.store = stores[i % 2], .list = list, .version = i};
        assert_int_equal(pthread_create(&rivals[i].thread, NULL, post_as_rival, &rivals[i]), 0);
    }
    for (unsigned i = 0; i < 4; i++)
        pthread_join(rivals[i].thread, NULL);
    assert_int_equal(rivals[0].numbers + rivals[1].numbers + rivals[2].numbers + rivals[3].numbers,
                     RIVAL_POSTS);
    assert_int_equal(counter_of(b->url, list), RIVAL_POSTS);
    close_store(stores[0]);
    close_store(stores[1]);
}

/* Questions of one transaction, as the store's thread asks them. */
static void one_batch(void **state)
{
    const struct backend *b = *state;
    struct numbers *numbers = open_numbers(b->url, false);
    char lists[2][80];
    /* clang-format off */
    static const struct {
        unsigned list, id, version;
        enum store_wish wish;
        bool numbered;
        uint64_t number;
        bool reused, is_new;
    } rows[] = {
        {1, 1, 0, STORE_ASSIGN,          true,  1, false, false},
        {0, 1, 0, STORE_ASSIGN,          false, 0, false, false},
        {0, 1, 0, STORE_ASSIGN,          true,  1, false, false},
        {0, 1, 1, STORE_ASSIGN_IF_FIRST, true,  2, true,  true},
        {0, 1, 1, STORE_ASSIGN,          true,  2, true,  false},
        {0, 1, 0, STORE_ASSIGN,          true,  1, false, false},
        {1, 1, 0, STORE_ASSIGN,          true,  1, false, false},
        {0, 2, 0, STORE_LOOK,            true,  3, false, true},
        {0, 3, 0, STORE_ASSIGN,          true,  3, false, false},
        {0, 1, 2, STORE_ASSIGN,          true,  4, true,  false},
        {1, 2, 0, STORE_ASSIGN_IF_FIRST, true,  2, false, false},
    };
    /* clang-format on */
    struct store_question posts[CHECK_COUNT(rows)];
    struct store_question *asked[CHECK_COUNT(rows)];
    struct store_error error = {""};

    snprintf(lists[0], sizeof lists[0], "%s", new_list());
    snprintf(lists[1], sizeof lists[1], "%s", new_list());
    for (int time = 0; time < 2; time++) {
        for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
            posts[i] = post_of(lists[rows[i].list], rows[i].id, rows[i].version);
            posts[i].wish = rows[i].wish;
            posts[i].numbered = rows[i].numbered;
            asked[i] = &posts[i];
        }
        assert_int_equal(numbers_ask(numbers, asked, CHECK_COUNT(rows), &error), 0);
        for (size_t i = 0; i < CHECK_COUNT(rows) && time == 0; i++) {
            char row[20];
            snprintf(row, sizeof row, "row %zu", i);
            check_row(row);
            check_int("number", (long long)rows[i].number, (long long)posts[i].answer.number);
            check_bool("reused", rows[i].reused, posts[i].answer.reused);
            check_bool("is_new", rows[i].is_new, posts[i].answer.is_new);
        }
    }
    numbers_free(numbers);
    assert_int_equal(counter_of(b->url, lists[0]), 4);
    assert_int_equal(counter_of(b->url, lists[1]), 2);
    check_end();
}

/* SU-20, RULINGS 56. */
static void set_counter(void **state)
{
    const struct backend *b = *state;
    struct store *store = open_store(b->url);
    struct numbers *numbers = open_numbers(b->url, false);
    char list[80], other[80];
    struct store_question post;
    struct store_answer answer;
    struct store_error error = {""};
    uint64_t now = 0;

    snprintf(list, sizeof list, "%s", new_list());
    snprintf(other, sizeof other, "%s", new_list());
    assert_int_equal(numbers_set(numbers, span_cstr(list), 41, &now, &error), 0);
    assert_int_equal(now, 41);
    assert_int_equal(number_of(store, list, 1), 42);
    assert_int_equal(numbers_set(numbers, span_cstr(list), 41, &now, &error), 1);
    assert_int_equal(now, 42);
    assert_int_equal(numbers_set(numbers, span_cstr(list), 42, &now, &error), 0);
    assert_int_equal(counter_of(b->url, list), 42);
    assert_int_equal(numbers_set(numbers, span_cstr(other), 0, &now, &error), 0);
    assert_int_equal(numbers_set(numbers, span_cstr(list), POST_NUMBER_MAX + 1, &now, &error), -1);
    assert_int_equal(numbers_set(numbers, span_cstr(list), POST_NUMBER_MAX - 1, &now, &error), 0);
    assert_int_equal(number_of(store, list, 2), POST_NUMBER_MAX);
    post = post_of(list, 3, 0);
    assert_int_equal(store_ask(store, &post, &error), 0);
    assert_true(post.answer.is_used_up);
    assert_int_equal(look_at(numbers, post, &answer, &error), 0);
    assert_true(answer.is_used_up);
    assert_int_equal(number_of(store, list, 1), 42);
    assert_int_equal(number_of(store, other, 3), 1);
    assert_int_equal(counter_of(b->url, list), POST_NUMBER_MAX);
    numbers_free(numbers);
    close_store(store);
}

/* Deletes posts of a list, or of all (""). Returns their number. */
static uint64_t prune_posts(const struct backend *b, const char *list, int64_t seconds)
{
    struct numbers *numbers = open_numbers(b->url, false);
    struct store_error error = {""};
    uint64_t count = 0;

    if (numbers_prune(numbers, span_cstr(list), seconds, &count, &error) != 0)
        fail_msg("numbers_prune: %s", error.text);
    numbers_free(numbers);
    return count;
}

/* SU-20: what is forgotten does not lower the counter. */
static void prune(void **state)
{
    enum { POSTS = 1500 };
    const struct backend *b = *state;
    struct store *store = open_store(b->url);
    char list[80], other[80];
    struct poster poster = {.step = 1, .count = POSTS, .store = store, .list = list};

    snprintf(list, sizeof list, "%s", new_list());
    snprintf(other, sizeof other, "%s", new_list());
    run_posters(&poster, 1);
    assert_int_equal(number_of(store, other, 1), 1);
    assert_int_equal(prune_posts(b, list, 3600), 0);
    assert_int_equal(number_of(store, list, 0), 1);
    close_store(store); /* with what it remembers */
    assert_int_equal(prune_posts(b, list, -5), POSTS);
    assert_int_equal(counter_of(b->url, list), POSTS);
    store = open_store(b->url);
    assert_int_equal(number_of(store, list, 0), POSTS + 1);
    assert_int_equal(number_of(store, other, 1), 1);
    close_store(store);
    assert_true(prune_posts(b, "", -5) >= 2);
    store = open_store(b->url);
    assert_int_equal(number_of(store, other, 1), 2);
    close_store(store);
}

/* SU-23: the first post with a key is forgotten, and those behind it are not. */
static void prune_first(void **state)
{
    const struct backend *b = *state;
    struct store *store;
    const char *list;
    struct store_question first;
    time_t begin;
    uint64_t count = 0;

    do { /* once more where a busy machine let the second post grow as old */
        store = open_store(b->url);
        list = new_list();
        first = post_of(list, 1, 0);
        assert_int_equal(answer_of(store, first).number, 1);
        begin = time(NULL);
        while (time(NULL) < begin + 3)
            sched_yield();
        begin = time(NULL);
        assert_int_equal(answer_of(store, post_of(list, 1, 1)).number, 2);
        close_store(store);
        count = prune_posts(b, list, 2);
    } while (time(NULL) >= begin + 2);
    store = open_store(b->url);
    assert_int_equal(count, 1);
    assert_true(look(b, post_of(list, 1, 1)).reused);
    assert_true(answer_of(store, post_of(list, 1, 1)).reused);
    assert_int_equal(answer_of(store, post_of(list, 1, 1)).number, 2);
    assert_memory_equal(answer_of(store, post_of(list, 1, 2)).first_fingerprint, first.fingerprint,
                        POST_FINGERPRINT_OCTETS);
    assert_true(look(b, first).is_new);
    assert_false(look(b, first).reused);
    assert_int_equal(answer_of(store, first).number, 4);
    assert_false(answer_of(store, first).reused);
    assert_true(answer_of(store, post_of(list, 1, 3)).reused);
    close_store(store);
}

static void reopened(void **state)
{
    const struct backend *b = *state;
    struct store *store;
    const char *list = new_list();

    for (unsigned i = 0; i < 3; i++) {
        struct store_error error = {""};
        store = open_store(b->url);
        if (store_try(store, &error) != 0)
            fail_msg("store_try: %s", error.text);
        assert_int_equal(counter_of(b->url, list), i);
        for (unsigned j = 0; j <= i; j++)
            assert_int_equal(number_of(store, list, j), j + 1);
        close_store(store);
    }
}

#define CASE(function)                                                                             \
    {                                                                                              \
#function, function                                                                        \
    }

static const struct {
    const char *name;
    CMUnitTestFunction function;
} cases[] = {
    CASE(first_numbers),
    CASE(one_post_many_threads),
    CASE(many_posts_many_threads),
    CASE(lists),
    CASE(look_up),
    CASE(unnumbered),
    CASE(reused),
    CASE(only_first),
    CASE(only_first_at_once),
    CASE(one_batch),
    CASE(set_counter),
    CASE(prune),
    CASE(prune_first),
    CASE(two_hosts),
    CASE(reopened),
    CASE(store_killed),
};

/* Adds the cases of a backend to the tests. How many there are now. */
static size_t add_backend(struct CMUnitTest *tests, size_t count, struct backend *b)
{
    static char names[BACKENDS * CHECK_COUNT(cases)][60];

    for (size_t i = 0; i < CHECK_COUNT(cases); i++) {
        snprintf(names[count], sizeof names[count], "%s_%s", b->name, cases[i].name);
        memset(&tests[count], 0, sizeof tests[count]);
        tests[count].name = names[count];
        tests[count].test_func = cases[i].function;
        tests[count].initial_state = b;
        count++;
    }
    return count;
}

int main(void)
{
    static struct backend backends[BACKENDS] = {{.name = "sqlite"}, {.name = "postgresql"}};
    struct CMUnitTest tests[BACKENDS * CHECK_COUNT(cases)];
    const char *server = getenv("MLMILTER_TEST_POSTGRESQL");
    struct place place;
    size_t count = 0;
    int failed;

    make_place(&place);
    snprintf(backends[0].url, sizeof backends[0].url, "%s", place.url);
    snprintf(backends[1].url, sizeof backends[1].url, "%s", server != NULL ? server : "");
    for (size_t i = 0; i < BACKENDS; i++) {
        const char *fault = "MLMILTER_TEST_POSTGRESQL names no server";
        if (backends[i].url[0] != '\0')
            fault = store_url_fault(span_cstr(backends[i].url));
        if (fault == NULL)
            count = add_backend(tests, count, &backends[i]);
        else
            printf("# %s is not tested: %s\n", backends[i].name, fault);
    }
    failed = _cmocka_run_group_tests("store", tests, count, NULL, NULL);
    remove_place(&place);
    return failed;
}
