/* permalink - see permalink.h */
#include "ctl/permalink.h"

#include "config/lists/list.h"
#include "spec/iri.h"

#include <string.h>

int permalink_compile(const struct options *o, bool is_to, uint64_t allowed,
                      const struct token_names *tokens, struct span archive, struct arena *arena,
                      struct template *out)
{
    const char *given = is_to ? o->to : o->template_text;
    const char *text = given != NULL ? given
                       : is_to       ? "{message_id}"
                                     : "{archive}/{message_id_hash}";
    struct variable_values known = {.set = archive.p != NULL ? VAR_BIT(VAR_ARCHIVE) : 0};
    bool is_path = is_to && *text != '\0' && strstr(text, "://") == NULL;
    struct span uri = span_cstr(text);
    struct strbuf whole = STRBUF_INIT, sample = STRBUF_INIT;
    const char *fault = is_path ? NULL : iri_to_uri(uri, arena, &uri);
    known.text[VAR_ARCHIVE] = archive;
    strbuf_add_str(&whole, is_path ? "https://host.example/" : "");
    strbuf_add_span(&whole, uri);
    if (fault == NULL)
        fault = template_compile(strbuf_span(&whole), TEMPLATE_URI, allowed, tokens, arena, out);
    if (fault == NULL)
        fault = template_try(out, &known, "1", &sample);
    if (fault == NULL && is_path)
        fault = template_compile(uri, TEMPLATE_URI, allowed, tokens, arena, out);
    strbuf_free(&whole);
    strbuf_free(&sample);
    if (fault != NULL)
        report_error("--%s \"%s\": %s", is_to ? "to" : "template", text, fault);
    return fault != NULL ? EX_USAGE : EX_OK;
}

enum permalink_result permalink_add(const struct template *t, const struct message_source *source,
                                    struct variable_values values, struct arena *arena,
                                    struct strbuf *out, enum variable *missing)
{
    if (source->list != NULL)
        list_variables(source->list, &values);
    if (source->list != NULL && (values.set & VAR_BIT(VAR_ARCHIVE)) == 0)
        list_set_archive(source->list, arena, &values);
    message_values(source, t->needs, arena, &values);
    *missing = template_expand(t, &values, out);
    if (*missing == VAR_COUNT)
        return PERMALINK_MADE;
    return (values.set & VAR_BIT(*missing)) == 0 ? PERMALINK_NO_VALUE : PERMALINK_ELSEWHERE;
}
