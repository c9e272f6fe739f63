/* mlmilterctl sequence: the counters of lists, and the posts that are remembered (SU-20). */
#include "ctl/commands/commands.h"
#include "ctl/configuration.h"
#include "ctl/report.h"
#include "ctl/user.h"
#include "store/drivers.h"
#include "text/json.h"
#include "text/number.h"

#include <inttypes.h>
#include <string.h>
#include <sysexits.h>

#define SECONDS_PER_DAY 86400
#define MOST_DAYS       36500

struct sequence_request {
    int (*run)(struct store *store, const struct sequence_request *request);
    const char *list_id; /* NULL: all lists */
    struct span list;    /* its id; empty: all */
    uint64_t number;     /* N or DAYS */
    bool as_json;
};

/* {"list":"...","last":7}; name: what the number is. */
static int write_number(const struct sequence_request *request, const char *name, uint64_t number)
{
    struct strbuf line = STRBUF_INIT;
    if (request->as_json) {
        strbuf_add_char(&line, '{');
        if (request->list.n > 0)
            json_add_text(&line, "list", request->list);
        json_add_number(&line, name, number);
        strbuf_add_str(&line, "}\n");
    } else {
        strbuf_addf(&line, "%" PRIu64 "\n", number);
    }
    return write_and_free(&line);
}

static int store_failed(const struct store_error *error)
{
    report_error("store: %s", error->text);
    return EX_UNAVAILABLE;
}

static int show(struct store *store, const struct sequence_request *request)
{
    struct store_error error;
    uint64_t last;
    if (store_counter(store, request->list, &last, &error) != 0)
        return store_failed(&error);
    return write_number(request, "last", last);
}

static int set_last(struct store *store, const struct sequence_request *request)
{
    struct store_error error;
    uint64_t now = 0;
    int result = store_set_counter(store, request->list, request->number, &now, &error);
    if (result < 0)
        return store_failed(&error);
    if (result == 0)
        return request->as_json ? write_number(request, "last", request->number) : EX_OK;
    report_error("%s: the last number is %" PRIu64 " already, and numbers are never lowered",
                 request->list_id, now);
    return EXIT_NO;
}

static int prune(struct store *store, const struct sequence_request *request)
{
    struct store_error error;
    uint64_t count;
    if (store_prune(store, request->list, (int64_t)request->number * SECONDS_PER_DAY, &count,
                    &error) != 0)
        return store_failed(&error);
    return write_number(request, "forgotten", count);
}

static int wrong_number(const struct invocation *invocation, const char *what, const char *text,
                        uint64_t least, uint64_t most)
{
    report_error("%s \"%s\": expected a number from %" PRIu64 " to %" PRIu64, what, text, least,
                 most);
    return usage_error(invocation);
}

/* words: what stands behind "sequence". */
static int parse_request(struct sequence_request *request, const struct invocation *invocation,
                         char **words, int count)
{
    memset(request, 0, sizeof *request);
    if (count == 2 && strcmp(words[0], "show") == 0) {
        request->run = show;
        request->list_id = words[1];
    } else if (count == 3 && strcmp(words[0], "set") == 0) {
        request->run = set_last;
        request->list_id = words[1];
        if (!number_parse(span_cstr(words[2]), POST_NUMBER_MAX, &request->number))
            return wrong_number(invocation, "N", words[2], 0, POST_NUMBER_MAX);
    } else if ((count == 2 || count == 3) && strcmp(words[0], "prune") == 0) {
        request->run = prune;
        request->list_id = words[2]; /* NULL where there is none: words end as argv does */
        /* Copies of today's posts still come. */
        if (!number_parse(span_cstr(words[1]), MOST_DAYS, &request->number) || request->number < 1)
            return wrong_number(invocation, "DAYS", words[1], 1, MOST_DAYS);
    } else {
        return usage_error(invocation);
    }
    return EX_OK;
}

/* Is there in the store what is asked for? With reused_message_id it has the posts of a list whose
 * counter is elsewhere; and a list that has no numbers yet may be given its last one. */
static bool may_be_asked(const struct sequence_request *request, const struct list *list)
{
    bool is_counted_elsewhere = list->sequence_from == SEQUENCE_FROM_SENDER;
    if (request->run == prune ? list->asks_store : !is_counted_elsewhere)
        return true;
    if (is_counted_elsewhere)
        report_error("%s: its numbers come from the envelope sender (sequence_from), not from "
                     "the store",
                     request->list_id);
    else
        report_error("%s: it asks the store for nothing (it has neither numbers nor "
                     "reused_message_id)",
                     request->list_id);
    return false;
}

static int find_list(const struct settings *settings, struct sequence_request *request)
{
    const struct list *list;
    if (request->list_id == NULL)
        return EX_OK;
    list = configuration_find_list(settings, request->list_id);
    if (list == NULL || !may_be_asked(request, list))
        return EXIT_NO;
    request->list = list->id;
    return EX_OK;
}

/* Of a store that is not there the last number is 0: what is not there may only be misspelt. */
static void warn_of_unwritable(const struct settings *settings)
{
    struct strbuf why = STRBUF_INIT;
    if (store_is_unwritable(settings, &why))
        report_error("warning: %s", strbuf_str(&why));
    strbuf_free(&why);
}

static int run_request(const struct settings *settings, struct sequence_request *request)
{
    struct store_error error;
    struct store *store;
    int status = find_list(settings, request);
    if (status == EX_OK)
        status = user_become(settings);
    if (status != EX_OK)
        return status;
    if (request->run == show)
        warn_of_unwritable(settings);
    store = store_new(settings->store, &error);
    if (store == NULL)
        return store_failed(&error);
    status = request->run(store, request);
    store_free(store);
    return status;
}

static int run_sequence(struct invocation *invocation, int argc, char **argv)
{
    struct sequence_request request;
    struct settings *settings;
    int status;
    bool as_json;
    status = command_json(invocation, &as_json, argc, argv);
    if (status == EX_OK)
        status = parse_request(&request, invocation, argv + optind, argc - optind);
    if (status != EX_OK)
        return status;
    request.as_json = as_json;
    settings = configuration_load(invocation, KEYS_IF_READABLE);
    if (settings == NULL)
        return EX_CONFIG;
    status = run_request(settings, &request);
    settings_free(settings);
    return status;
}

const struct command command_sequence = {
    "sequence", run_sequence,
    "  sequence show [--json] LIST\n"
    "          the last number given\n"
    "  sequence set [--json] LIST N\n"
    "          the next post gets N+1; never lowers\n"
    "  sequence prune [--json] DAYS [LIST]\n"
    "          forget posts first seen more than DAYS ago; says how many\n"};
