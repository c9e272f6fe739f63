/* hint_links - what is legal but unwise in the URLs of a list. */
#include "config/lists/hint_links.h"

#include "config/lists/unsubscribe.h"
#include "spec/uri.h"

/* What a URI begins with as it is written, up to its first variable. */
static struct span uri_begin(const struct config_text *text)
{
    const struct template *t = &text->text;
    bool literal = t->count > 0 && t->parts[0].variable == VAR_COUNT;
    return literal ? t->parts[0].literal : span_of(NULL, 0);
}

static bool is_web(const struct config_text *text)
{
    struct span begin = uri_begin(text);
    return uri_has_scheme(begin, "https") || uri_has_scheme(begin, "http");
}

static void hint_scheme(struct list_draft *draft, const struct config_text *text)
{
    struct span begin = uri_begin(text);
    size_t colon = span_find(begin, ':');
    if (colon < begin.n && !uri_scheme_is_known(span_sub(begin, 0, colon)))
        draft_hint(
            draft, text,
            "has a scheme that nobody knows (expected one such as \"https:\" or \"mailto:\")");
}

/* The "@" of the address in a mailto: that has most of them; `any`: there may be some elsewhere. */
static size_t most_at_signs(const struct template *mailto, bool *any)
{
    size_t most = 0, here = 0;
    *any = false;
    for (size_t i = 0; i < mailto->count; i++) {
        const struct template_part *part = &mailto->parts[i];
        *any =
            *any || part->variable != VAR_COUNT || span_find(part->literal, '%') < part->literal.n;
        if (part->variable == VAR_ADDRESS || part->variable == VAR_RECIPIENT)
            here++;
        for (size_t k = 0; part->variable == VAR_COUNT && k < part->literal.n; k++) {
            if (part->literal.p[k] == '?')
                return here > most ? here : most;
            if (part->literal.p[k] == '@')
                here++;
            most = here > most ? here : most;
            if (part->literal.p[k] == ',')
                here = 0;
        }
    }
    return here > most ? here : most;
}

static void hint_mailto(struct list_draft *draft, const struct config_text *text)
{
    bool any;
    const struct template *mailto = &text->text;
    size_t most = most_at_signs(mailto, &any);
    bool in_query =
        mailto->count > 0 && span_starts_nocase(mailto->parts[0].literal, span_cstr("mailto:?"));
    if (most == 0 && !any && !in_query && text->key != KEY_ARCHIVE)
        draft_hint(draft, text, "has no \"@\": mail to it may not find its way");
    if (most > 1)
        draft_hint(draft, text,
                   "has two \"@\" in one address (expected LOCAL@DOMAIN, and \",\" between two)");
}

/* RULINGS 84: "mailto:x@y.example(comment)" */
static void hint_comment(struct list_draft *draft, const struct config_text *text)
{
    const struct template *t = &text->text;
    bool opens = false;
    for (size_t i = 0; i < t->count; i++)
        opens = opens || (t->parts[i].variable == VAR_COUNT &&
                          span_find(t->parts[i].literal, '(') < t->parts[i].literal.n);
    struct span end = t->count > 0 ? t->parts[t->count - 1].literal : span_of(NULL, 0);
    if (!text->has_comment && opens && end.n > 0 && end.p[end.n - 1] == ')')
        draft_hint(
            draft, text,
            "ends in parentheses that belong to the URI (expected a blank before a comment, or "
            "%28 and %29)");
}

/* LH-04: a mail program without a browser must be able to use the field. */
static void hint_each_item(struct list_draft *draft, enum key key, const struct config_texts *texts)
{
    bool has_mailto = false;
    if (texts->count == 0 || texts->items[0].is_no)
        return;
    for (size_t i = 0; i < texts->count; i++) {
        const struct config_text *text = &texts->items[i];
        bool is_mailto = uri_has_scheme(uri_begin(text), "mailto");
        has_mailto = has_mailto || is_mailto;
        hint_scheme(draft, text);
        hint_comment(draft, text);
        if (is_mailto)
            hint_mailto(draft, text);
    }
    if (!has_mailto && key != KEY_ARCHIVE)
        draft_hint(
            draft, &texts->items[0],
            "has no mailto: URI beside it, which every mail program could use (RFC 2369, 1)");
}

/* Of the texts alone: what those of the defaults do not give with one list, they do not with
 * another. */
static void hint_items(struct list_draft *draft)
{
    uint64_t *unhinted = &draft->builder->shared.unhinted;
    for (int i = 0; i < KEY_COUNT; i++) {
        enum key key = (enum key)i;
        enum value_source source = draft_source(draft, key);
        bool own = source == FROM_LIST;
        size_t before = draft->hints;
        if (!config_item_key(key) || source == FROM_MANAGER ||
            (!own && (*unhinted >> key & 1) != 0))
            continue;
        hint_each_item(draft, key, draft_texts(draft, key));
        if (!own && draft->hints == before)
            *unhinted |= UINT64_C(1) << key;
    }
}

static bool has_query(struct span text)
{
    return span_find(text, '?') < text.n || span_find(text, '#') < text.n;
}

/* Does a slash behind a query stand before a hash: "https://x.example/?list=dev/{message_id_hash}"?
 * It is part of the query's value then. */
static bool hash_in_query(const struct template *t)
{
    bool in_query = false, slash = false;
    for (size_t i = 0; i < t->count; i++) {
        const struct template_part *part = &t->parts[i];
        if (in_query && slash &&
            (part->variable == VAR_MESSAGE_ID_HASH || part->variable == VAR_LIST_ID_HASH))
            return true;
        if (part->variable != VAR_COUNT)
            continue;
        in_query = in_query || span_find(part->literal, '?') < part->literal.n;
        slash = part->literal.n > 0 && part->literal.p[part->literal.n - 1] == '/';
    }
    return false;
}

/* Is its value the same for all posts? */
static bool is_constant(const struct list_draft *draft, const struct template *t)
{
    const struct list_surroundings *given = &draft->builder->given;
    for (size_t i = 0; i < given->token_names->count; i++)
        if ((t->needs & VAR_BIT(VAR_FIRST_TOKEN + i)) != 0 &&
            (given->tokens[i].of.needs & ~VARS_LIST) != 0)
            return false;
    return (t->needs & VARS_MESSAGE) == 0;
}

/* A template that begins with {archive}, of a list that has an archive or not. */
static void hint_archive_of(struct list_draft *draft, const struct config_texts *archived_at,
                            const struct config_text *text)
{
    const struct config_texts *archive = draft_texts(draft, KEY_ARCHIVE);
    bool web = false;
    for (size_t i = 0; i < archive->count; i++)
        web = web || is_web(&archive->items[i]) || uri_begin(&archive->items[i]).n == 0;
    if (archive->count == 0) {
        if (!archived_at->from_defaults)
            draft_hint(
                draft, text,
                "is left out, because the list has no archive (expected archive = {\"URI\"})");
    } else if (!web) {
        draft_hint(draft, &archive->items[0],
                   "is no https: or http: URI, which {archive} in archived_at could stand for");
    } else if (has_query(draft->texts.archive)) {
        draft_hint(draft, &archive->items[0],
                   "has a query or fragment, after which {archive} in archived_at puts the rest of "
                   "the URL (expected a template without {archive})");
    }
}

static void hint_archived_at(struct list_draft *draft)
{
    const struct config_texts *archive = draft_texts(draft, KEY_ARCHIVE);
    const struct config_texts *archived_at = draft_texts(draft, KEY_ARCHIVED_AT);
    struct span uri = draft->texts.archive;
    if (!archived_at->set && archive->count > 0 &&
        (uri_has_scheme(uri, "https") || uri_has_scheme(uri, "http")))
        draft_hint(draft, &archive->items[0],
                   "is an archive, but posts get no Archived-At (usual, if the archive understands "
                   "it: archived_at = {\"{archive}/{message_id_hash}\"})");
    for (size_t i = 0; i < archived_at->count; i++) {
        const struct config_text *text = &archived_at->items[i];
        hint_scheme(draft, text);
        if ((text->text.needs & VAR_BIT(VAR_ARCHIVE)) != 0)
            hint_archive_of(draft, archived_at, text);
        if (is_constant(draft, &text->text))
            draft_hint(
                draft, text,
                "is the same for all posts (expected {message_id_hash} or another variable of "
                "the message in it)");
        if (hash_in_query(&text->text))
            draft_hint(draft, text,
                       "has a query before the \"/\" of the hash, which becomes part of its value");
    }
}

/* RULINGS 15, 16, 68: what keeps the list from being used with one click; NULL: nothing. */
static const char *why_no_click(const struct list *list, const struct config_texts *texts)
{
    size_t https = 0, http = 0;
    for (size_t i = 0; i < texts->count; i++) {
        https += uri_has_scheme(uri_begin(&texts->items[i]), "https") ? 1 : 0;
        http += uri_has_scheme(uri_begin(&texts->items[i]), "http") ? 1 : 0;
    }
    if (list->select == SELECT_RECIPIENT)
        return "has no effect with select = \"recipient\", where the recipient is the list itself";
    if (https == 0)
        return "has no effect without a https: URI that names the recipient (expected one in "
               "unsubscribe, with {recipient} and {recipient_token})";
    if (http > 0)
        return "has no effect beside a http: URI in unsubscribe (expected https: and mailto: only; "
               "RFC 8058, 3.1)";
    if (https == 2)
        return "has no effect with two https: URIs in unsubscribe (expected exactly one; RFC 8058, "
               "3.1)";
    return https > 2 ? "has no effect with several https: URIs in unsubscribe (expected exactly "
                       "one; RFC 8058, 3.1)"
                     : NULL;
}

/* RULINGS 17: the token is made of the list and the address, so whoever checks it needs both. RFC
 * 8058 5: an address alone is easily forged. */
static void hint_tokens(struct list_draft *draft, const struct config_texts *texts)
{
    for (size_t i = 0; i < draft->texts.unsubscribe_count; i++) {
        const struct config_text *text = &texts->items[i];
        uint64_t needs = draft->list->one_click ? recipient_requested(&text->text)
                                                : text->text.needs & VARS_RECIPIENT;
        if (needs == VAR_BIT(VAR_RECIPIENT_TOKEN) && is_web(text))
            draft_hint(draft, text,
                       "has {recipient_token}, which the web server cannot verify without the "
                       "address (expected {recipient} in it, too)");
        if (needs == VAR_BIT(VAR_RECIPIENT) && draft->list->one_click &&
            uri_has_scheme(uri_begin(text), "https"))
            draft_hint(draft, text,
                       "lets anyone who knows an address unsubscribe it with one click (expected "
                       "{recipient_token} in it, which the web server verifies)");
    }
}

void draft_hint_links(struct list_draft *draft)
{
    const struct config_texts *unsubscribe = draft_texts(draft, KEY_UNSUBSCRIBE);
    const char *why = draft->list->one_click ? why_no_click(draft->list, unsubscribe) : NULL;
    hint_items(draft);
    hint_archived_at(draft);
    if (why != NULL) /* the defaults may ask for it although one list or the other cannot have it */
        draft_hint_key(draft, KEY_UNSUBSCRIBE_ONE_CLICK, why);
    hint_tokens(draft, unsubscribe);
}
