/* texts - the variables that each key may have, and errors that no list's values are needed for */
#include "config/lists/texts.h"

#include "config/report/say.h"
#include "spec/iri.h"
#include "spec/list_fields.h"

bool config_item_key(enum key key)
{
    switch (key) {
    case KEY_HELP:
    case KEY_SUBSCRIBE:
    case KEY_UNSUBSCRIBE:
    case KEY_POST:
    case KEY_OWNER:
    case KEY_ARCHIVE:
        return true;
    default:
        return false;
    }
}

bool config_text_key(enum key key)
{
    switch (key) {
    case KEY_DESCRIPTION:
    case KEY_ADDRESS:
    case KEY_ALIASES:
    case KEY_SENDERS:
    case KEY_COMMAND_ADDRESSES:
    case KEY_ARCHIVED_AT:
        return true;
    default:
        return config_item_key(key);
    }
}

/* RULINGS 47 */
static uint64_t allowed_variables(enum key key)
{
    switch (key) {
    case KEY_ADDRESS: /* cannot be made of itself */
        return VAR_BIT(VAR_LIST_ID) | VAR_BIT(VAR_LIST_LABEL) | VAR_BIT(VAR_LIST_NAMESPACE);
    case KEY_UNSUBSCRIBE:
        return VARS_LIST | VARS_RECIPIENT;
    case KEY_ARCHIVED_AT:
        return VARS_LIST | VAR_BIT(VAR_ARCHIVE) | VARS_MESSAGE | VARS_TOKENS;
    default:
        return VARS_LIST;
    }
}

static bool wrong(const struct text_compiler *c, const struct config_text *text, const char *fault)
{
    say(c->diagnostics, SEVERITY_ERROR, place_of(c->file, text->raw.line, schema[text->key].name),
        text->raw.text, "%s", fault);
    return false;
}

/* Returns the arena for compiled texts of the key. */
static struct arena *arena_of(const struct text_compiler *c, enum key key)
{
    bool is_kept = key == KEY_DESCRIPTION || key == KEY_ARCHIVED_AT || config_item_key(key);
    return is_kept ? c->kept : c->arena;
}

/* Compiles a part of a text. */
static bool compile(const struct text_compiler *c, const struct config_text *text, struct span part,
                    enum template_kind kind, struct template *out)
{
    const char *fault = template_compile(part, kind, allowed_variables(text->key), c->tokens,
                                         arena_of(c, text->key), out);
    return fault == NULL || wrong(c, text, fault);
}

/* Compiles a URI, which may be an IRI (RULINGS 51). */
static bool compile_uri(const struct text_compiler *c, const struct config_text *text,
                        struct span part, struct list_text *out)
{
    struct span uri;
    const char *fault = iri_to_uri(part, c->arena, &uri);
    return fault != NULL ? wrong(c, text, fault) : compile(c, text, uri, TEMPLATE_URI, &out->text);
}

static bool compile_comments(const struct text_compiler *c, const struct config_text *text,
                             const struct list_item *item, struct list_text *out)
{
    if (item->before.n == 0 && item->comment.n == 0)
        return true;
    struct template *comments = arena_calloc(c->kept, 2, sizeof *comments);
    out->comments = comments;
    return compile(c, text, item->before, TEMPLATE_TEXT, &comments[0]) &&
           compile(c, text, item->comment, TEMPLATE_TEXT, &comments[1]);
}

/* item = [ comment *WSP ] ( URI / "NO" ) [ 1*WSP comment ]     (RULINGS 35, 85) */
static bool compile_item(const struct text_compiler *c, const struct config_text *text,
                         size_t count, struct list_text *out)
{
    struct list_item parts;
    const char *fault = list_item_split(text->raw.text, &parts);
    bool value;
    if (fault == NULL && text->key == KEY_POST && schema_bool(parts.uri, &value))
        fault = "is no URI (expected \"NO\" for a list that takes no posts)";
    else if (fault == NULL && parts.is_no && text->key != KEY_POST)
        fault = "may stand in \"post\" only (expected a URI)";
    else if (fault == NULL && parts.is_no && count > 1)
        fault = "is beside other values (expected \"NO\" alone, or URIs)";
    else if (fault == NULL && !parts.is_no && parts.uri.n == 0)
        fault = parts.before.n > 0
                    ? "has a comment and no URI after it (expected \"(comment) URI\")"
                    : "is empty (expected a URI such as \"mailto:help@lists.example\")";
    if (fault != NULL)
        return wrong(c, text, fault);
    return compile_uri(c, text, parts.uri, out) && compile_comments(c, text, &parts, out);
}

/* command-address = [ "from:" / "always:" ] address     (RULINGS 12) */
static bool compile_command_address(const struct text_compiler *c, struct config_text *text,
                                    struct template *out)
{
    const struct span from = span_cstr("from:"), always = span_cstr("always:");
    struct span address = span_trim(text->raw.text);
    text->always = span_starts_nocase(address, always);
    text->from_only = text->always || span_starts_nocase(address, from);
    if (text->from_only)
        address = span_sub(address, text->always ? always.n : from.n, address.n);
    if (span_trim(address).n < address.n)
        return wrong(c, text,
                     text->always
                         ? "has a blank after \"always:\" (expected \"always:LOCAL@DOMAIN\")"
                         : "has a blank after \"from:\" (expected \"from:LOCAL@DOMAIN\")");
    return compile(c, text, address, TEMPLATE_TEXT, out);
}

static bool compile_text(const struct text_compiler *c, struct config_text *text, size_t count,
                         struct list_text *out)
{
    if (config_item_key(text->key))
        return compile_item(c, text, count, out);
    if (text->key == KEY_COMMAND_ADDRESSES)
        return compile_command_address(c, text, &out->text);
    if (text->key == KEY_ARCHIVED_AT)
        return compile_uri(c, text, span_trim(text->raw.text), out);
    return compile(c, text, span_trim(text->raw.text), TEMPLATE_TEXT, &out->text);
}

void config_texts_compile(const struct text_compiler *c, enum key key,
                          const struct raw_value *value, struct config_texts *out)
{
    *out = (struct config_texts){.file = c->file,
                                 .set = value->set,
                                 .wrong = value->wrong,
                                 .from_defaults = c->from_defaults};
    if (!out->set || out->wrong)
        return;
    struct config_text *items = arena_calloc(c->arena, value->count, sizeof *items);
    struct list_text *compiled = arena_calloc(arena_of(c, key), value->count, sizeof *compiled);
    for (size_t i = 0; i < value->count; i++) {
        struct config_text *text = &items[out->count];
        *text = (struct config_text){.key = key,
                                     .file = c->file,
                                     .from_defaults = c->from_defaults,
                                     .raw = value->items[i],
                                     .of = &compiled[out->count]};
        compiled[out->count] = (struct list_text){.comments = NULL};
        if (compile_text(c, text, value->count, &compiled[out->count]))
            out->count++;
        else
            out->wrong = true;
    }
    out->items = items;
    out->compiled = (struct list_text_array){compiled, out->count};
}
