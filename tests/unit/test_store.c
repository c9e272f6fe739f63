/*
 * One contract for all drivers that are built: SQLite, and PostgreSQL if MLMILTER_TEST_POSTGRESQL
 * has the URL of a database ("postgresql:...") that may be written.
 */
#include "store_help.h"

#define THREADS 16

/* A database that the contract is tested on. */
struct backend {
    const char *name;
    char url[256];
};

static time_t time_shift;

/* Replaces the C library's function. */
time_t time(time_t *seconds)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (seconds != NULL)
        *seconds = now.tv_sec + time_shift;
    return now.tv_sec + time_shift;
}

/* SU-16, SU-20: the first number of a new list is 1 (RULINGS 9); numbers stay after a stop. */
static void first_numbers(void **state)
{
    const struct backend *b = *state;
    const char *list = new_list();
    assert_int_equal(counter_of(b->url, list), 0);
    for (unsigned times = 0; times < 3; times++) {
        struct store *store = open_store(b->url);
        struct store_error error = {""};
        assert_int_equal(store_try(store, &error), 0);
        for (unsigned i = 0; i <= times; i++)
            assert_int_equal(number_of(store, list, i), i + 1);
        assert_int_equal(number_of(store, list, 0), 1);
        assert_int_equal(counter_of(b->url, list), times + 1);
        close_store(store);
    }
}

/* The numbers are 1, 2, ... in any order. */
static void check_consecutive(const uint64_t *numbers, size_t count)
{
    bool *seen = calloc(count + 1, sizeof *seen);
    assert_non_null(seen);
    for (size_t i = 0; i < count; i++) {
        if (numbers[i] < 1 || numbers[i] > count || seen[numbers[i]])
            fail_msg("post %zu: number %llu", i, (unsigned long long)numbers[i]);
        seen[numbers[i]] = true;
    }
    free(seen);
}

/* SU-21: two hosts with one database; each post comes to both. */
static void many_posts_two_hosts(void **state)
{
    enum { POSTS = 800, EACH = THREADS / 2 };
    const struct backend *b = *state;
    struct store *hosts[2] = {open_store(b->url), open_store(b->url)};
    const char *list = new_list();
    struct poster posters[THREADS];
    static uint64_t numbers[2][POSTS];
    for (unsigned i = 0; i < THREADS; i++)
        posters[i] = (struct poster){.store = hosts[i % 2],
                                     .list = list,
                                     .first = i / 2,
                                     .step = EACH,
                                     .count = POSTS / EACH,
                                     .numbers = numbers[i % 2]};
    run_posters(posters, THREADS);
    check_consecutive(numbers[0], POSTS);
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
    const char *lower = new_list(), *other = new_list();
    char upper[80];
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

/* SU-23, AT-12, RULINGS 33: a reused Message-ID. The second store remembers nothing. */
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
    for (int times = 0; times < 2; times++) {
        struct store *store = open_store(b->url);
        for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
            struct store_answer a = answer_of(store, post_of(list, 1, rows[i].version));
            check_row(rows[i].reused ? "another" : "the first");
            check_int("number", (long long)rows[i].number, (long long)a.number);
            check_bool("reused", rows[i].reused, a.reused);
            check_int("first", 0,
                      memcmp(a.first_fingerprint, first.fingerprint, sizeof first.fingerprint));
        }
        assert_false(answer_of(store, post_of(list, 2, 0)).reused);
        close_store(store);
    }
    check_end();
}

static struct store_question post_if_first(const char *list, unsigned id, unsigned version)
{
    struct store_question post = post_of(list, id, version);
    post.wish = STORE_ASSIGN_IF_FIRST;
    return post;
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
        struct store_answer answer = {.number = 0};
        for (int i = 0; i < 10 && answer.number == 0 && !answer.reused; i++) /* it may be busy */
            answer = answer_of(r->store, post_if_first(r->list, id, r->version));
        r->numbers += !answer.reused;
    }
    return NULL;
}

/* SU-20, RULINGS 33, 108: posts with one Message-ID come at once; one of them uses up a number. */
static void only_first_at_once(void **state)
{
    enum { RIVALS = 8 };
    const struct backend *b = *state;
    struct store *stores[2] = {open_store(b->url), open_store(b->url)};
    const char *list = new_list();
    struct rival rivals[RIVALS];
    size_t numbers = 0;
    for (unsigned i = 0; i < RIVALS; i++) {
        rivals[i] = (struct rival){.store = stores[i % 2], .list = list, .version = i};
        assert_int_equal(pthread_create(&rivals[i].thread, NULL, post_as_rival, &rivals[i]), 0);
    }
    for (unsigned i = 0; i < RIVALS; i++) {
        pthread_join(rivals[i].thread, NULL);
        numbers += rivals[i].numbers;
    }
    assert_int_equal(numbers, RIVAL_POSTS);
    assert_int_equal(counter_of(b->url, list), RIVAL_POSTS);
    close_store(stores[0]);
    close_store(stores[1]);
}

/* Questions of one transaction, as the store's thread asks them (SU-23, RULINGS 33). */
static void one_batch(void **state)
{
    const struct backend *b = *state;
    struct numbers *numbers = open_numbers(b->url, false);
    const char *names[2] = {new_list(), new_list()};
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
        {0, 1, 1, STORE_ASSIGN_IF_FIRST, true,  2, true,  false},
        {0, 1, 0, STORE_ASSIGN,          true,  1, false, false},
        {1, 1, 0, STORE_ASSIGN,          true,  1, false, false},
        {0, 2, 0, STORE_LOOK,            true,  3, false, true},
        {0, 3, 0, STORE_ASSIGN,          true,  3, false, false},
        {0, 1, 2, STORE_ASSIGN,          true,  4, true,  false},
        {1, 2, 0, STORE_ASSIGN_IF_FIRST, true,  2, false, false},
    };
    /* clang-format on */
    struct store_question posts[CHECK_COUNT(rows)], *asked[CHECK_COUNT(rows)];
    struct store_error error = {""};
    for (int times = 0; times < 2; times++) {
        for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
            posts[i] = post_of(names[rows[i].list], rows[i].id, rows[i].version);
            posts[i].wish = rows[i].wish;
            posts[i].numbered = rows[i].numbered;
            asked[i] = &posts[i];
        }
        assert_int_equal(numbers_ask(numbers, asked, CHECK_COUNT(rows), &error), 0);
        for (size_t i = 0; i < CHECK_COUNT(rows) && times == 0; i++) {
            check_row("row");
            check_int("number", (long long)rows[i].number, (long long)posts[i].answer.number);
            check_bool("reused", rows[i].reused, posts[i].answer.reused);
            check_bool("is_new", rows[i].is_new, posts[i].answer.is_new);
        }
    }
    numbers_free(numbers);
    assert_int_equal(counter_of(b->url, names[0]), 4);
    assert_int_equal(counter_of(b->url, names[1]), 2);
    check_end();
}

/* SU-20, RULINGS 56. */
static void set_counter(void **state)
{
    const struct backend *b = *state;
    struct store *store = open_store(b->url);
    struct numbers *numbers = open_numbers(b->url, false);
    const char *name = new_list(), *other = new_list();
    const struct span list = span_cstr(name);
    struct store_question post = post_of(name, 3, 0);
    struct store_answer answer;
    struct store_error error = {""};
    uint64_t now = 0;
    assert_int_equal(numbers_set(numbers, list, 41, &now, &error), 0);
    assert_int_equal(now, 41);
    assert_int_equal(number_of(store, name, 1), 42);
    assert_int_equal(numbers_set(numbers, list, 41, &now, &error), 1);
    assert_int_equal(now, 42);
    assert_int_equal(numbers_set(numbers, list, 42, &now, &error), 0);
    assert_int_equal(counter_of(b->url, name), 42);
    assert_int_equal(numbers_set(numbers, span_cstr(other), 0, &now, &error), 0);
    assert_int_equal(numbers_set(numbers, list, POST_NUMBER_MAX + 1, &now, &error), -1);
    assert_int_equal(numbers_set(numbers, list, POST_NUMBER_MAX - 1, &now, &error), 0);
    assert_int_equal(number_of(store, name, 2), POST_NUMBER_MAX);
    assert_int_equal(store_ask(store, &post, &error), 0);
    assert_true(post.answer.is_used_up);
    assert_int_equal(look_at(numbers, post, &answer, &error), 0);
    assert_true(answer.is_used_up);
    assert_int_equal(number_of(store, name, 1), 42);
    assert_int_equal(number_of(store, other, 3), 1);
    assert_int_equal(counter_of(b->url, name), POST_NUMBER_MAX);
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

/* SU-20: deleted posts do not lower the counter. */
static void prune(void **state)
{
    enum { POSTS = 1500 };
    const struct backend *b = *state;
    struct store *store = open_store(b->url);
    const char *list = new_list(), *other = new_list();
    struct poster poster = {.step = 1, .count = POSTS, .store = store, .list = list};
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

/* SU-23: the first post with a key is deleted, and later ones are not. */
static void prune_first(void **state)
{
    const struct backend *b = *state;
    struct store *store = open_store(b->url);
    const char *list = new_list();
    struct store_question first = post_of(list, 1, 0);
    assert_int_equal(answer_of(store, first).number, 1);
    time_shift += 1000;
    assert_int_equal(answer_of(store, post_of(list, 1, 1)).number, 2);
    close_store(store);
    assert_int_equal(prune_posts(b, list, 500), 1);
    store = open_store(b->url);
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

static const struct {
    const char *name;
    CMUnitTestFunction function;
} cases[] = {
    {"first_numbers", first_numbers},
    {"many_posts_two_hosts", many_posts_two_hosts},
    {"lists", lists},
    {"look_up", look_up},
    {"unnumbered", unnumbered},
    {"reused", reused},
    {"only_first_at_once", only_first_at_once},
    {"one_batch", one_batch},
    {"set_counter", set_counter},
    {"prune", prune},
    {"prune_first", prune_first},
};

enum { CASES = CHECK_COUNT(cases), BACKENDS = 2 };

int main(void)
{
    static struct backend backends[BACKENDS] = {{.name = "sqlite"}, {.name = "postgresql"}};
    static struct CMUnitTest tests[BACKENDS * CASES];
    static char names[BACKENDS * CASES][60];
    const char *server = getenv("MLMILTER_TEST_POSTGRESQL");
    struct place place;
    size_t count = 0;
    int failed;
    make_place(&place);
    snprintf(backends[0].url, sizeof backends[0].url, "%s", place.url);
    snprintf(backends[1].url, sizeof backends[1].url, "%s", server != NULL ? server : "");
    for (struct backend *b = backends; b < backends + BACKENDS; b++) {
        const char *fault = store_url_fault(span_cstr(b->url));
        if (fault != NULL)
            printf("# %s is not tested: %s\n", b->name, fault);
        for (size_t i = 0; i < CASES && fault == NULL; i++, count++) {
            snprintf(names[count], sizeof names[count], "%s_%s", b->name, cases[i].name);
            tests[count] = (struct CMUnitTest){names[count], cases[i].function, NULL, NULL, b};
        }
    }
    failed = _cmocka_run_group_tests("store", tests, count, NULL, NULL);
    remove_place(&place);
    return failed;
}
