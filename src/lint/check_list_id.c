/* check_list_id - see check_list_id.h */
#include "lint/check_list_id.h"

#include "mail/address.h"
#include "spec/list_fields.h"
#include "spec/list_id.h"
#include "spec/mailbox.h"
#include "spec/phrase.h"

static void find(struct lint_context *c, enum lint_rule rule, size_t place, const char *text)
{
    lint_find(c->findings, rule, FIELD_LIST_ID, place, "%s", text);
}

/* What to write instead, if that is an id. */
static void suggest(struct lint_context *c, struct span id)
{
    if (list_id_fault(id) == NULL)
        lint_instead(c->findings, "\"<%.*s>\"", (int)id.n, id.p);
}

/* What stands before and behind the brackets. */
static void check_around(struct lint_context *c, size_t place, const struct list_id_parts *parts)
{
    if (span_trim(parts->behind).n > 0)
        find(c, LINT_LIST_ID_OUTSIDE, place, "has text after its id");
    if (span_trim(parts->before).n == 0) {
        find(c, LINT_LIST_ID_DESCRIPTION, place,
             "has no description, which mail programs show as the list's name");
        return;
    }
    switch (phrase_check(parts->before)) {
    case PHRASE_FINE:
        break;
    case PHRASE_HAS_COMMENT:
        find(c, LINT_LIST_ID_OUTSIDE, place, "has a comment in parentheses");
        break;
    case PHRASE_HAS_SPECIAL:
    case PHRASE_IS_OPEN: /* not in front of a bracket: list_id_split then finds none */
        find(c, LINT_LIST_ID_PHRASE, place,
             "has one of the characters ) < > [ ] : ; @ \\ , outside of quotation marks");
        break;
    }
}

/* That of the first address that posts are sent to, or empty. */
static struct span post_domain(struct lint_context *c)
{
    struct cursor cursor = cursor_of(lint_first(c, FIELD_LIST_POST));
    struct span uri, domain = {"", 0};
    bool first = true;
    while (domain.n == 0 && list_field_next_uri(&cursor, &first, c->arena, &uri))
        domain = address_domain(mailbox_of_mailto(uri, c->arena));
    return domain;
}

/* LI-03, as far as the message tells. An unmanaged id is in no domain. */
static void check_authority(struct lint_context *c, size_t place, struct span id)
{
    struct span domain = c->domain.n > 0 ? c->domain : post_domain(c);
    struct span space = list_id_namespace(id);
    if (domain.n == 0 || address_domain_is_within(space, domain) ||
        address_domain_is_within(space, span_cstr("localhost")))
        return;
    lint_find(c->findings, LINT_LIST_ID_AUTHORITY, FIELD_LIST_ID, place,
              "has an id in %.*s, but the list is at %.*s", (int)space.n, space.p,
              lint_quoted(domain), domain.p);
}

/* What stands within the brackets of the text. */
static void check_inside(struct lint_context *c, size_t place, struct span text, struct span inside)
{
    struct span id;
    const char *fault;
    if (!list_id_read(text, c->arena, &id)) {
        find(c, LINT_LIST_ID_NO_ID, place, "has nothing in its angle brackets");
        return;
    }
    if (id.n < inside.n) {
        find(c, LINT_LIST_ID_SPACE, place, "has white space, or a fold, within its angle brackets");
        suggest(c, id);
    }
    fault = list_id_fault(id);
    if (fault != NULL) {
        lint_find(c->findings, LINT_LIST_ID_FORM, FIELD_LIST_ID, place,
                  "has the id \"%.*s\", which %s", lint_quoted(id), id.p, fault);
        if (id.n > LIST_ID_MAX)
            lint_cite(c->findings, "LI-02");
        return;
    }
    if (list_id_lacks_randomness(id))
        find(c, LINT_LIST_ID_RANDOM, place,
             "has an id below \"localhost\" that another list may have, too");
    if (place == lint_place_of(c, FIELD_LIST_ID)) /* the one that counts */
        check_authority(c, place, id);
}

void lint_check_list_id(struct lint_context *c, size_t place)
{
    struct span text = lint_text(c, place);
    struct list_id_parts parts;
    if (!list_id_split(text, &parts)) {
        find(c, LINT_LIST_ID_NO_ID, place,
             span_find(text, '<') < text.n
                 ? "has a quotation mark, a parenthesis or a bracket without its pair, so "
                   "programs find no id"
                 : "has no id in angle brackets, so nobody finds one");
        suggest(c, text);
        return;
    }
    check_around(c, place, &parts);
    check_inside(c, place, text, parts.inside);
}

void lint_check_list_id_missing(struct lint_context *c)
{
    const struct header *header = &c->message->header;
    if (header_count_of(header, FIELD_LIST_ID) == 0 && !header->too_large)
        find(c, LINT_LIST_ID_MISSING, LINT_NO_PLACE,
             "is missing: mail programs cannot tell that this is a list's mail, or which list's");
}
