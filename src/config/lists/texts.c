/* texts - compiles entries, and finds errors that depend on no list's values */
#include "config/lists/new_list.h"
#include "spec/iri.h"

enum command_kind command_kind_of(struct span *text)
{
    *text = span_trim(*text);
    bool is_from = span_starts_nocase(*text, span_cstr("from:"));
    bool is_always = span_starts_nocase(*text, span_cstr("always:"));
    *text = span_sub(*text, is_from || is_always ? span_find(*text, ':') + 1 : 0, text->n);
    return is_from ? COMMAND_FROM : is_always ? COMMAND_ALWAYS : COMMAND_PLAIN;
}

struct compiler {
    const struct section *section;
    const struct token_names *names;
    struct arena *kept;
    struct arena *arena; /* for templates that posts do not need */
};

/* Returns the fault that is a phrase of spec/, or none. */
static struct fault template_fault(const char *phrase)
{
    return (struct fault){phrase != NULL ? ERROR_TEMPLATE : REMARK_NONE, phrase};
}

static struct fault compile(const struct compiler *c, enum key key, struct span text,
                            enum template_kind kind, struct template *out)
{
    bool is_kept = key == KEY_ARCHIVED_AT || schema[key].field != FIELD_OTHER;
    return template_fault(template_compile(text, kind, schema[key].variables, c->names,
                                           is_kept ? c->kept : c->arena, out));
}

/* Compiles a URI, which may be an IRI (RULINGS 51). */
static struct fault compile_uri(const struct compiler *c, enum key key, struct span text,
                                struct list_text *out)
{
    struct span uri;
    const char *phrase = iri_to_uri(text, c->arena, &uri);
    return phrase != NULL ? template_fault(phrase) : compile(c, key, uri, TEMPLATE_URI, &out->text);
}

/* Returns what is wrong with the parts of an item, or REMARK_NONE. */
static enum remark item_fault(const struct list_item *parts, enum key key, bool is_alone)
{
    if (key == KEY_POST && schema_bool(parts->uri) >= 0)
        return ERROR_POST_BOOLEAN;
    if (parts->is_no && key != KEY_POST)
        return ERROR_NO_IN_OTHER;
    if (parts->is_no && !is_alone)
        return ERROR_NO_WITH_OTHERS;
    if (parts->is_no || parts->uri.n > 0)
        return REMARK_NONE;
    return parts->before.n > 0 ? ERROR_COMMENT_ALONE : ERROR_URI_EMPTY;
}

/* item = [ comment *WSP ] ( URI / "NO" ) [ 1*WSP comment ]     (RULINGS 35, 85) */
static struct fault compile_item(const struct compiler *c, const struct entry *entry,
                                 struct list_text *out)
{
    const struct sources own = {{c->section}};
    struct list_item parts;
    const char *phrase = list_item_split(entry->text, &parts);
    if (phrase != NULL && span_find(entry->text, ',') < span_find(entry->text, ' '))
        return (struct fault){ERROR_SEVERAL_URIS, NULL};
    if (phrase != NULL)
        return template_fault(phrase);
    struct fault fault = {item_fault(&parts, entry->key, value_of(&own, entry->key).count == 1),
                          NULL};
    if (fault.remark == REMARK_NONE)
        fault = compile_uri(c, entry->key, parts.uri, out);
    if (fault.remark != REMARK_NONE || (parts.before.n == 0 && parts.comment.n == 0))
        return fault;
    struct template *comments = arena_calloc(c->kept, 2, sizeof *comments);
    out->comments = comments;
    fault = compile(c, entry->key, parts.before, TEMPLATE_TEXT, &comments[0]);
    return fault.remark != REMARK_NONE
               ? fault
               : compile(c, entry->key, parts.comment, TEMPLATE_TEXT, &comments[1]);
}

static struct fault compile_entry(const struct compiler *c, const struct entry *entry,
                                  struct list_text *out)
{
    struct span text = span_trim(entry->text);
    if (schema[entry->key].field != FIELD_OTHER)
        return compile_item(c, entry, out);
    if (entry->key == KEY_ARCHIVED_AT)
        return text.n == 0 ? (struct fault){ERROR_URL_EMPTY, NULL}
                           : compile_uri(c, entry->key, text, out);
    if (entry->key == KEY_COMMAND_ADDRESSES)
        (void)command_kind_of(&text);
    return compile(c, entry->key, text, TEMPLATE_TEXT, &out->text);
}

struct section section_compile(const struct section *section, const struct token_names *names,
                               struct arena *kept, struct arena *arena,
                               struct diagnostics *diagnostics)
{
    struct section out = *section;
    const struct compiler c = {section, names, kept, arena};
    struct entry *entries = arena_calloc(arena, out.count, sizeof *entries);
    out.entries = entries;
    out.lacks = UINT64_MAX;
    for (size_t i = 0; i < out.count; i++) {
        struct entry *entry = &entries[i];
        out.lacks &= ~KEY_BIT(section->entries[i].key);
        *entry = section->entries[i];
        if (entry->text.p == NULL || entry->is_wrong || schema[entry->key].variables == 0)
            continue;
        struct list_text *compiled = arena_calloc(arena, 1, sizeof *compiled);
        struct fault fault = compile_entry(&c, entry, compiled);
        entry->compiled = compiled;
        entry->is_wrong = fault.remark != REMARK_NONE;
        if (entry->is_wrong)
            say_entry(diagnostics, &(struct sources){{&out}}, entry, fault.remark, fault.detail);
    }
    return out;
}
