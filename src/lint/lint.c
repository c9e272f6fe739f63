/* lint - see lint.h */
#include "lint/lint.h"

#include "lint/check_form.h"
#include "lint/check_list_fields.h"
#include "lint/check_list_id.h"
#include "lint/check_post.h"
#include "lint/check_signatures.h"

void lint_init(struct lint *lint)
{
    *lint = (struct lint){.domain = {"", 0}};
    lint_findings_init(&lint->findings);
}

void lint_free(struct lint *lint)
{
    lint_findings_free(&lint->findings);
    for (size_t i = 0; i < FIELD_NAME_COUNT; i++)
        strbuf_free(&lint->memos[i].value);
}

/* What the header's end says about what is in front of it. */
static void check_end(struct lint_context *c)
{
    const struct message *m = c->message;
    struct span rest = span_sub(m->rest, 0, 2);
    if (m->header.too_large)
        lint_find(c->findings, LINT_HEADER_UNREAD, FIELD_OTHER, LINT_NO_PLACE,
                  "is larger than %d fields or 1 MiB: only its begin was looked at",
                  HEADER_MAX_FIELDS);
    else if (rest.n > 0 && rest.p[0] != '\n' && !span_eq(rest, span_cstr("\r\n")))
        lint_find(c->findings, LINT_HEADER_CUT, FIELD_OTHER, m->field_count,
                  "ends here, as this line is neither a field nor a continuation of one");
}

static void check_field(struct lint_context *c, size_t place, enum owned_form form)
{
    switch (form) {
    case FORM_HASH:
        lint_check_hash(c, place);
        break;
    case FORM_LIST_HASH:
        lint_check_list_hash(c, place);
        break;
    case FORM_NUMBER:
        lint_check_number(c, place);
        break;
    case FORM_URI:
        lint_check_archived_at(c, place);
        break;
    case FORM_LIST_ID:
        lint_check_list_id(c, place);
        break;
    case FORM_URI_LIST:
        lint_check_list_field(c, place);
        break;
    case FORM_TEXT:
    case FORM_ONE_CLICK: /* beside List-Unsubscribe: check_signatures.c */
    case FORM_OLD_NAME:
        break;
    }
}

static void check_owned(struct lint_context *c, size_t place, const struct owned_field *owned,
                        struct lint_memo *memo)
{
    struct field field = header_field(&c->message->header, place);
    size_t from;
    lint_check_form(c, place);
    from = c->findings->count;
    if (lint_memo_replay(memo, c->findings, &field, place))
        return;
    check_field(c, place, owned->form);
    if (owned->form == FORM_URI_LIST) /* what is found in it depends on its value alone */
        lint_memo_keep(memo, c->findings, &field, from);
}

static void check_all(struct lint_context *c, struct lint_memo *memos)
{
    const struct header *header = &c->message->header;
    lint_check_message_id(c);
    lint_check_copies(c);
    for (size_t i = 0; i < header_whole_count(header); i++) {
        enum field_name name = header_field(header, i).id;
        const struct owned_field *owned = owned_field_find(name);
        if (owned != NULL)
            check_owned(c, i, owned, &memos[name]);
    }
    lint_check_archived_ats(c);
    lint_check_list_id_missing(c);
    lint_check_unsubscribe(c);
    /* What is not there may be among what was not kept. */
    if (!header->too_large)
        lint_check_signatures(c);
    check_end(c);
}

int lint_message(struct lint *lint, const struct message *m)
{
    struct lint_context c = {
        .findings = &lint->findings,
        .message = m,
        .arena = &lint->findings.arena,
        .domain = lint->domain,
    };
    lint_findings_reset(&lint->findings);
    lint_context_fill(&c);
    lint->id = c.id;
    check_all(&c, lint->memos);
    lint_findings_sort(&lint->findings);
    return lint->findings.out_of_memory ? -1 : 0;
}
