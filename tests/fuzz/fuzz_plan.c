/*
 * One decision: selection, post and plan for a message in a transaction, and the message after its
 * edits (RULINGS 1 to 4, 26 to 34, 40; plan_check.h says what must hold).  The edited message has
 * the fields that the plan says, and a second decision about it changes nothing.
 *
 * Input: a line with the number of a configuration, a line with the words of a transaction, and the
 * message.  Words: client=ADDR auth daemon=NAME from=ADDR to=ADDR mta=ADDR msgid=TEXT list=ID; what
 * the store says: number=N next reused storefail; pad=N, forged=N: N fields of no interest, and N
 * of each owned name, are above the message's (RULINGS 71).
 */
#include "configurations.h"
#include "fuzz.h"
#include "plan_check.h"

#include "ctl/apply_stream.h"
#include "lint/lint.h"
#include "mail/fold.h"
#include "mail/message.h"
#include "plan/plan.h"
#include "plan/plan_print.h"
#include "spec/owned_fields.h"

#include <string.h>

/* "x=" is no word, and "X" no field of interest: each part is there, or not. */
const char *const fuzz_grammar[] = {
    "S=0\n%o%k%F=%0%e %T=%0@example.org %T=%0%e%t\n%L <%0.example.org>\n%f\n%*|1\n%o%k%F=%1%e "
    "%T=%1@example.org%t\n%L <%1.example.org>\n%f"
    "|2\n%o%k%F=%2%e %T=%2@example.org%t\n%L <%2.example.org>\n%f|3\n%o%k%F=%3%e "
    "%T=%3@example.org%t\n%L <%3.example.org>\n%f\nbody"
    "|4\n%o%k%F=%4%e %T=%4@example.org%t\n%L <%4.example.org>\nList-Id: <%p>\n%f|5\n%o%k%F=%5%e "
    "%T=%5@example.org%t\n%L <%5.example.org>\n%f"
    "|6\n%o%k%F=%6%e %T=%6@example.org %T=%6@example.org%t\n%L <%6.example.org>\n%L "
    "<%6.example.org>\n%f"
    "|7\n%o%k%F=%7%e %T=%7@example.org %T=%7%e%t\n%L <%7.example.org>\nList-Id: "
    "<%p>\n%f|%*\n%*\n%f",
    "0=announce|club|major",
    "1=one|two|three|four",
    "2=add|reject|reject2|ignore|senders|s1",
    "3=keeps|keeps2|keeps3",
    "4=sub|own|man|man2|sent",
    "5=click|click2|club",
    "6=dev|dev-announce|dev-a|dev-c|dev-d|a.dev|b.dev",
    "7=team|crew|dev|dev-a",
    "e=@example.org|-bounces@example.org|-request@example.org|-owner@example.org|+x@example.org|+"
    "bounces-0072-x@example.org|@localhost|@example.net",
    "o=|client=192.0.2.1 |client=198.51.100.1 |client=2001:db8::1 |client=127.0.0.1 |auth "
    "|daemon=lists ",
    "F=from|x",
    "T=to|to|x",
    "t=| to=reader@y.example| to=@relay:\"te|",
    "L=List-Id:|X:|List-Id: A|x:|List-Id : \"x\"\n ",
    "k=||number=7 |next number=73 |reused number=7 |storefail |list=%1.example.org |msgid=<q@x> "
    "|pad=4998 |pad=5000 |forged=2 |mta=%1@example.org |from= ",
    "p=far.example.net|top.example.net|one.example.org|%4.example.org|dev.example.org",
    "f=|%h\n%f|%h\n%h\n%h\n%f|%m\n%h\n%h\n%f|%m\nDate: Wed, 4 Jul 2007 16:49:58 +0900\n%h\n%h\n%f",
    "m=Message-ID: <a@b.example>|Message-ID: <%q>|message-id:|Message-ID : "
    "javascript:%q|Message-ID: <%q%*\n %q>",
    "h=%n: %v|%n: %v|%n : %v\n %v|From: A <a@b.example>|From: %0%e|Date: x|DKIM-Signature: v=1; "
    "d=b.example; h=%n:%n:From|%m|%s",
    "s=Content-Type: message/partial; number=1|Content-Type: multipart/digest|Restrict: "
    "no-external-archive|X-No-Archive: yes|Resent-From: x@y|Precedence: %v|Subject: %q",
    "n=Message-ID-Hash|X-Message-ID-Hash|Archived-At|X-Archived-At|List-Id|List-Help|List-"
    "Unsubscribe|List-Unsubscribe-Post|List-Post|List-Owner"
    "|List-Archive|list-subscribe|X-List-Sequence|X-List-Sequence-Number|X-List-ID-Hash|X-Alt-"
    "Message-ID|List-Sequence|Message-ID",
    "v=<https://x.example/%q>|<https://x.example/>, "
    "<mailto:a@b>|<mailto:x@y.example>|NO|List-Unsubscribe=One-Click|%q|72|<%p>|\r%q|",
    "q=x|..|a b/?#%%|%*|\xC3\xA4@[|%+a|\"|%q%q",
    NULL,
};

struct decision {
    const struct settings *settings;
    struct span words;
    struct envelope envelope;
    struct message message;
    struct arena arena;
    struct facts facts;
    struct decided made;
};

static void begin_transaction(struct decision *d)
{
    struct span rest = d->words, address = fuzz_value(rest, "client"), word, value;
    struct client client = {.local = address.n == 0,
                            .authenticated = fuzz_has_word(rest, "auth"),
                            .daemon_name = fuzz_value(rest, "daemon")};
    client.has_address = !client.local && trust_address_parse(address, &client.address);
    d->facts.mta_message_id = fuzz_value(rest, "msgid");
    envelope_begin(&d->envelope, d->settings, &client, fuzz_value(rest, "from"));
    while ((word = fuzz_word(&rest)).n > 0) {
        struct span behind = rest;
        struct rcpt rcpt = {.mailer = MAILER_OTHER};
        if (!fuzz_value_of(word, "to", &rcpt.argument))
            continue;
        if (fuzz_value_of(fuzz_word(&behind), "mta", &value))
            rcpt.mta_address = value;
        (void)envelope_add_recipient(&d->envelope, &rcpt);
    }
}

/* The store's word about the post. */
static void answer(void *self, struct decided *made)
{
    const struct decision *d = self;
    struct post_record *record = &made->record;
    struct span words = d->words;
    bool has_number = made->post.number_source == NUMBER_FROM_STORE;
    record->state = fuzz_has_word(words, "storefail") ? RECORD_FAILED : RECORD_KNOWN;
    record->answer.number = has_number ? fuzz_number(fuzz_value(words, "number")) : 0;
    record->answer.is_new |= fuzz_has_word(words, "next");
    record->answer.reused |= fuzz_has_word(words, "reused");
}

static const struct list *forced_list(const struct decision *d)
{
    return list_get(&d->settings->index, LIST_BY_ID, fuzz_value(d->words, "list"));
}

static void decide_about(struct decision *d, const struct settings *settings, struct span words,
                         struct span text)
{
    const struct decide_store store = {answer, d};
    memset(d, 0, sizeof *d);
    d->settings = settings;
    d->words = words;
    envelope_init(&d->envelope);
    message_init(&d->message);
    arena_init(&d->arena, 0);
    message_split(&d->message, text);
    d->facts = (struct facts){.settings = settings,
                              .envelope = &d->envelope,
                              .header = &d->message.header,
                              .arrival = 1183535398};
    begin_transaction(d);
    decide(&d->facts, forced_list(d), &store, &d->arena, &d->made);
    plan_check(&d->facts, &d->made.selection, &d->made.plan);
}

static void forget(struct decision *d)
{
    arena_free(&d->arena);
    message_free(&d->message);
    envelope_free(&d->envelope);
}

/* ---- what is printed ---- */

static void check_lines(struct span text, char first, char last)
{
    while (text.n > 0) {
        struct span line = fuzz_line(&text);
        fuzz_require_text(fuzz_is_text(line), "UTF-8 without control characters", line);
        if (first != '\0')
            fuzz_require_text(line.n > 1 && line.p[0] == first && line.p[line.n - 1] == last,
                              "one object on each line", line);
    }
}

static void check_printed(const struct decision *d)
{
    struct strbuf out = STRBUF_INIT;
    plan_print_json(&out, &d->facts, &d->made.selection, &d->made.plan);
    check_lines(strbuf_span(&out), '{', '}');
    strbuf_reset(&out);
    plan_print_text(&out, &d->facts, &d->made.selection, &d->made.plan);
    check_lines(strbuf_span(&out), '\0', '\0');
    strbuf_reset(&out);
    if (d->made.selection.role != ROLE_NONE) {
        plan_print_log(&out, &d->made.selection, &d->made.plan, d->settings->dry_run);
        fuzz_require_text(span_is_printable_ascii(strbuf_span(&out)), "a line for the log",
                          strbuf_span(&out));
    }
    strbuf_free(&out);
}

/* ---- the message afterwards ---- */

static void check_applied(struct decision *d, const struct message *after)
{
    struct edited_header expected;
    plan_check_apply(&d->message.header, &d->made.plan, &d->arena, &expected);
    fuzz_require(header_count(&after->header) == expected.count, "as many fields as planned");
    for (size_t i = 0; i < expected.count; i++) {
        struct field field = header_field(&after->header, i);
        fuzz_require_text(span_eq(field.name, expected.fields[i].name) &&
                              span_eq(fold_text(field.value, &d->arena), expected.fields[i].text),
                          "the fields of the plan, in their order", field.value);
    }
    fuzz_require_text(span_eq(span_trim(after->mbox_line), span_trim(d->message.mbox_line)),
                      "the mbox line stays", after->mbox_line);
}

/* True if the decision may depend on a field that the first one removed: List-Ids of several lists
 * (RULINGS 19, 78), of a post that a person sends on (RULINGS 114), and of a nested list (RULINGS
 * 58). */
static bool may_choose_otherwise(const struct decision *d)
{
    return d->made.selection.rule == RULE_AMBIGUOUS || d->made.selection.rule == RULE_RESENT ||
           (d->made.selection.rule == RULE_LIST_ID && d->made.selection.has_parent);
}

/* RULINGS 71, 97: fields that the first pass adds may be too many in the second. */
static bool is_too_large(const struct decision *d)
{
    const char *code = d->made.plan.reply_code;
    return d->message.header.too_large || (code != NULL && strcmp(code, "552") == 0);
}

static void check_second(const struct decision *first, struct span text)
{
    struct decision second;
    decide_about(&second, first->settings, first->words, text);
    if (!is_too_large(first) && !is_too_large(&second) && !may_choose_otherwise(first)) {
        fuzz_require(second.made.selection.role == first->made.selection.role &&
                         second.made.selection.list == first->made.selection.list,
                     "the same list the second time");
        fuzz_require(second.made.plan.action == first->made.plan.action &&
                         second.made.plan.edit_count == 0,
                     "a second pass changes nothing (RULINGS 1)");
    }
    forget(&second);
}

/* True for findings about other fields of the message, too. */
static bool depends_on_others(enum lint_rule rule)
{
    return rule == LINT_COPIES || rule == LINT_ONE_CLICK_UNSIGNED;
}

/* RULINGS 93: what mlmilter writes gets nothing but advice, except by other fields. */
static void check_linted(const struct decision *d, const struct message *after)
{
    struct lint lint;
    lint_init(&lint);
    lint_message(&lint, after);
    for (size_t i = 0; i < lint.count; i++) {
        const struct lint_finding *found = &lint.findings[i];
        if (found->place < d->made.plan.added && !depends_on_others(found->rule))
            fuzz_require_text(lint_rules[found->rule].level == LINT_ADVICE,
                              lint_rules[found->rule].name, after->fields[found->place].lines);
    }
    lint_free(&lint);
}

static void check_after(struct decision *d)
{
    struct strbuf text = STRBUF_INIT;
    struct message after;
    struct span exact;
    if (d->made.plan.action != ACTION_ACCEPT)
        return;
    apply_stream(&d->message, &d->made.plan, &text);
    exact = fuzz_own(strbuf_span(&text));
    strbuf_free(&text);
    message_init(&after);
    message_split(&after, exact);
    /* The rest of a message whose header is deleted may look like an mbox line. */
    if (d->message.mbox_line.n > 0 || after.mbox_line.n == 0) {
        if (!after.header.too_large && !d->message.header.too_large) {
            check_applied(d, &after);
            if (d->facts.mta_message_id.n == 0) /* the MTA adds it later */
                check_linted(d, &after);
        }
        check_second(d, exact);
    }
    message_free(&after);
}

/* The message with the fields above it that the words name: 5,100 of no interest at most, and 5 of
 * each owned name. */
static struct span padded(struct span words, struct span text)
{
    struct strbuf all = STRBUF_INIT;
    unsigned count = fuzz_number(fuzz_value(words, "pad"));
    unsigned forged = fuzz_number(fuzz_value(words, "forged"));
    for (unsigned i = 0; i < count && i < 5100; i++)
        strbuf_add_str(&all, "X:\n");
    for (size_t i = 0; i < owned_field_count * (forged < 5 ? forged : 5); i++)
        strbuf_addf(&all, "%s: forged\n",
                    field_name_text(owned_fields[i % owned_field_count].name));
    strbuf_add_span(&all, text);
    text = fuzz_own(strbuf_span(&all));
    strbuf_free(&all);
    return text;
}

void fuzz_input(struct span rest)
{
    const struct settings *settings = fuzz_settings(fuzz_number(fuzz_line(&rest)));
    struct span words = fuzz_own(fuzz_line(&rest));
    struct decision d;
    decide_about(&d, settings, words, padded(words, rest));
    check_printed(&d);
    check_after(&d);
    forget(&d);
}
