/* texts - compiles entries, and finds errors that depend on no list's values */
#include "config/lists/build.h"
#include "spec/iri.h"

struct compiler {
    const struct section *section;
    const struct list_context *given;
    struct arena *arena; /* for templates that posts do not need */
};

static const char *compile(const struct compiler *c, enum key key, struct span text,
                           enum template_kind kind, struct template *out)
{
    bool is_kept = key == KEY_ARCHIVED_AT || schema[key].field != FIELD_OTHER;
    return template_compile(text, kind, schema[key].variables, c->given->token_names,
                            is_kept ? c->given->arena : c->arena, out);
}

/* Compiles a URI, which may be an IRI (RULINGS 51). */
static const char *compile_uri(const struct compiler *c, enum key key, struct span text,
                               struct list_text *out)
{
    struct span uri;
    const char *fault = iri_to_uri(text, c->arena, &uri);
    return fault != NULL ? fault : compile(c, key, uri, TEMPLATE_URI, &out->text);
}

/* Returns what is wrong with the parts of an item, or NULL. */
static const char *item_fault(const struct list_item *parts, enum key key, bool is_alone)
{
    bool ignored;
    if (key == KEY_POST && schema_bool(parts->uri, &ignored))
        return "is no URI (expected \"NO\" for a list that takes no posts)";
    if (parts->is_no && key != KEY_POST)
        return "may be in \"post\" only (expected a URI)";
    if (parts->is_no && !is_alone)
        return "is with other values (expected \"NO\" alone, or URIs)";
    if (parts->is_no || parts->uri.n > 0)
        return NULL;
    return parts->before.n > 0 ? "has a comment and no URI after it (expected \"(comment) URI\")"
                               : "is empty (expected a URI such as \"mailto:help@lists.example\")";
}

/* item = [ comment *WSP ] ( URI / "NO" ) [ 1*WSP comment ]     (RULINGS 35, 85) */
static const char *compile_item(const struct compiler *c, const struct entry *entry,
                                struct list_text *out)
{
    struct list_item parts;
    const struct sources own = {{c->section}};
    const char *fault = list_item_split(entry->text, &parts);
    if (fault == NULL)
        fault = item_fault(&parts, entry->key, value_of(&own, entry->key).count == 1);
    if (fault == NULL)
        fault = compile_uri(c, entry->key, parts.uri, out);
    if (fault != NULL || (parts.before.n == 0 && parts.comment.n == 0))
        return fault;
    struct template *comments = arena_calloc(c->given->arena, 2, sizeof *comments);
    out->comments = comments;
    fault = compile(c, entry->key, parts.before, TEMPLATE_TEXT, &comments[0]);
    return fault != NULL ? fault
                         : compile(c, entry->key, parts.comment, TEMPLATE_TEXT, &comments[1]);
}

static const char *compile_entry(const struct compiler *c, const struct entry *entry,
                                 struct list_text *out)
{
    struct span text = span_trim(entry->text);
    if (schema[entry->key].field != FIELD_OTHER)
        return compile_item(c, entry, out);
    if (entry->key == KEY_ARCHIVED_AT)
        return text.n == 0 ? "is empty (expected a URL)" : compile_uri(c, entry->key, text, out);
    if (entry->key == KEY_COMMAND_ADDRESSES)
        (void)command_kind_of(&text);
    return compile(c, entry->key, text, TEMPLATE_TEXT, &out->text);
}

struct section section_compile(const struct section *section, const struct list_context *given,
                               struct arena *arena, struct diagnostics *diagnostics)
{
    struct section out = *section;
    const struct compiler c = {section, given, arena};
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
        const char *fault = compile_entry(&c, entry, compiled);
        entry->compiled = compiled;
        entry->is_wrong = fault != NULL;
        if (fault != NULL)
            say_entry(diagnostics, &(struct sources){{&out}}, entry, fault);
    }
    return out;
}
