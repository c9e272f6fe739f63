/* plan_signatures - which DKIM-Signatures of the message cover what the plan edits (RFC 6376) */
#include "mail/fold.h"
#include "plan/plan_builder.h"
#include "spec/dkim_signature.h"
#include "text/ascii.h"

/* A message can have thousands; each note is a part of one log line. */
#define SIGNATURES_NOTED 5
#define DOMAIN_SHOWN     255

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

static int note_signature(struct builder *b, const struct edited_names *e, struct span value,
                          bool *noted)
{
    size_t signed_counts[FIELD_NAME_COUNT];
    struct strbuf names = STRBUF_INIT;
    struct span signature = span_of(NULL, 0);
    int result = fold_text(value, b->arena, &signature);

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

        result = builder_note(b, false, "the DKIM-Signature of %.*s covers what is edited: %s",
                              (int)domain.n, domain.p, strbuf_str(&names));
    }
    strbuf_free(&names);
    return result;
}

int plan_note_signatures(struct builder *b)
{
    const struct header *header = b->facts->header;
    size_t first = header_find(header, FIELD_DKIM_SIGNATURE, 0);
    struct edited_names edited = {.count = 0};
    size_t count = 0;

    if (b->plan->edit_count == 0 || first == header_count(header))
        return 0;
    for (size_t i = 0; i < b->plan->edit_count; i++)
        add_edit(&edited, b, &b->plan->edits[i]);
    for (size_t i = first; i < header_count(header) && count < SIGNATURES_NOTED;
         i = header_find(header, FIELD_DKIM_SIGNATURE, i + 1)) {
        bool noted;

        if (note_signature(b, &edited, header_field(header, i).value, &noted) != 0)
            return -1;
        count += noted ? 1 : 0;
    }
    return 0;
}
