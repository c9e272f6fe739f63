/*
 * One contract for all drivers that are built: SQLite, and PostgreSQL if MLMILTER_TEST_POSTGRESQL
 * has the URL of a database ("postgresql:...") that may be written.
 */
#include "store_help.h"

#include <pthread.h>

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

/* A thread that asks about the posts first, first + step, ... */
struct poster {
    struct store *store;
    const char *list;
    unsigned first;
    unsigned step;
    unsigned count;
    uint64_t *numbers; /* of the posts, by their number */
    pthread_t thread;
};

static void *post_all(void *arg)
{
    struct poster *p = arg;
    for (unsigned i = 0; i < p->count; i++) {
        unsigned id = p->first + i * p->step;
        p->numbers[id] = number_of(p->store, p->list, id);
    }
    return NULL;
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
    for (unsigned i = 0; i < THREADS; i++) {
        posters[i] = (struct poster){.store = hosts[i % 2],
                                     .list = list,
                                     .first = i / 2,
                                     .step = EACH,
                                     .count = POSTS / EACH,
                                     .numbers = numbers[i % 2]};
        assert_int_equal(pthread_create(&posters[i].thread, NULL, post_all, &posters[i]), 0);
    }
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(posters[i].thread, NULL);
    check_consecutive(numbers[0], POSTS);
    assert_memory_equal(numbers[0], numbers[1], sizeof numbers[0]);
    close_store(hosts[0]);
    assert_int_equal(number_of(hosts[1], list, POSTS), POSTS + 1);
    close_store(hosts[1]);
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
    post = post_of(name, 1, 1); /* refused as reused, it needs no number */
    post.wish = STORE_ASSIGN_IF_FIRST;
    assert_int_equal(store_ask(store, &post, &error), 0);
    assert_false(post.answer.is_used_up);
    assert_int_equal(number_of(store, name, 1), 42);
    assert_int_equal(number_of(store, other, 3), 1);
    assert_int_equal(counter_of(b->url, name), POST_NUMBER_MAX);
    assert_int_equal(numbers_set(numbers, span_cstr(other), POST_NUMBER_MAX, &now, &error), 0);
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
    for (unsigned id = 0; id < POSTS; id++)
        assert_int_equal(number_of(store, list, id), id + 1);
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

/* ---- steps ---- */

struct walk {
    const struct backend *b;
    struct store *store;
    char lists[3][80]; /* a, A and b */
};

static const char *list_of(const struct walk *w, char name)
{
    return w->lists[name == 'a' ? 0 : name == 'A' ? 1 : 2];
}

/* "NUMBER", with "reused" and "new". A reader of its own looks. */
static void print_answer(struct walk *w, const char *what, struct store_question post,
                         struct store_question first, char text[60])
{
    struct store_answer answer;
    struct store_error error = {""};
    post.numbered = strcmp(what, "plain") != 0 && strcmp(what, "peek") != 0;
    if (strcmp(what, "look") == 0 || strcmp(what, "peek") == 0) {
        struct numbers *numbers = open_numbers(w->b->url, true);
        check_int("look", 0, look_at(numbers, post, &answer, &error));
        numbers_free(numbers);
    } else {
        answer = answer_of(w->store, post);
    }
    if (answer.reused)
        check_int("the first post", 0,
                  memcmp(answer.first_fingerprint, first.fingerprint, sizeof first.fingerprint));
    snprintf(text, 60, "%llu%s%s", (unsigned long long)answer.number,
             answer.reused ? " reused" : "", answer.is_new ? " new" : "");
}

/* Takes a step: "WHAT LIST ID VERSION: ANSWER". ask: with a number; plain: without; look, peek:
 * these without a change; count: the counter; again: the store is opened again; later: time passes;
 * prune: posts before that time are deleted. */
static void take_step(struct walk *w, const char *step)
{
    char what[10] = "", name = 'a', text[60] = "";
    unsigned id = 0, version = 0;
    (void)sscanf(step, "%9[a-z] %c %u %u", what, &name, &id, &version);
    const char *list = list_of(w, name), *answer = strchr(step, ':');
    check_row(step);
    if (strcmp(what, "later") == 0) {
        time_shift += 1000;
    } else if (strcmp(what, "count") == 0) {
        snprintf(text, sizeof text, "%llu", (unsigned long long)counter_of(w->b->url, list));
    } else if (strcmp(what, "again") == 0 || strcmp(what, "prune") == 0) {
        struct store_error error = {""};
        close_store(w->store); /* with what it remembers */
        if (*what == 'p')
            snprintf(text, sizeof text, "%llu", (unsigned long long)prune_posts(w->b, list, 500));
        w->store = open_store(w->b->url);
        check_int("try", 0, store_try(w->store, &error));
    } else {
        print_answer(w, what, post_of(list, id, version), post_of(list, id, 0), text);
    }
    check_str("answer", answer != NULL ? answer + 2 : "", text);
}

static void take_steps(void **state)
{
    static const char *const walks[][20] = {
        /* SU-16, SU-20: the first number of a new list is 1 (RULINGS 9); numbers stay after a stop
         */
        {"count a: 0", "ask a 0 0: 1", "count a: 1", "again", "ask a 0 0: 1", "ask a 1 0: 2",
         "ask a 0 0: 1", "count a: 2", "again", "ask a 0 0: 1", "ask a 1 0: 2", "ask a 2 0: 3"},
        /* RFC 2919 6: list identifiers are compared without regard to letter case */
        {"ask A 1 0: 1", "ask a 1 0: 1", "ask a 2 0: 2", "ask b 2 0: 1", "count A: 2",
         "count b: 1"},
        /* RULINGS 55: a look */
        {"look a 1 0: 1 new", "look a 1 0: 1 new", "count a: 0", "ask a 1 0: 1", "look a 1 0: 1",
         "look a 1 9: 2 reused new", "count a: 1", "ask a 2 0: 2"},
        /* SU-23 is asked for without numbers; a number may be wanted later */
        {"plain a 1 0: 0", "plain a 1 0: 0", "count a: 0", "peek a 1 0: 0", "look a 1 0: 1 new",
         "ask a 2 0: 1", "ask a 1 0: 2", "ask a 1 0: 2", "plain a 1 0: 2"},
        /* SU-23, AT-12, RULINGS 33: a reused Message-ID */
        {"ask a 1 0: 1", "ask a 1 1: 2 reused", "ask a 1 0: 1", "ask a 1 2: 3 reused",
         "ask a 1 1: 2 reused", "ask a 2 0: 4", "again", "ask a 1 0: 1", "ask a 1 1: 2 reused",
         "ask a 1 2: 3 reused", "ask a 2 0: 4"},
        /* SU-23: the first post with a key is deleted, and later ones are not */
        {"ask a 1 0: 1", "later", "ask a 1 1: 2 reused", "prune a: 1", "look a 1 1: 2 reused",
         "ask a 1 1: 2 reused", "ask a 1 2: 3 reused", "look a 1 0: 4 new", "ask a 1 0: 4",
         "ask a 1 0: 4", "ask a 1 3: 5 reused"},
    };
    for (size_t i = 0; i < CHECK_COUNT(walks); i++) {
        struct walk w = {.b = *state, .store = open_store(((const struct backend *)*state)->url)};
        const char *a = new_list(), *b = new_list();
        snprintf(w.lists[0], sizeof w.lists[0], "%s", a);
        snprintf(w.lists[1], sizeof w.lists[1], "TEST%s", a + 4);
        snprintf(w.lists[2], sizeof w.lists[2], "%s", b);
        for (size_t k = 0; k < CHECK_COUNT(walks[i]) && walks[i][k] != NULL; k++)
            take_step(&w, walks[i][k]);
        close_store(w.store);
    }
    check_end();
}

static const struct {
    const char *name;
    CMUnitTestFunction function;
} cases[] = {
    {"steps", take_steps},
    {"many_posts_two_hosts", many_posts_two_hosts},
    {"only_first_at_once", only_first_at_once},
    {"one_batch", one_batch},
    {"set_counter", set_counter},
    {"prune", prune},
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
