/* numbers - see numbers.h: reads the rows of a batch, decides in memory, writes what changed */
#include "store/numbers.h"

#include "system/monotonic.h"
#include "system/timeouts.h"
#include "text/ascii.h"
#include "text/memory.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Room for the larger of two exchanges: reads (BEGIN, LIMIT, two statements a list, one a post), or
 * writes (one statement a post, one a list, COMMIT). */
struct queries {
    struct query all[3 * NUMBERS_BATCH_MAX + 2];
    size_t count;
};

struct numbers {
    const struct driver *driver;
    struct database *database;
    bool read_only;
    bool is_empty;  /* read only, and without tables */
    bool is_new;    /* created by this program */
    unsigned limit; /* of numbers_limit, or 0 */
    struct queries reads;
    struct queries writes;
    struct query *lists; /* in reads: numbers[0] is the last number, number the new one or 0 */
    struct query *posts; /* in reads: of each question */
};

int numbers_copy_list(char to[STORE_LIST_MAX + 1], struct span list, struct store_error *error)
{
    if (list.n > STORE_LIST_MAX)
        return store_fail(error, "the list's id is longer than %d bytes", STORE_LIST_MAX);
    for (size_t i = 0; i < list.n; i++)
        to[i] = ascii_lower(list.p[i]);
    to[list.n] = '\0';
    return 0;
}

struct numbers *numbers_new(const struct driver *driver, const char *where, bool read_only)
{
    struct numbers *numbers = memory_new(1, sizeof *numbers);
    numbers->driver = driver;
    numbers->read_only = read_only;
    numbers->database = driver->create(where, read_only);
    return numbers;
}

void numbers_free(struct numbers *numbers)
{
    if (numbers == NULL)
        return;
    numbers->driver->free(numbers->database);
    free(numbers);
}

void numbers_limit(struct numbers *numbers, unsigned milliseconds)
{
    numbers->limit = milliseconds;
}

bool numbers_are_new(const struct numbers *numbers)
{
    return numbers->is_new;
}

/* Adds a statement about a list. */
static struct query *add(struct queries *queries, enum statement statement, const char *list)
{
    struct query *query = &queries->all[queries->count++];
    *query = (struct query){.statement = statement, .list = list};
    return query;
}

/* Runs the queries; an empty database has no rows. Returns 0; 1 with *error if a row is locked; or
 * -1 with *error. After an error the database is closed. */
static int run(struct numbers *numbers, struct queries *queries, struct store_error *error)
{
    int result = 0;
    if (!numbers->is_empty)
        result = numbers->driver->run(numbers->database, queries->all, queries->count, error);
    if (result != 0)
        numbers->driver->close(numbers->database);
    return result;
}

/* Opens the database. Returns 0, or -1 with *error. */
static int open_database(struct numbers *numbers, struct store_error *error)
{
    enum opened opened = numbers->driver->open(numbers->database, error);
    numbers->reads.count = numbers->writes.count = 0;
    numbers->is_empty = opened == OPENED_EMPTY;
    numbers->is_new |= opened == OPENED_NEW;
    return opened == OPEN_FAILED ? -1 : 0;
}

/* ---- a batch of questions ---- */

void numbers_sort(struct store_question **questions, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        struct store_question *question = questions[i];
        size_t at = i;
        for (; at > 0 && strcmp(questions[at - 1]->list, question->list) > 0; at--)
            questions[at] = questions[at - 1];
        questions[at] = question;
    }
}

static bool is_new_list(struct store_question *const *questions, size_t at)
{
    return at == 0 || strcmp(questions[at - 1]->list, questions[at]->list) != 0;
}

/* Adds a statement about each list of the batch, in their order. Returns the first one. */
static struct query *add_each_list(struct queries *queries, enum statement statement,
                                   struct store_question *const *questions, size_t count)
{
    struct query *first = &queries->all[queries->count];
    for (size_t i = 0; i < count; i++)
        if (is_new_list(questions, i))
            add(queries, statement, questions[i]->list);
    return first;
}

/* Reads the rows of lists and posts. If the batch writes, creates missing lists and locks all of
 * them, in one order on every host: so no two hosts wait for each other. Returns as run does. */
static int read_rows(struct numbers *numbers, struct store_question *const *questions, size_t count,
                     bool writes, struct store_error *error)
{
    struct queries *reads = &numbers->reads;
    if (writes) {
        add(reads, STATEMENT_BEGIN, NULL);
        if (numbers->limit != 0)
            add(reads, STATEMENT_LIMIT, NULL)->number = numbers->limit;
        add_each_list(reads, STATEMENT_ADD_LIST, questions, count);
    }
    numbers->lists =
        add_each_list(reads, writes ? STATEMENT_GET_LIST : STATEMENT_LOOK_LIST, questions, count);
    numbers->posts = &reads->all[reads->count];
    for (size_t i = 0; i < count; i++) {
        struct query *query = add(reads, STATEMENT_GET_POST, questions[i]->list);
        query->key = questions[i]->key;
        query->fingerprint = questions[i]->fingerprint;
    }
    return run(numbers, reads, error);
}

/* Fills the answer from the post's row, then from earlier questions of this batch about the list
 * (from `first` on), which are not in the database yet. Returns true if the post itself is known.
 */
static bool find_post(struct store_question *const *questions, size_t first, size_t at,
                      const struct query *row)
{
    const struct store_question *question = questions[at];
    struct store_answer *answer = &questions[at]->answer;
    bool is_known = row->rows > 0 && row->numbers[1] == 1;
    memset(answer, 0, sizeof *answer);
    memcpy(answer->first_fingerprint, row->rows > 0 ? row->found : question->fingerprint,
           POST_FINGERPRINT_OCTETS);
    answer->number = is_known ? row->numbers[0] : 0;
    for (size_t i = first; i < at; i++) {
        const struct store_question *earlier = questions[i];
        if (earlier->answer.is_new ||
            memcmp(earlier->key, question->key, sizeof question->key) != 0)
            continue;
        memcpy(answer->first_fingerprint, earlier->answer.first_fingerprint,
               POST_FINGERPRINT_OCTETS);
        if (memcmp(earlier->fingerprint, question->fingerprint, sizeof question->fingerprint) ==
            0) {
            is_known = true;
            answer->number = earlier->answer.number;
        }
    }
    return is_known;
}

/* Adds the statement that writes a post. */
static void put_post(struct numbers *numbers, const struct store_question *question)
{
    struct query *query = add(&numbers->writes, STATEMENT_PUT_POST, question->list);
    query->key = question->key;
    query->fingerprint = question->fingerprint;
    query->number = question->answer.number;
    query->first = question->answer.reused ? question->answer.first_fingerprint : NULL;
    query->time = (int64_t)time(NULL);
}

/* Answers a question of a list, whose first question is at `first`, and adds the statement that
 * writes the answer. */
static void decide(struct numbers *numbers, struct store_question *const *questions, size_t first,
                   size_t at, struct query *list)
{
    struct store_question *question = questions[at];
    struct store_answer *answer = &question->answer;
    bool is_known = find_post(questions, first, at, &numbers->posts[at]);
    bool gets_number = question->numbered && answer->number == 0;
    bool is_refused;
    answer->reused =
        memcmp(answer->first_fingerprint, question->fingerprint, sizeof question->fingerprint) != 0;
    answer->is_new = !is_known || gets_number;
    if (!answer->is_new)
        return;
    is_refused = answer->reused && question->wish == STORE_ASSIGN_IF_FIRST;
    answer->is_used_up = gets_number && !is_refused && list->numbers[0] >= POST_NUMBER_MAX;
    if (gets_number)
        answer->number = list->numbers[0] + 1;
    if (is_refused || answer->is_used_up || question->wish == STORE_LOOK)
        return;
    answer->is_new = false;
    if (gets_number)
        list->number = list->numbers[0] = answer->number;
    put_post(numbers, question);
}

/* Answers all questions, and adds the statements that write the answers. */
static void decide_all(struct numbers *numbers, struct store_question *const *questions,
                       size_t count)
{
    struct query *list = numbers->lists;
    size_t first = 0;
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && is_new_list(questions, i)) {
            list++;
            first = i;
        }
        decide(numbers, questions, first, i, list);
    }
    for (list = numbers->lists; list < numbers->posts; list++)
        if (list->number != 0)
            add(&numbers->writes, STATEMENT_SET_LIST, list->list)->number = list->number;
}

int numbers_ask(struct numbers *numbers, struct store_question **questions, size_t count,
                struct store_error *error)
{
    bool writes = false;
    int result;
    if (open_database(numbers, error) != 0)
        return -1;
    numbers_sort(questions, count);
    for (size_t i = 0; i < count; i++) {
        if (numbers->read_only)
            questions[i]->wish = STORE_LOOK;
        writes |= questions[i]->wish != STORE_LOOK;
    }
    result = read_rows(numbers, questions, count, writes, error);
    if (result != 0)
        return result;
    decide_all(numbers, questions, count);
    if (!writes)
        return 0;
    add(&numbers->writes, STATEMENT_COMMIT, NULL);
    return run(numbers, &numbers->writes, error);
}

/* ---- the other requests of mlmilterctl ---- */

int numbers_show(struct numbers *numbers, struct span list, uint64_t *last,
                 struct store_error *error)
{
    char name[STORE_LIST_MAX + 1];
    const struct query *row;
    if (numbers_copy_list(name, list, error) != 0 || open_database(numbers, error) != 0)
        return -1;
    row = add(&numbers->reads, STATEMENT_LOOK_LIST, name);
    if (run(numbers, &numbers->reads, error) != 0)
        return -1;
    *last = row->numbers[0];
    return 0;
}

int numbers_set(struct numbers *numbers, struct span list, uint64_t last, uint64_t *now,
                struct store_error *error)
{
    char name[STORE_LIST_MAX + 1];
    const struct query *row;
    if (last > POST_NUMBER_MAX)
        return store_fail(error, "the number is too large");
    if (numbers_copy_list(name, list, error) != 0 || open_database(numbers, error) != 0)
        return -1;
    add(&numbers->reads, STATEMENT_BEGIN, NULL);
    add(&numbers->reads, STATEMENT_ADD_LIST, name);
    row = add(&numbers->reads, STATEMENT_GET_LIST, name);
    if (run(numbers, &numbers->reads, error) != 0)
        return -1;
    *now = row->numbers[0];
    if (*now < last)
        add(&numbers->writes, STATEMENT_SET_LIST, name)->number = last;
    add(&numbers->writes, STATEMENT_COMMIT, NULL);
    if (run(numbers, &numbers->writes, error) != 0)
        return -1;
    if (*now > last)
        return 1;
    *now = last;
    return 0;
}

int numbers_prune(struct numbers *numbers, struct span list, int64_t seconds, uint64_t *count,
                  struct store_error *error)
{
    char name[STORE_LIST_MAX + 1];
    struct query *part;
    *count = 0;
    if (numbers_copy_list(name, list, error) != 0 || open_database(numbers, error) != 0)
        return -1;
    part = add(&numbers->writes, STATEMENT_PRUNE, name);
    part->time = (int64_t)time(NULL) - seconds;
    do {
        if (*count > 0)
            monotonic_sleep(timeouts.store_pause);
        if (run(numbers, &numbers->writes, error) != 0)
            return -1;
        *count += (uint64_t)part->rows;
    } while (part->rows > 0);
    return 0;
}
