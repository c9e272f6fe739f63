/* lint: lint.txt has the places of findings and what they show; tests/findings has the findings of
 * each field (RULINGS 93). */
#include "table.h"

#include "lint/lint.h"

/* \W */
static const char well[] =
    "Message-ID: <a@b.example>\n"
    "List-Id: A <a.b.example>\n"
    "List-Unsubscribe: <https://b.example/u>,\n <mailto:u@b.example>\n"
    "List-Unsubscribe-Post: List-Unsubscribe=One-Click\n"
    "DKIM-Signature: d=b.example; h=list-id:list-unsubscribe:\n list-unsubscribe-post\n";

struct linted {
    struct lint lint;
    struct message message;
};

static void begin(struct linted *l, struct span domain, struct span text)
{
    lint_init(&l->lint);
    message_init(&l->message);
    l->lint.domain = domain;
    message_split(&l->message, text);
    lint_message(&l->lint, &l->message);
}

static void end(struct linted *l)
{
    lint_free(&l->lint);
    message_free(&l->message);
}

/* DOMAIN | MESSAGE: "name:place name:place xTIMES", without a place for a missing field. */
static void places(const struct span *in, struct strbuf *out)
{
    struct linted l;
    begin(&l, in[0], in[1]);
    for (size_t i = 0, times = 1; i < l.lint.count; i += times) {
        const struct lint_finding *finding = &l.lint.findings[i];
        strbuf_addf(out, "%s%s", i > 0 ? " " : "", lint_rules[finding->rule].name);
        if (finding->place != LINT_NO_PLACE)
            strbuf_addf(out, ":%zu", finding->place);
        for (times = 1; i + times < l.lint.count && finding[times].rule == finding->rule &&
                        finding[times].place == finding->place;)
            times++;
        if (times > 1)
            strbuf_addf(out, " x%zu", times);
    }
    end(&l);
}

/* NAME | MESSAGE: the part of the field that is wrong, and the clause of the rule or of the field.
 */
static void shown(const struct span *in, struct strbuf *out)
{
    struct linted l;
    begin(&l, span_of("", 0), in[1]);
    for (size_t i = 0; i < l.lint.count && out->len == 0; i++) {
        const struct lint_finding *finding = &l.lint.findings[i];
        if (span_eq(in[0], span_cstr(lint_rules[finding->rule].name)))
            strbuf_addf(out, "[%.*s] %s", (int)finding->shown.n, finding->shown.p, finding->clause);
    }
    end(&l);
}

int main(void)
{
    static const struct table_function functions[] = {
        {"places", .call = places, .least = 2},
        {"shown", .call = shown, .least = 2},
    };
    table_texts['W' - 'A'] = well;
    return table_run("lint.txt", functions, CHECK_COUNT(functions));
}
