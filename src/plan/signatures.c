/* signatures - see edits.h: DKIM and ARC signatures over fields that the plan edits */
#include "plan/edits.h"

#include "spec/dkim_signature.h"
#include "spec/mailbox.h"

/* A message can have thousands of signatures; each note is a part of one log line. */
#define SIGNATURES_NOTED 5
#define DOMAIN_SHOWN     255

void signatures_forbid(struct build *b)
{
    const struct header *header = b->facts->header;
    size_t counts[FIELD_NAME_COUNT], i = header_find(header, FIELD_DKIM_SIGNATURE, 0);
    if (b->list->oversigned != OVERSIGNED_SPARE || i == header_count(header))
        return;
    struct span author =
        mailbox_author_domain(header_first(header, FIELD_FROM, b->arena), b->arena);
    for (; i < header_count(header); i = header_find(header, FIELD_DKIM_SIGNATURE, i + 1)) {
        struct span signature = header_text(header, i, b->arena);
        if (!dkim_is_aligned(dkim_domain(signature), author))
            continue;
        dkim_signed_counts(signature, counts);
        for (int name = 0; name < FIELD_NAME_COUNT; name++) /* it signs the absence */
            if (counts[name] > 0 && header_count_of(header, (enum field_name)name) == 0)
                b->forbidden |= FIELD_BIT(name);
    }
}

/* Lists the edited names that a signature with these counts covers. Signers count the fields of a
 * name from the bottom (5.4.2), so its lowest deletion decides, which is its first edit. Without
 * one an insertion is covered if the signature counts more fields than there are. */
static const char *list_covered(const struct build *b, const size_t counts[FIELD_NAME_COUNT])
{
    struct strbuf names = STRBUF_INIT;
    uint64_t seen = 0;
    for (size_t i = 0; i < b->plan->edit_count; i++) {
        const struct edit *edit = &b->plan->edits[i];
        size_t total = header_count_of(b->facts->header, edit->name);
        size_t from_bottom = total + 1 - (edit->op == EDIT_DELETE ? edit->index : 0);
        if ((seen & FIELD_BIT(edit->name)) == 0 && counts[edit->name] >= from_bottom)
            strbuf_addf(&names, "%s%s", names.len > 0 ? ", " : "", field_name_text(edit->name));
        seen |= FIELD_BIT(edit->name);
    }
    return strbuf_keep(&names, b->arena);
}

void signatures_note(struct build *b)
{
    const struct header *header = b->facts->header;
    size_t noted = 0, counts[FIELD_NAME_COUNT];
    for (size_t i = 0; i < header_count(header) && noted < SIGNATURES_NOTED; i++) {
        enum field_name name = header_field(header, i).id;
        if (name != FIELD_DKIM_SIGNATURE && name != FIELD_ARC_MESSAGE_SIGNATURE)
            continue;
        struct span signature = header_text(header, i, b->arena);
        struct span domain = span_sub(dkim_domain(signature), 0, DOMAIN_SHOWN);
        if (domain.n == 0)
            domain = span_cstr("no domain");
        dkim_signed_counts(signature, counts);
        const char *covered = list_covered(b, counts);
        if (covered[0] == '\0')
            continue;
        noted++;
        notes_add(b, false, "the %s of %.*s covers edited fields: %s", field_name_text(name),
                  (int)domain.n, domain.p, covered);
    }
}
