/*
 * Checks what lint finds in any message: each finding is about a field of the message or a missing
 * one, in the order of the message; a second pass and CRLF find no other (RULINGS 93). fuzz_plan
 * checks that a field which mlmilter writes gets nothing but advice.
 *
 * Input: a message; in front of it there may be a line with words: domain=DOMAIN, the list's;
 * pad=N: so many fields stand above the message's, which are then beyond what is kept (RULINGS 71).
 */
#include "fuzz.h"

#include "lint/lint.h"

#define PAD_MAX 6000

const char *const fuzz_grammar[] = {
    "S=%d%h\nbody|%h|%d%h%h",
    "d=|domain=example.org\n|domain=b.c pad=%p\n|pad=%p\n|domain=%*\n",
    "p=10|4995|4998|4999|6000",
    "h=%f|%f%f%h|%f%f%f%f%h",
    "f=%n: %v%e|List-Id: %i%e|%u: <%a>, <%a>%e|Message-ID: <%x@%x>%e|Archived-At: "
    "<%a/%H>%e|%g%e|%n :%v%e|%*%e",
    "e=\n|\n|\n|\r\n|\n \n|",
    "n=Message-ID|message-id|Message-ID-Hash|X-Message-ID-Hash|Archived-At|X-Archived-At|List-"
    "Sequence|X-List-ID-Hash"
    "|X-List-Sequence|Restrict|Archive|Content-Type|X-Original-Message-ID|To|%u",
    "u=List-Help|List-Unsubscribe|List-Unsubscribe-Post|List-Post|List-Owner|List-Archive|List-"
    "Subscribe|list-post",
    "i=<a.b.c>|A <a.example.org>|A, b <a>|\"A\" < a.b>|=?UTF-8?B?w6Q=?= <x.localhost>|%x <%x.%x> "
    "%x|(%x) <a.b>",
    "a=mailto:u@b.c|https://b.c/u|http://b/|javascript:x|{archive}|mailto:a|https://b /|%x|<%a",
    "g=DKIM-Signature: d=example.org; h=from:%u:list-id|From: %x@b.c|Date: Wed, 4 Jul 2007 "
    "16:49:58 +0900"
    "|List-Unsubscribe-Post: List-Unsubscribe=One-Click|Subject: %x",
    "H=ABCDEFGHIJKLMNOPQRSTUVWXYZ234567|3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ|x",
    "v=%x|NO|no (x)|%H|<%a> %x|yes|no-external-archive|7|multipart/digest|message/partial|",
    "x=a|%*|%x%x|\xC3\xA4|(|)|\"|<|>|%+x|,|\n |\r\n\t",
    NULL,
};

struct linted {
    struct lint lint;
    struct message message;
    struct span text;
};

static void lint_begin(struct linted *l, struct span domain, struct span text)
{
    lint_init(&l->lint);
    message_init(&l->message);
    l->lint.domain = domain;
    l->text = text;
    message_split(&l->message, text);
    lint_message(&l->lint, &l->message);
}

static void lint_end(struct linted *l)
{
    message_free(&l->message);
    lint_free(&l->lint);
}

static struct span name_of(const struct lint_finding *finding)
{
    return span_cstr(lint_rules[finding->rule].name);
}

static void check_place(const struct linted *l, const struct lint_finding *finding)
{
    const struct message *m = &l->message;
    bool is_cut = finding->rule == LINT_HEADER_CUT;
    bool is_about_several =
        finding->rule == LINT_DKIM_MISSING || finding->rule == LINT_DKIM_UNCOVERED;
    if (finding->place == LINT_NO_PLACE) {
        fuzz_require_text(is_about_several || header_count_of(&m->header, finding->field) == 0,
                          "a missing field", name_of(finding));
        fuzz_require_text(!m->header.too_large, "no field is missing in a header that was cut",
                          name_of(finding));
        return;
    }
    fuzz_require_text((finding->place == header_count(&m->header)) == is_cut,
                      "the end of the header is after the fields", name_of(finding));
    fuzz_require_text(finding->place <= m->field_count, "a place in the header", name_of(finding));
    fuzz_require_text(is_cut || m->fields[finding->place].id == finding->field,
                      "the field is at its place", name_of(finding));
}

static void check_each(const struct linted *l)
{
    struct arena arena;
    for (size_t i = 0; i < l->lint.count; i++) {
        const struct lint_finding *finding = &l->lint.findings[i];
        fuzz_require(finding->rule < LINT_RULE_COUNT, "a rule of the table");
        fuzz_require_text(finding->clause != NULL, "a clause", name_of(finding));
        check_place(l, finding);
        fuzz_require(i == 0 || finding[-1].place <= finding->place, "sorted by place");
    }
    arena_init(&arena, 0);
    struct span id = message_first(l->text, FIELD_MESSAGE_ID, &arena);
    fuzz_require_text((id.p == NULL) == (l->lint.id.p == NULL) && span_eq(id, l->lint.id),
                      "the first Message-ID", l->lint.id);
    arena_free(&arena);
}

static void check_equal(const struct linted *a, const struct linted *b, const char *what)
{
    for (size_t i = 0; i < a->lint.count || i < b->lint.count; i++) {
        const struct lint_finding *one = &a->lint.findings[i], *other = &b->lint.findings[i];
        fuzz_require_text(i < a->lint.count, what, name_of(other));
        fuzz_require_text(i < b->lint.count, what, name_of(one));
        fuzz_require_text(one->rule == other->rule && one->field == other->field &&
                              one->place == other->place && span_eq(one->shown, other->shown),
                          what, name_of(one));
    }
}

/* Two passes find what one finds; so does one with CRLF at the end of each line. */
static void check_again(struct linted *l, struct span domain)
{
    struct strbuf text = STRBUF_INIT;
    bool has_cr = span_find(l->text, '\r') < l->text.n;
    struct linted other;
    for (size_t i = 0; i < l->text.n; i++) {
        if (l->text.p[i] == '\n' && !has_cr)
            strbuf_add_char(&text, '\r');
        strbuf_add_char(&text, l->text.p[i]);
    }
    lint_begin(&other, domain, strbuf_span(&text));
    lint_message(&other.lint, &other.message);
    check_each(&other);
    check_equal(l, &other, "equal in a second pass, and with CRLF");
    lint_end(&other);
    strbuf_free(&text);
}

/* Takes the words of the first line, if it has any; *pad is a text of so many fields. */
static struct span take_words(struct span *rest, struct strbuf *pad)
{
    struct span after = *rest, line = fuzz_line(&after);
    if (!span_starts_nocase(line, span_cstr("domain=")) &&
        !span_starts_nocase(line, span_cstr("pad=")))
        return span_of("", 0);
    *rest = after;
    unsigned count = fuzz_number(fuzz_value(line, "pad"));
    for (unsigned i = 0; i < count && i < PAD_MAX; i++)
        strbuf_add_str(pad, "X: y\n");
    return fuzz_value(line, "domain");
}

void fuzz_input(struct span rest)
{
    struct strbuf text = STRBUF_INIT;
    struct span domain = fuzz_own(take_words(&rest, &text));
    struct linted l;
    strbuf_add_span(&text, rest);
    lint_begin(&l, domain, fuzz_own(strbuf_span(&text)));
    check_each(&l);
    check_again(&l, domain);
    lint_end(&l);
    strbuf_free(&text);
}
