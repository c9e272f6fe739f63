/* store_killed - children are told numbers and killed; what they were told has to hold */
#include "store_killed.h"

#include "store_help.h"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>

#define ROUNDS 20

/* What the child has been told. */
struct told {
    uint64_t id;
    uint64_t number;
};

struct teller {
    struct store *store;
    const char *list;
    unsigned first;
    int pipe;
};

static void *assign_and_tell(void *arg)
{
    struct teller *t = arg;

    for (unsigned id = t->first;; id++) {
        struct told told = {.id = id, .number = 0};
        told.number = number_of(t->store, t->list, id);
        if (told.number == 0 || write(t->pipe, &told, sizeof told) != sizeof told)
            _exit(1);
    }
    return NULL;
}

/* Never returns. */
static void be_killed(const char *url, const char *list, unsigned round, int pipe)
{
    enum { TELLERS = 4 };
    struct teller tellers[TELLERS];
    struct store_error error;
    struct store *store = store_of_url(url, false, &error);
    pthread_t thread;

    for (unsigned i = 0; i < TELLERS && store != NULL; i++) {
        tellers[i] = (struct teller){store, list, round * 1000000 + i * 100000, pipe};
        if (pthread_create(&thread, NULL, assign_and_tell, &tellers[i]) != 0)
            _exit(1);
    }
    for (;;)
        pause();
}

/* Reads until `enough` were told, ends the child, and reads the rest. How many there are now. */
static size_t kill_after(pid_t child, int pipe, size_t enough, struct told *told, size_t most)
{
    size_t count = 0;
    bool killed = false;

    while (count < most) {
        struct pollfd ready = {.fd = pipe, .events = POLLIN};
        if (!killed && poll(&ready, 1, 10000) <= 0)
            break;
        if (read(pipe, &told[count], sizeof told[0]) != sizeof told[0])
            break;
        if (++count >= enough && !killed)
            killed = kill(child, SIGKILL) == 0;
    }
    if (!killed)
        kill(child, SIGKILL);
    close(pipe);
    waitpid(child, NULL, 0);
    return count;
}

/* SU-20, R1-04: a SIGKILL in the middle loses, repeats and lowers nothing of what was told. */
void store_killed(void **state)
{
    enum { MOST = 100000 };
    const struct backend *b = *state;
    const char *list = new_list();
    static struct told told[MOST];
    size_t count = 0;
    uint64_t highest = 0;
    struct store *store;

    for (unsigned round = 1; round <= ROUNDS; round++) {
        uint64_t before = highest;
        size_t from = count;
        int ends[2];
        pid_t child;
        assert_int_equal(pipe(ends), 0);
        child = fork();
        if (child == 0) {
            close(ends[0]);
            be_killed(b->url, list, round, ends[1]);
        }
        assert_true(child > 0);
        close(ends[1]);
        count += kill_after(child, ends[0], 20 + round * 7, &told[count], MOST - count);
        assert_true(count >= from + 20);
        for (size_t i = from; i < count; i++) {
            if (told[i].number <= before)
                fail_msg("round %u: %llu was given before", round,
                         (unsigned long long)told[i].number);
            highest = told[i].number > highest ? told[i].number : highest;
            for (size_t j = from; j < i; j++)
                assert_true(told[j].number != told[i].number);
        }
    }
    store = open_store(b->url);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(number_of(store, list, (unsigned)told[i].id), told[i].number);
    assert_true(counter_of(b->url, list) >= highest);
    close_store(store);
}
