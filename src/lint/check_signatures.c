/* check_signatures - see check_signatures.h */
#include "lint/check_signatures.h"

#include "mail/address.h"
#include "spec/dkim_signature.h"
#include "spec/list_fields.h"
#include "spec/list_id.h"
#include "spec/mailbox.h"
#include "text/strbuf.h"

/* ---- one click ------------------------------------------------------------------------------- */

static void count_web_items(struct lint_context *c, struct web_items *web)
{
    struct cursor cursor = cursor_of(lint_first(c, FIELD_LIST_UNSUBSCRIBE));
    struct span uri;
    bool first = true;
    while (list_field_next_uri(&cursor, &first, c->arena, &uri))
        web_items_count(web, uri);
}

static void check_pair(struct lint_context *c, size_t place)
{
    struct web_items web = {0, 0};
    if (!span_eq_nocase(lint_text(c, place), span_cstr(LIST_FIELDS_ONE_CLICK)))
        lint_find(c->findings, LINT_ONE_CLICK_VALUE, FIELD_LIST_UNSUBSCRIBE_POST, place,
                  "has a value that no mail program knows");
    count_web_items(c, &web);
    if (web_items_allow_one_click(&web) || c->message->header.too_large)
        return;
    lint_find(c->findings, LINT_ONE_CLICK_HTTPS, FIELD_LIST_UNSUBSCRIBE_POST, place,
              "stands beside a List-Unsubscribe with %zu https: and %zu http: URIs", web.https,
              web.http);
}

void lint_check_unsubscribe(struct lint_context *c)
{
    size_t place = lint_place_of(c, FIELD_LIST_UNSUBSCRIBE);
    size_t post = lint_place_of(c, FIELD_LIST_UNSUBSCRIBE_POST);
    if (post != LINT_NO_PLACE)
        check_pair(c, post);
    if (c->message->header.too_large)
        return; /* what is not there may be among what was not kept */
    if (post == LINT_NO_PLACE && place != LINT_NO_PLACE)
        lint_find(c->findings, LINT_ONE_CLICK_MISSING, FIELD_LIST_UNSUBSCRIBE_POST, LINT_NO_PLACE,
                  "is missing: mail programs show no one-click button");
    if (place == LINT_NO_PLACE && lint_is_list_mail(c))
        lint_find(c->findings, LINT_UNSUBSCRIBE_MISSING, FIELD_LIST_UNSUBSCRIBE, LINT_NO_PLACE,
                  "is missing: people who want to leave report the mail as spam instead");
}

/* ---- signatures ------------------------------------------------------------------------------ */

/* What the signatures of the message are worth to its list and its author. */
struct signers {
    struct span list; /* domains; empty: not known */
    struct span author;
    size_t of_list;
    bool list_covers_pair;   /* one of the list's covers both fields of one-click */
    bool anyone_covers_pair; /* one of whatever domain does */
    bool of_author;
    size_t covered[FIELD_NAME_COUNT]; /* by all of the list's together */
};

static void take_signature(struct signers *s, struct span signature)
{
    size_t counts[FIELD_NAME_COUNT];
    struct span domain = dkim_domain(signature);
    bool covers_pair;
    dkim_signed_counts(signature, counts);
    covers_pair = counts[FIELD_LIST_UNSUBSCRIBE] > 0 && counts[FIELD_LIST_UNSUBSCRIBE_POST] > 0;
    s->anyone_covers_pair = s->anyone_covers_pair || covers_pair;
    s->of_author = s->of_author || dkim_is_aligned(domain, s->author);
    if (!dkim_is_aligned(domain, s->list))
        return;
    s->of_list++;
    s->list_covers_pair = s->list_covers_pair || covers_pair;
    for (size_t i = 0; i < FIELD_NAME_COUNT; i++)
        s->covered[i] += counts[i];
}

/* The list fields of the message that none of the list's signatures covers. */
static void find_uncovered(struct lint_context *c, const struct signers *s)
{
    struct strbuf names = STRBUF_INIT;
    for (size_t i = 0; i < owned_field_count; i++) {
        enum field_name name = owned_fields[i].name;
        if (header_count_of(&c->message->header, name) == 0 || s->covered[name] > 0 ||
            owned_fields[i].form == FORM_OLD_NAME)
            continue;
        strbuf_addf(&names, "%s%s", names.len > 0 ? ", " : "", field_name_text(name));
    }
    if (names.len > 0)
        lint_find(c->findings, LINT_DKIM_UNCOVERED, FIELD_DKIM_SIGNATURE, LINT_NO_PLACE,
                  "of the list does not cover %s: anybody can change them on the way",
                  strbuf_str(&names));
    c->findings->out_of_memory = c->findings->out_of_memory || strbuf_failed(&names);
    strbuf_free(&names);
}

static void check_list_signatures(struct lint_context *c, const struct signers *s)
{
    size_t post = lint_place_of(c, FIELD_LIST_UNSUBSCRIBE_POST);
    bool needs_one = post != LINT_NO_PLACE && !s->anyone_covers_pair;
    if (s->list.n == 0)
        return;
    if (s->of_list == 0) {
        lint_find(c->findings, LINT_DKIM_MISSING, FIELD_DKIM_SIGNATURE, LINT_NO_PLACE,
                  "of %.*s is missing: %s", lint_quoted(s->list), s->list.p,
                  needs_one ? "mail programs show no one-click button without it"
                            : "large providers ask for one");
        if (!needs_one)
            lint_cite(c->findings, "RULINGS 93");
        return;
    }
    if (post != LINT_NO_PLACE && !s->list_covers_pair)
        lint_find(c->findings, LINT_ONE_CLICK_UNSIGNED, FIELD_LIST_UNSUBSCRIBE_POST, post,
                  "is not covered, together with List-Unsubscribe, by a signature of %.*s",
                  lint_quoted(s->list), s->list.p);
    find_uncovered(c, s);
}

/* The domain that must have signed (RULINGS 93). Nobody signs for the name space "localhost", or
 * for a whole top-level domain. */
static struct span list_domain(const struct lint_context *c)
{
    struct span space = list_id_namespace(c->list_id);
    bool is_nobodys =
        span_find(space, '.') == space.n || address_domain_is_within(space, span_cstr("localhost"));
    if (c->domain.n > 0)
        return c->domain;
    return is_nobodys ? span_of("", 0) : space;
}

void lint_check_signatures(struct lint_context *c)
{
    const struct header *header = &c->message->header;
    struct signers s = {.list = list_domain(c), .author = {"", 0}};
    struct span from = lint_first(c, FIELD_FROM);
    if (from.p != NULL)
        s.author = mailbox_author_domain(from, c->arena);
    for (size_t i = header_find(header, FIELD_DKIM_SIGNATURE, 0); i < header_whole_count(header);
         i = header_find(header, FIELD_DKIM_SIGNATURE, i + 1))
        take_signature(&s, lint_text(c, i));
    check_list_signatures(c, &s);
    if (s.author.n > 0 && !s.of_author && lint_is_list_mail(c))
        lint_find(
            c->findings, LINT_FROM_UNSIGNED, FIELD_FROM, lint_place_of(c, FIELD_FROM),
            "is at %.*s, for which no DKIM signature speaks: DMARC has the envelope sender alone",
            lint_quoted(s.author), s.author.p);
}
