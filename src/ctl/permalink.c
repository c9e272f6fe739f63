/* permalink - see permalink.h */
#include "ctl/permalink.h"

#include "mail/message.h"
#include "plan/post.h"
#include "spec/iri.h"
#include "text/number.h"

#include <string.h>

/* Returns NULL and *out, or the fault. */
static const char *compile(struct span text, uint64_t allowed, const struct token_names *tokens,
                           const struct variable_values *known, struct arena *arena,
                           struct template *out)
{
    struct strbuf uri = STRBUF_INIT;
    const char *fault = template_compile(text, TEMPLATE_URI, allowed, tokens, arena, out);
    if (fault == NULL)
        fault = template_try(out, known, "1", &uri);
    strbuf_free(&uri);
    return fault;
}

const char *permalink_compile(const char *text, bool may_be_path, uint64_t allowed,
                              const struct token_names *tokens, const struct variable_values *known,
                              struct arena *arena, struct template *out)
{
    bool is_path = may_be_path && *text != '\0' && strstr(text, "://") == NULL;
    struct span uri = span_cstr(text);
    struct strbuf whole = STRBUF_INIT;
    const char *fault;
    if (!is_path) {
        fault = iri_to_uri(uri, arena, &uri);
        return fault != NULL ? fault : compile(uri, allowed, tokens, known, arena, out);
    }
    strbuf_addf(&whole, "https://host.example/%s", text);
    fault = compile(strbuf_span(&whole), allowed, tokens, known, arena, out);
    strbuf_free(&whole);
    return fault != NULL ? fault : template_compile(uri, TEMPLATE_URI, allowed, tokens, arena, out);
}

void permalink_read_source(struct message_source *source, const struct header *header,
                           struct arena *arena)
{
    static const enum field_name names[] = {FIELD_X_LIST_SEQUENCE, FIELD_X_LIST_SEQUENCE_NUMBER};
    source->header = header;
    source->id_text = header_first(header, FIELD_MESSAGE_ID, arena);
    source->date_text = header_first(header, FIELD_DATE, arena);
    for (size_t i = 0; i < sizeof names / sizeof names[0] && source->number == 0; i++)
        (void)number_parse(header_first(header, names[i], arena), POST_NUMBER_MAX, &source->number);
}

int permalink_add(const struct template *t, const struct message_source *source,
                  struct variable_values values, struct arena *arena, struct strbuf *out,
                  enum variable *missing)
{
    message_values(source, t->needs, arena, &values);
    *missing = template_expand(t, &values, out);
    if (*missing == VAR_COUNT)
        return 0;
    return (values.set & VAR_BIT(*missing)) == 0 ? 1 : 2;
}
