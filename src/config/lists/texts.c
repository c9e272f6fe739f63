/* texts - which variables which key may use, and what else can be told before binding. */
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

struct compiler {
    enum key key;
    const char *file;
    struct arena *arena;
    const struct token_names *tokens;
    struct diagnostics *diagnostics;
};

/* Always 1. */
static int wrong(const struct compiler *c, const struct raw_item *item, const char *fault)
{
    say(c->diagnostics, SEVERITY_ERROR, place_of(c->file, item->line, schema[c->key].name),
        item->text, "%s", fault);
    return 1;
}

/* 0, 1: wrong, -1. */
static int compile(const struct compiler *c, const struct raw_item *item, struct span text,
                   struct template *out)
{
    const char *fault;
    int result =
        template_compile(text, allowed_variables(c->key), c->tokens, c->arena, out, &fault);
    return result == 1 ? wrong(c, item, fault) : result;
}

/* The same of a URI, which may be an IRI (RULINGS 51). */
static int compile_uri(const struct compiler *c, const struct raw_item *item, struct span text,
                       struct template *out)
{
    struct span uri;
    const char *fault;
    int result = iri_to_uri(text, c->arena, &uri, &fault);
    if (result != 0)
        return result == 1 ? wrong(c, item, fault) : -1;
    return compile(c, item, uri, out);
}

/* item = [ comment *WSP ] ( URI / "NO" ) [ 1*WSP comment ]     (RULINGS 35, 85) */
static int compile_item(const struct compiler *c, const struct raw_item *item, size_t count,
                        struct config_text *out)
{
    struct list_item parts;
    const char *fault = list_item_split(item->text, &parts);
    bool value;
    if (fault != NULL)
        return wrong(c, item, fault);
    if (c->key == KEY_POST && schema_bool(parts.uri, &value))
        return wrong(c, item, "is no URI (expected \"NO\" for a list that takes no posts)");
    if (parts.is_no && c->key != KEY_POST)
        return wrong(c, item, "may stand in \"post\" only (expected a URI)");
    if (parts.is_no && count > 1)
        return wrong(c, item, "stands beside other values (expected \"NO\" alone, or URIs)");
    if (!parts.is_no && parts.uri.n == 0)
        return wrong(c, item,
                     parts.before.n > 0
                         ? "has a comment and no URI behind it (expected \"(comment) URI\")"
                         : "is empty (expected a URI such as \"mailto:help@lists.example\")");
    out->is_no = parts.is_no;
    out->has_comment = parts.comment.n > 0;
    int result = compile_uri(c, item, parts.uri, &out->text);
    if (result == 0 && parts.before.n > 0)
        result = compile(c, item, parts.before, &out->before);
    if (result == 0 && out->has_comment)
        result = compile(c, item, parts.comment, &out->comment);
    return result;
}

/* command-address = [ "from:" / "always:" ] address     (RULINGS 12) */
static int compile_command_address(const struct compiler *c, const struct raw_item *item,
                                   struct config_text *out)
{
    const struct span from = span_cstr("from:"), always = span_cstr("always:");
    struct span text = span_trim(item->text);
    out->always = span_starts_nocase(text, always);
    out->from_only = out->always || span_starts_nocase(text, from);
    if (out->from_only)
        text = span_sub(text, out->always ? always.n : from.n, text.n);
    if (span_trim(text).n < text.n)
        return wrong(c, item,
                     out->always
                         ? "has a blank behind \"always:\" (expected \"always:LOCAL@DOMAIN\")"
                         : "has a blank behind \"from:\" (expected \"from:LOCAL@DOMAIN\")");
    return compile(c, item, text, &out->text);
}

static int compile_text(const struct compiler *c, const struct raw_item *item, size_t count,
                        struct config_text *out)
{
    if (config_item_key(c->key))
        return compile_item(c, item, count, out);
    if (c->key == KEY_COMMAND_ADDRESSES)
        return compile_command_address(c, item, out);
    if (c->key == KEY_ARCHIVED_AT)
        return compile_uri(c, item, span_trim(item->text), &out->text);
    return compile(c, item, span_trim(item->text), &out->text);
}

int config_texts_compile(enum key key, const struct raw_value *value, const char *file,
                         struct arena *arena, const struct token_names *tokens,
                         struct diagnostics *diagnostics, struct config_texts *out)
{
    const struct compiler c = {key, file, arena, tokens, diagnostics};
    *out = (struct config_texts){
        .file = file, .set = value != NULL && value->set, .wrong = value != NULL && value->wrong};
    if (!out->set || out->wrong)
        return 0;
    struct config_text *items = arena_calloc(arena, value->count, sizeof *items);
    if (items == NULL)
        return -1;
    for (size_t i = 0; i < value->count; i++) {
        struct config_text *item = &items[out->count];
        *item = (struct config_text){.raw = value->items[i]};
        int result = compile_text(&c, &value->items[i], value->count, item);
        if (result < 0)
            return -1;
        if (result == 0)
            out->count++;
        else
            out->wrong = true;
    }
    out->items = items;
    return 0;
}
