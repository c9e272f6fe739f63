/* mlmilterctl explain: which list a message belongs to, why, and what would be done with it. */
#include "ctl/colour.h"
#include "ctl/commands/commands.h"
#include "ctl/decision.h"
#include "ctl/near_miss.h"
#include "ctl/report.h"
#include "plan/plan_print.h"
#include "text/json.h"

#include <string.h>
#include <sysexits.h>
#include <unistd.h>

#define DRY_RUN_NOTE "dry_run is set: nothing of this is done"

static void add_note(struct strbuf *out, bool json, const char *text)
{
    if (!json) {
        strbuf_addf(out, "  note: %s\n", text);
        return;
    }
    strbuf_add_str(out, "{\"op\":\"note\",\"error\":false,\"text\":");
    json_add_string(out, span_cstr(text));
    strbuf_add_str(out, "}\n");
}

/* Adds a note for each reason why the message matched no list. */
static void add_near_misses(struct strbuf *out, const struct decision *d, bool json)
{
    struct strbuf near = STRBUF_INIT;
    struct arena arena;
    arena_init(&arena, 0);
    near_miss_add(&near, &d->facts, &d->made.selection, &arena);
    for (char *line = near.data; line != NULL && *line != '\0';) {
        char *end = strchr(line, '\n');
        *end = '\0';
        add_note(out, json, line);
        line = end + 1;
    }
    strbuf_free(&near);
    arena_free(&arena);
}

static int write_explanation(const struct decision *d, const struct transaction *transaction)
{
    struct strbuf out = STRBUF_INIT, shown = STRBUF_INIT;
    if (transaction->json)
        plan_print_json(&out, &d->facts, &d->made.selection, &d->made.plan);
    else
        plan_print_text(&out, &d->facts, &d->made.selection, &d->made.plan);
    add_near_misses(&out, d, transaction->json);
    if (d->store_note != NULL)
        add_note(&out, transaction->json, d->store_note);
    if (d->facts.settings->dry_run)
        add_note(&out, transaction->json, DRY_RUN_NOTE);
    colour_add_marked(&shown, !transaction->json && colour_wanted(STDOUT_FILENO),
                      strbuf_span(&out));
    strbuf_free(&out);
    return write_and_free(&shown);
}

static int run_explain(struct invocation *invocation, int argc, char **argv)
{
    static const struct decision_kind explain = {
        .own_option = "json",
        .look_only = true,
        .keys = KEYS_IF_READABLE,
        .writer = write_explanation,
    };
    return decision_command(&explain, invocation, argc, argv);
}

const struct command command_explain = {
    "explain", run_explain,
    "  explain [--json] " TRANSACTION_USAGE "\n"
    "          which list, why, and what would be done with the message\n"};
