/* mlmilterctl explain: prints the list of a message, the reason, and the edits. */
#include "ctl/commands/commands.h"
#include "ctl/decide_message.h"
#include "ctl/near_miss.h"
#include "ctl/output.h"
#include "plan/plan_print.h"
#include "text/json.h"

#include <sysexits.h>

static void add_note(struct strbuf *out, bool json, struct span text)
{
    strbuf_add_str(out, json ? "{\"op\":\"note\",\"error\":false,\"text\":" : "  note: ");
    if (json)
        json_add_string(out, text);
    else
        strbuf_add_span(out, text);
    strbuf_add_str(out, json ? "}\n" : "\n");
}

static void add_notes(struct strbuf *out, struct decision *d, bool json)
{
    struct strbuf near = STRBUF_INIT;
    add_near_misses(&near, &d->facts, &d->made.selection, &d->arena);
    for (struct span rest = strbuf_span(&near); rest.n > 0;) {
        struct span line = span_sub(rest, 0, span_find(rest, '\n'));
        add_note(out, json, line);
        rest = span_sub(rest, line.n + 1, rest.n);
    }
    strbuf_free(&near);
    if (d->message.field_count == 0)
        add_note(out, json, span_cstr("the message has no header"));
    if (d->store_note.len > 0)
        add_note(out, json, strbuf_span(&d->store_note));
    if (d->settings->dry_run)
        add_note(out, json, span_cstr("dry_run is set: nothing of this is done"));
}

int run_explain(const struct options *o)
{
    struct decision d;
    struct strbuf out = STRBUF_INIT;
    int status = decide_message(&d, o, true, KEYS_IF_READABLE);
    if (status == EX_OK) {
        (o->json ? plan_print_json : plan_print_text)(&out, &d.facts, &d.made.selection,
                                                      &d.made.plan);
        add_notes(&out, &d, o->json);
        status = o->json ? print_and_free(&out, EX_OK) : print_marked_and_free(&out);
    }
    decision_free(&d);
    return status;
}
