/* mlmilterctl sequence: the counters of lists, and the remembered posts (SU-20). */
#include "config/store_kinds.h"
#include "ctl/tool.h"
#include "store/url.h"
#include "text/json.h"
#include "text/memory.h"
#include "text/number.h"
#include "text/visible.h"

#include <errno.h>
#include <inttypes.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SECONDS_PER_DAY 86400

enum action { SHOW, SET, PRUNE };

struct request {
    enum action action;
    const char *list_id; /* NULL: all lists */
    uint64_t number;     /* N or DAYS */
    bool json;
    struct strbuf out;
};

static int read_request(struct request *r, const struct options *o)
{
    char *const *given = o->arguments, *number = given[1];
    size_t count = o->argument_count;
    const char *name = "DAYS";
    uint64_t smallest = 1, largest = 36500; /* not 0: copies of today's posts still come */
    if (strcmp(given[0], "show") == 0 && count + o->all == 2) {
        *r = (struct request){.action = SHOW, .list_id = number}; /* NULL at the end */
        return EX_OK;
    }
    if (strcmp(given[0], "set") == 0 && count == 3 && !o->all) {
        *r = (struct request){.action = SET, .list_id = number};
        number = given[2];
        name = "N";
        smallest = 0;
        largest = POST_NUMBER_MAX;
    } else if (strcmp(given[0], "prune") == 0 && count > 1 && !o->all) {
        *r = (struct request){.action = PRUNE, .list_id = given[2]};
    } else {
        return usage_error(o, "sequence: expected show LIST|--all, set LIST N, prune DAYS [LIST]");
    }
    if (number_parse(span_cstr(number), largest, &r->number) && r->number >= smallest)
        return EX_OK;
    return usage_error(o, "%s \"%s\": expected a number from %" PRIu64 " to %" PRIu64, name, number,
                       smallest, largest);
}

/* Returns the reason why the request cannot be for this list, or NULL. prune needs the list's posts
 * in the store, show and set its counter. A counter may be set before the list has numbers. */
static const char *list_fault(const struct request *r, const struct list *list)
{
    bool is_elsewhere = list->sequence_from == SEQUENCE_FROM_SENDER;
    if (r->action == PRUNE ? list->asks_store : !is_elsewhere)
        return NULL;
    return is_elsewhere
               ? "its numbers come from the envelope sender (sequence_from), not from the store"
               : "it asks the store for nothing (it has neither numbers nor reused_message_id)";
}

/* Appends the number, in text after the id of each of several lists; set has no text. */
static void add_answer(struct request *r, struct span id, uint64_t number)
{
    if (r->json) {
        strbuf_add_char(&r->out, '{');
        if (id.n > 0)
            json_add_text(&r->out, "list", id);
        json_add_number(&r->out, r->action == PRUNE ? "forgotten" : "last", number);
        strbuf_add_str(&r->out, "}\n");
        return;
    }
    if (r->action == SHOW && r->list_id == NULL) {
        visible_add(&r->out, id);
        strbuf_add_char(&r->out, '\t');
    }
    if (r->action != SET)
        strbuf_addf(&r->out, "%" PRIu64 "\n", number);
}

/* Warns of a store that this user cannot create or write. */
static void warn_of_store(const struct settings *settings)
{
    const char *path = settings->store + store_key_path(span_cstr(settings->store));
    char *copy = memory_copy(path);
    bool is_denied = access(path, R_OK | W_OK) != 0 && errno != ENOENT;
    const char *at = is_denied ? path : dirname(copy); /* SQLite has more files there */
    if (*path != '\0' && (is_denied || access(at, W_OK | X_OK) != 0))
        report_error("warning: the store %s cannot be created or written by user id %ld: %s: %s",
                     path, (long)geteuid(), at, strerror(errno));
    free(copy);
}

/* Carries out the request for a list, or for all if id is empty. Returns an exit status;
 * EX_UNAVAILABLE with *error. */
static int ask_store(struct numbers *numbers, struct request *r, struct span id,
                     struct store_error *error)
{
    uint64_t number = r->number;
    int result =
        r->action == SHOW ? numbers_show(numbers, id, &number, error)
        : r->action == SET
            ? numbers_set(numbers, id, r->number, &number, error)
            : numbers_prune(numbers, id, (int64_t)r->number * SECONDS_PER_DAY, &number, error);
    if (result > 0)
        report_error("%s: the last number is %" PRIu64 " already, and numbers are never lowered",
                     r->list_id, number);
    else if (result == 0)
        add_answer(r, id, r->action == SET ? r->number : number);
    return result < 0 ? EX_UNAVAILABLE : result > 0 ? EXIT_NO : EX_OK;
}

static int run_request(const struct settings *settings, struct request *r)
{
    const struct list_index *index = &settings->index;
    const struct list *list = r->list_id != NULL ? find_list(settings, r->list_id) : NULL;
    const char *fault = list != NULL ? list_fault(r, list) : NULL;
    struct store_error error;
    if (fault != NULL)
        report_error("%s: %s", r->list_id, fault);
    if (fault != NULL || (r->list_id != NULL && list == NULL))
        return EXIT_NO;
    int status = become_user(settings);
    if (status != EX_OK)
        return status;
    /* show takes a missing store as empty; a misspelt path gets a warning. */
    if (r->action == SHOW)
        warn_of_store(settings);
    struct numbers *numbers = numbers_of_url(settings->store, r->action == SHOW, &error);
    if (numbers == NULL)
        status = EX_UNAVAILABLE;
    else if (list != NULL || r->action != SHOW)
        status = ask_store(numbers, r, list != NULL ? list->id : span_of(NULL, 0), &error);
    else
        for (size_t i = 0; i < index->count && status == EX_OK; i++)
            if (index->lists[i]->asks_store && list_fault(r, index->lists[i]) == NULL)
                status = ask_store(numbers, r, index->lists[i]->id, &error);
    numbers_free(numbers);
    if (status == EX_UNAVAILABLE)
        report_error("store: %s", error.text);
    return status;
}

int run_sequence(const struct options *o)
{
    struct request request;
    int status = read_request(&request, o);
    if (status != EX_OK)
        return status;
    request.json = o->json;
    const struct settings *settings = load_settings(o, SETTINGS_ALL, KEYS_IF_READABLE);
    if (settings == NULL)
        return EX_CONFIG;
    status = run_request(settings, &request);
    return print_and_free(&request.out, status);
}
