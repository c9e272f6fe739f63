/* plan_signatures - which DKIM-Signatures of the message cover what the plan edits (RFC 6376), and
 * what is not added for their sake (RULINGS 83) */
#include "plan/plan_signatures.h"

#include "mail/address.h"
#include "mail/fold.h"
#include "spec/dkim_signature.h"
#include "spec/mailbox.h"
#include "spec/owned_fields.h"
#include "text/ascii.h"

/* A message can have thousands; each note is a part of one log line. */
#define SIGNATURES_NOTED 5
#define DOMAIN_SHOWN     255

/* The domain of the first address in From; empty: none. */
static int author_domain(const struct builder *b, struct span *domain)
{
    struct span from;
    from = facts_first(b->facts, FIELD_FROM, b->arena);
    *domain = mailbox_author_domain(from, b->arena);
    return 0;
}

/* What the message has none of although the signature names it: there is to be none. */
static uint64_t oversigned_names(const struct builder *b, struct span signature)
{
    size_t signed_counts[FIELD_NAME_COUNT];
    uint64_t names = 0;
    dkim_signed_counts(signature, signed_counts);
    for (size_t i = 0; i < owned_field_count; i++) {
        enum field_name name = owned_fields[i].name;
        if (signed_counts[name] > 0 && header_count_of(b->facts->header, name) == 0)
            names |= FIELD_BIT(name);
    }
    return names;
}

int plan_spare_signed(struct builder *b)
{
    const struct header *header = b->facts->header;
    struct span author;
    if (b->list->oversigned != OVERSIGNED_SPARE ||
        header_count_of(header, FIELD_DKIM_SIGNATURE) == 0)
        return 0;
    if (author_domain(b, &author) != 0)
        return -1;
    for (size_t i = header_find(header, FIELD_DKIM_SIGNATURE, 0); i < header_count(header);
         i = header_find(header, FIELD_DKIM_SIGNATURE, i + 1)) {
        struct span signature = fold_text(header_field(header, i).value, b->arena);
        if (dkim_is_aligned(dkim_domain(signature), author))
            b->spared |= oversigned_names(b, signature);
    }
    return 0;
}

/* What happens to the fields of one name. */
struct edited {
    enum field_name name;
    size_t total; /* in the message as received */
    /* A signature that names the field so often covers an edit. Signers count fields of one name
     * from the bottom (5.4.2): the lowest of the deleted fields is the first to be covered, and a
     * new one is when the signature says that there is none beside those that stay. */
    size_t covered_from;
};

struct edited_names {
    struct edited names[FIELD_NAME_COUNT];
    size_t count;
};

static void add_edit(struct edited_names *e, const struct builder *b, const struct edit *edit)
{
    struct edited *names = e->names;
    size_t i = 0;
    while (i < e->count && names[i].name != edit->name)
        i++;
    if (i == e->count) {
        size_t total = header_count_of(b->facts->header, edit->name);
        /* An insertion where nothing is deleted. */
        names[e->count++] = (struct edited){edit->name, total, total + 1};
    }
    if (edit->op == EDIT_DELETE && names[i].total - edit->index + 1 < names[i].covered_from)
        names[i].covered_from = names[i].total - edit->index + 1;
}

/* The signer's domain, if it can be shown. */
static struct span shown_domain(struct span signature)
{
    struct span domain = dkim_domain(signature);
    bool is_plain = domain.n > 0 && domain.n <= DOMAIN_SHOWN;
    for (size_t i = 0; is_plain && i < domain.n; i++) {
        char c = ascii_lower(domain.p[i]);
        is_plain = (c >= 'a' && c <= 'z') || ascii_is_digit(c) || c == '.' || c == '-' || c == '_';
    }
    return is_plain ? domain : span_cstr("an unreadable domain");
}

static int note_signature(struct builder *b, const struct edited_names *e,
                          const struct field *field, bool *noted)
{
    size_t signed_counts[FIELD_NAME_COUNT];
    struct strbuf names = STRBUF_INIT;
    struct span signature = fold_text(field->value, b->arena);
    int result = 0;
    dkim_signed_counts(signature, signed_counts);
    for (size_t i = 0; i < e->count; i++) {
        if (signed_counts[e->names[i].name] < e->names[i].covered_from)
            continue;
        strbuf_add_str(&names, names.len > 0 ? ", " : "");
        strbuf_add_str(&names, field_name_text(e->names[i].name));
    }
    *noted = names.len > 0;
    if (strbuf_failed(&names))
        result = -1;
    if (result == 0 && *noted) {
        struct span domain = shown_domain(signature);
        result =
            builder_note(b, false, "the %s of %.*s covers what is edited: %s",
                         field_name_text(field->id), (int)domain.n, domain.p, strbuf_str(&names));
    }
    strbuf_free(&names);
    return result;
}

int plan_note_signatures(struct builder *b)
{
    const struct header *header = b->facts->header;
    struct edited_names edited = {.count = 0};
    size_t signatures = header_count_of(header, FIELD_DKIM_SIGNATURE) +
                        header_count_of(header, FIELD_ARC_MESSAGE_SIGNATURE);
    size_t noted = 0;
    if (b->plan->edit_count == 0 || signatures == 0)
        return 0;
    for (size_t i = 0; i < b->plan->edit_count; i++)
        add_edit(&edited, b, &b->plan->edits[i]);
    for (size_t i = 0; i < header_count(header) && noted < SIGNATURES_NOTED; i++) {
        struct field field = header_field(header, i);
        bool covers = false;
        if ((field.id == FIELD_DKIM_SIGNATURE || field.id == FIELD_ARC_MESSAGE_SIGNATURE) &&
            note_signature(b, &edited, &field, &covers) != 0)
            return -1;
        noted += covers ? 1 : 0;
    }
    return 0;
}
