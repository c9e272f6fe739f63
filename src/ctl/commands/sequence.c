/* mlmilterctl sequence: the counters of lists, and the remembered posts (SU-20). */
#include "ctl/commands/commands.h"
#include "ctl/load.h"
#include "ctl/output.h"
#include "store/url.h"
#include "text/json.h"
#include "text/number.h"
#include "text/visible.h"

#include <inttypes.h>
#include <string.h>
#include <sysexits.h>

#define SECONDS_PER_DAY 86400
#define MOST_DAYS       36500

enum action { SHOW, SHOW_ALL, SET, PRUNE };

struct request {
    enum action action;
    const char *list_id; /* NULL: all lists */
    uint64_t number;     /* N or DAYS */
    bool json;
};

/* Appends {"list":"...","last":7} or a number; name: the meaning of the number. */
static void add_number(struct strbuf *out, const struct request *request, struct span list,
                       const char *name, uint64_t number)
{
    if (request->json) {
        strbuf_add_char(out, '{');
        if (list.n > 0)
            json_add_text(out, "list", list);
        json_add_number(out, name, number);
        strbuf_add_str(out, "}\n");
        return;
    }
    if (request->action == SHOW_ALL) {
        visible_add(out, list);
        strbuf_add_char(out, '\t');
    }
    strbuf_addf(out, "%" PRIu64 "\n", number);
}

/* ---- the command line ---- */

static int wrong_number(const struct options *o, const char *name, const char *text, uint64_t least,
                        uint64_t most)
{
    return usage_error(o, "%s \"%s\": expected a number from %" PRIu64 " to %" PRIu64, name, text,
                       least, most);
}

static int read_request(struct request *request, const struct options *o)
{
    char **words = o->arguments;
    size_t count = o->argument_count;
    request->json = o->json;
    if (strcmp(words[0], "show") == 0 && count == (o->all ? 1 : 2)) {
        request->action = o->all ? SHOW_ALL : SHOW;
        request->list_id = words[1]; /* NULL after the last */
    } else if (strcmp(words[0], "set") == 0 && count == 3) {
        request->action = SET;
        request->list_id = words[1];
        if (!number_parse(span_cstr(words[2]), POST_NUMBER_MAX, &request->number))
            return wrong_number(o, "N", words[2], 0, POST_NUMBER_MAX);
    } else if (strcmp(words[0], "prune") == 0 && count >= 2) {
        request->action = PRUNE;
        request->list_id = words[2];
        /* Copies of today's posts still come. */
        if (!number_parse(span_cstr(words[1]), MOST_DAYS, &request->number) || request->number < 1)
            return wrong_number(o, "DAYS", words[1], 1, MOST_DAYS);
    } else {
        return usage_error(o, "sequence: expected show LIST, set LIST N or prune DAYS [LIST]");
    }
    return EX_OK;
}

/* ---- the store ---- */

static int set_counter(struct numbers *numbers, const struct request *request, struct span list,
                       struct strbuf *out, struct store_error *error)
{
    uint64_t now = 0;
    int result = numbers_set(numbers, list, request->number, &now, error);
    if (result < 0)
        return EX_UNAVAILABLE;
    if (result > 0) {
        report_error("%s: the last number is %" PRIu64 " already, and numbers are never lowered",
                     request->list_id, now);
        return EXIT_NO;
    }
    if (request->json)
        add_number(out, request, list, "last", request->number);
    return EX_OK;
}

static int show_all(struct numbers *numbers, const struct request *request,
                    const struct settings *settings, struct strbuf *out, struct store_error *error)
{
    for (size_t i = 0; i < settings->index.count; i++) {
        const struct list *list = settings->index.lists[i];
        uint64_t last;
        if (!list->asks_store || list->sequence_from == SEQUENCE_FROM_SENDER)
            continue;
        if (numbers_show(numbers, list->id, &last, error) != 0)
            return EX_UNAVAILABLE;
        add_number(out, request, list->id, "last", last);
    }
    return EX_OK;
}

/* Carries out the request. Returns EX_OK and the output, EX_UNAVAILABLE with *error, or EXIT_NO
 * after a message. */
static int ask_store(struct numbers *numbers, const struct request *request,
                     const struct settings *settings, struct span list, struct strbuf *out,
                     struct store_error *error)
{
    uint64_t number;
    int result;
    switch (request->action) {
    case SHOW_ALL:
        return show_all(numbers, request, settings, out, error);
    case SET:
        return set_counter(numbers, request, list, out, error);
    case SHOW:
        result = numbers_show(numbers, list, &number, error);
        break;
    default:
        result = numbers_prune(numbers, list, (int64_t)request->number * SECONDS_PER_DAY, &number,
                               error);
        break;
    }
    if (result != 0)
        return EX_UNAVAILABLE;
    add_number(out, request, list, request->action == SHOW ? "last" : "forgotten", number);
    return EX_OK;
}

/* True if the store has what is asked for. With reused_message_id it has the posts of a list whose
 * counter is elsewhere; and a list without numbers may be given its last one. */
static bool list_uses_store(const struct request *request, const struct list *list)
{
    bool is_counted_elsewhere = list->sequence_from == SEQUENCE_FROM_SENDER;
    if (request->action == PRUNE ? list->asks_store : !is_counted_elsewhere)
        return true;
    report_error("%s: %s", request->list_id,
                 is_counted_elsewhere
                     ? "its numbers come from the envelope sender (sequence_from), not from the "
                       "store"
                     : "it asks the store for nothing (it has neither numbers nor "
                       "reused_message_id)");
    return false;
}

static int run_request(const struct settings *settings, const struct request *request)
{
    const struct list *list = NULL;
    struct strbuf out = STRBUF_INIT;
    struct store_error error;
    if (request->list_id != NULL) {
        list = find_list(settings, request->list_id);
        if (list == NULL || !list_uses_store(request, list))
            return EXIT_NO;
    }
    int status = become_user(settings);
    if (status != EX_OK)
        return status;
    /* To show, a store that does not exist is empty; but its path may be misspelt. */
    if (request->action <= SHOW_ALL && store_is_unwritable(settings, &out))
        report_error("warning: %s", strbuf_str(&out));
    strbuf_reset(&out);
    struct numbers *numbers = numbers_of_url(settings->store, request->action <= SHOW_ALL, &error);
    status = numbers == NULL ? EX_UNAVAILABLE
                             : ask_store(numbers, request, settings,
                                         list != NULL ? list->id : span_of(NULL, 0), &out, &error);
    numbers_free(numbers);
    if (status == EX_UNAVAILABLE)
        report_error("store: %s", error.text);
    return print_and_free(&out, status);
}

int run_sequence(const struct options *o)
{
    struct request request = {.list_id = NULL};
    int status = read_request(&request, o);
    if (status != EX_OK)
        return status;
    struct settings *settings = load_settings(o, KEYS_IF_READABLE, NULL);
    if (settings == NULL)
        return EX_CONFIG;
    status = run_request(settings, &request);
    settings_free(settings);
    return status;
}
