/*
 * One contract for all drivers that are built: memory, SQLite, and PostgreSQL when
 * MLMILTER_TEST_POSTGRESQL holds the URL of a database ("postgresql:...") that may be written.
 */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "store_help.h"
#include "store_killed.h"

#include <sched.h>

#define THREADS  16
#define BACKENDS 3

/* SU-16, SU-20: the first number of a new list is 1 (RULINGS 9). */
static void first_numbers(void **state)
{
    const struct backend *b = *state;
    struct store *store = open_store(b->url);
    const char *list = new_list();

    assert_int_equal(counter_of(store, list), 0);
    assert_int_equal(number_of(store, list, 1), 1);
    assert_int_equal(number_of(store, list, 1), 1);
    assert_int_equal(number_of(store, list, 2), 2);
    assert_int_equal(number_of(store, list, 1), 1);
    assert_int_equal(counter_of(store, list), 2);
    store_free(store);
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
    assert_int_equal(counter_of(store, list), 1);
    store_free(store);
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
    assert_int_equal(counter_of(store, list), POSTS);
    store_free(store);
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
    store_free(hosts[0]);
    assert_int_equal(number_of(hosts[1], list, POSTS), POSTS + 1);
    store_free(hosts[1]);
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
    assert_int_equal(counter_of(store, upper), 2);
    assert_int_equal(counter_of(store, other), 1);
    store_free(store);
}

static struct store_answer look(struct store *store, struct store_post post)
{
    struct store_answer answer;
    struct store_error error = {""};

    if (store_look_up(store, &post, &answer, &error) != 0)
        fail_msg("store_look_up: %s", error.text);
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
        answer = look(store, post_of(list, 1, 0));
        assert_true(answer.is_new);
        assert_int_equal(answer.number, 1);
        assert_false(answer.reused);
    }
    assert_int_equal(counter_of(store, list), 0);
    assert_int_equal(number_of(store, list, 1), 1);
    answer = look(store, post_of(list, 1, 0));
    assert_false(answer.is_new);
    assert_int_equal(answer.number, 1);
    answer = look(store, post_of(list, 1, 9));
    assert_true(answer.is_new);
    assert_true(answer.reused);
    assert_int_equal(answer.number, 2);
    assert_memory_equal(answer.first_fingerprint, post_of(list, 1, 0).fingerprint,
                        POST_FINGERPRINT_OCTETS);
    assert_int_equal(counter_of(store, list), 1);
    assert_false(answer_of(store, post_of(list, 2, 0)).reused);
    store_free(store);
}

/* SU-23 is asked for without numbers; a number may be wanted later. */
static void unnumbered(void **state)
{
    const struct backend *b = *state;
    struct store *store = open_store(b->url);
    const char *list = new_list();
    struct store_post post = post_of(list, 1, 0);

    post.numbered = false;
    assert_int_equal(answer_of(store, post).number, 0);
    assert_int_equal(answer_of(store, post).number, 0);
    assert_int_equal(counter_of(store, list), 0);
    assert_false(look(store, post).is_new);
    assert_int_equal(look(store, post_of(list, 1, 0)).number, 1);
    assert_true(look(store, post_of(list, 1, 0)).is_new);
    assert_int_equal(number_of(store, list, 2), 1);
    assert_int_equal(number_of(store, list, 1), 2);
    assert_int_equal(number_of(store, list, 1), 2);
    assert_false(answer_of(store, post_of(list, 1, 0)).reused);
    assert_int_equal(answer_of(store, post).number, 2);
    store_free(store);
}

/* SU-23, AT-12, RULINGS 33: a reused Message-ID. */
static void reused(void **state)
{
    const struct backend *b = *state;
    const char *list = new_list();
    struct store_post first = post_of(list, 1, 0);
    static const struct {
        unsigned version;
        uint64_t number;
        bool reused;
    } rows[] = {{0, 1, false}, {1, 2, true}, {0, 1, false}, {2, 3, true}, {1, 2, true}};

    /* A second time, what is remembered is not. */
    for (int time = 0; time < (b->lasts ? 2 : 1); time++) {
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
        store_free(store);
    }
    check_end();
}

/* SU-20, RULINGS 56. */
static void set_counter(void **state)
{
    const struct backend *b = *state;
    struct store *store = open_store(b->url);
    char list[80], other[80];
    struct store_post post;
    struct store_answer answer;
    struct store_error error = {""};
    uint64_t now = 0;

    snprintf(list, sizeof list, "%s", new_list());
    snprintf(other, sizeof other, "%s", new_list());
    assert_int_equal(store_set_counter(store, span_cstr(list), 41, &now, &error), 0);
    assert_int_equal(now, 41);
    assert_int_equal(number_of(store, list, 1), 42);
    assert_int_equal(store_set_counter(store, span_cstr(list), 41, &now, &error), 1);
    assert_int_equal(now, 42);
    assert_int_equal(store_set_counter(store, span_cstr(list), 42, &now, &error), 0);
    assert_int_equal(counter_of(store, list), 42);
    assert_int_equal(store_set_counter(store, span_cstr(list), POST_NUMBER_MAX + 1, &now, &error),
                     -1);
    assert_int_equal(store_set_counter(store, span_cstr(list), POST_NUMBER_MAX - 1, &now, &error),
                     0);
    assert_int_equal(number_of(store, list, 2), POST_NUMBER_MAX);
    post = post_of(list, 3, 0);
    assert_int_equal(store_assign(store, &post, &answer, &error), -1);
    assert_non_null(strstr(error.text, "used up"));
    assert_int_equal(store_look_up(store, &post, &answer, &error), -1);
    assert_int_equal(number_of(store, list, 1), 42);
    assert_int_equal(number_of(store, other, 3), 1);
    assert_int_equal(counter_of(store, list), POST_NUMBER_MAX);
    store_free(store);
}

/* SU-20: what is forgotten does not lower the counter. */
static void prune(void **state)
{
    enum { POSTS = 1500 };
    const struct backend *b = *state;
    struct store *store = open_store(b->url);
    char list[80], other[80];
    struct store_error error = {""};
    struct poster poster = {.step = 1, .count = POSTS, .store = store, .list = list};
    uint64_t count = 0;

    snprintf(list, sizeof list, "%s", new_list());
    snprintf(other, sizeof other, "%s", new_list());
    run_posters(&poster, 1);
    assert_int_equal(number_of(store, other, 1), 1);
    assert_int_equal(store_prune(store, span_cstr(list), 3600, &count, &error), 0);
    assert_int_equal(count, 0);
    assert_int_equal(number_of(store, list, 0), 1);
    assert_int_equal(store_prune(store, span_cstr(list), -5, &count, &error), 0);
    assert_int_equal(count, POSTS);
    assert_int_equal(counter_of(store, list), POSTS);
    assert_int_equal(number_of(store, list, 0), POSTS + 1);
    assert_int_equal(number_of(store, other, 1), 1);
    assert_int_equal(store_prune(store, span_cstr(""), -5, &count, &error), 0);
    assert_true(count >= 2);
    assert_int_equal(number_of(store, other, 1), 2);
    store_free(store);
}

/* SU-23: the first post with a key is forgotten, and those behind it are not. */
static void prune_first(void **state)
{
    const struct backend *b = *state;
    struct store *store = open_store(b->url);
    const char *list;
    struct store_error error = {""};
    struct store_post first;
    time_t begin;
    uint64_t count = 0;

    do { /* once more where a busy machine let the second post grow as old */
        list = new_list();
        first = post_of(list, 1, 0);
        assert_int_equal(answer_of(store, first).number, 1);
        begin = time(NULL);
        while (time(NULL) < begin + 3)
            sched_yield();
        begin = time(NULL);
        assert_int_equal(answer_of(store, post_of(list, 1, 1)).number, 2);
        assert_int_equal(store_prune(store, span_cstr(list), 2, &count, &error), 0);
    } while (time(NULL) >= begin + 2);
    assert_int_equal(count, 1);
    assert_true(look(store, post_of(list, 1, 1)).reused);
    assert_true(answer_of(store, post_of(list, 1, 1)).reused);
    assert_int_equal(answer_of(store, post_of(list, 1, 1)).number, 2);
    assert_memory_equal(answer_of(store, post_of(list, 1, 2)).first_fingerprint, first.fingerprint,
                        POST_FINGERPRINT_OCTETS);
    assert_true(look(store, first).is_new);
    assert_false(look(store, first).reused);
    assert_int_equal(answer_of(store, first).number, 4);
    assert_false(answer_of(store, first).reused);
    assert_true(answer_of(store, post_of(list, 1, 3)).reused);
    store_free(store);
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
        assert_int_equal(counter_of(store, list), i);
        for (unsigned j = 0; j <= i; j++)
            assert_int_equal(number_of(store, list, j), j + 1);
        store_free(store);
    }
}

/* Some of them need a database that lasts. */
#define CASE(function)                                                                             \
    {                                                                                              \
#function, function, false                                                                 \
    }
#define LASTS_CASE(function)                                                                       \
    {                                                                                              \
#function, function, true                                                                  \
    }

static const struct {
    const char *name;
    CMUnitTestFunction function;
    bool needs_lasting;
} cases[] = {
    CASE(first_numbers),
    CASE(one_post_many_threads),
    CASE(many_posts_many_threads),
    CASE(lists),
    CASE(look_up),
    CASE(unnumbered),
    CASE(reused),
    CASE(set_counter),
    CASE(prune),
    CASE(prune_first),
    LASTS_CASE(two_hosts),
    LASTS_CASE(reopened),
    LASTS_CASE(store_killed),
};

/* Adds the cases of a backend to the tests. How many there are now. */
static size_t add_backend(struct CMUnitTest *tests, size_t count, struct backend *b)
{
    static char names[BACKENDS * CHECK_COUNT(cases)][60];

    for (size_t i = 0; i < CHECK_COUNT(cases); i++) {
        if (cases[i].needs_lasting && !b->lasts)
            continue;
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
    static struct backend backends[BACKENDS] = {{.name = "memory", .url = "memory:"},
                                                {.name = "sqlite", .lasts = true},
                                                {.name = "postgresql", .lasts = true}};
    struct CMUnitTest tests[BACKENDS * CHECK_COUNT(cases)];
    const char *server = getenv("MLMILTER_TEST_POSTGRESQL");
    struct place place;
    size_t count = 0;
    int failed;

    make_place(&place);
    snprintf(backends[1].url, sizeof backends[1].url, "%s", place.url);
    snprintf(backends[2].url, sizeof backends[2].url, "%s", server != NULL ? server : "");
    for (size_t i = 0; i < BACKENDS; i++) {
        const char *fault = "MLMILTER_TEST_POSTGRESQL names no server";
        char room[200];
        if (backends[i].url[0] != '\0')
            fault = store_url_fault(span_cstr(backends[i].url), room, sizeof room);
        if (fault == NULL)
            count = add_backend(tests, count, &backends[i]);
        else
            printf("# %s is not tested: %s\n", backends[i].name, fault);
    }
    failed = _cmocka_run_group_tests("store", tests, count, NULL, NULL);
    remove_place(&place);
    return failed;
}
