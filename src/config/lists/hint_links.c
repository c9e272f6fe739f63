/* hint_links - what is legal but unwise in the URLs of a list. */
#include "config/lists/hint_links.h"

#include "config/lists/unsubscribe.h"
#include "spec/uri.h"

/* What a URI begins with as it is written, up to its first variable. */
static struct span uri_begin(const struct config_text *text)
{
    const struct template *t = &text->of->text;
    return t->count > 0 ? template_literal(&t->parts[0]) : span_of(NULL, 0);
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

/* True if an address of the mailto: has two "@". */
static bool has_two_at_signs(const struct template *mailto)
{
    size_t count = 0;
    for (size_t i = 0; i < mailto->count; i++) {
        const struct template_part *part = &mailto->parts[i];
        struct span text = template_literal(part);
        count += part->variable == VAR_ADDRESS || part->variable == VAR_RECIPIENT ? 1 : 0;
        for (size_t k = 0; k < text.n && text.p[k] != '?' && count < 2; k++) {
            count += text.p[k] == '@' ? 1 : 0;
            count = text.p[k] == ',' ? 0 : count;
        }
        if (count > 1 || span_find(text, '?') < text.n)
            break;
    }
    return count > 1;
}

/* RULINGS 84: "mailto:x@y.example(comment)" */
static void hint_comment(struct list_draft *draft, const struct config_text *text)
{
    const struct template *t = &text->of->text;
    bool opens = false;
    for (size_t i = 0; i < t->count; i++)
        opens = opens || span_find(template_literal(&t->parts[i]), '(') < t->parts[i].length;
    struct span end = t->count > 0 ? template_literal(&t->parts[t->count - 1]) : span_of(NULL, 0);
    bool has_comment = text->of->comments != NULL && text->of->comments[1].count > 0;
    if (!has_comment && opens && end.n > 0 && end.p[end.n - 1] == ')')
        draft_hint(
            draft, text,
            "ends in parentheses that belong to the URI (expected a blank before a comment, or "
            "%28 and %29)");
}

/* LH-04: a mail program without a browser must be able to use the field. */
static void hint_each_item(struct list_draft *draft, enum key key, const struct config_texts *texts)
{
    bool has_mailto = false;
    if (texts->count == 0 || list_text_is_no(texts->items[0].of))
        return;
    for (size_t i = 0; i < texts->count; i++) {
        const struct config_text *text = &texts->items[i];
        bool is_mailto = uri_has_scheme(uri_begin(text), "mailto");
        has_mailto = has_mailto || is_mailto;
        hint_scheme(draft, text);
        hint_comment(draft, text);
        if (is_mailto && has_two_at_signs(&text->of->text))
            draft_hint(
                draft, text,
                "has two \"@\" in one address (expected LOCAL@DOMAIN, and \",\" between two)");
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
        struct span text = template_literal(part);
        in_query = in_query || span_find(text, '?') < text.n;
        slash = text.n > 0 && text.p[text.n - 1] == '/';
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
    } else if (has_query(draft->values.text[VAR_ARCHIVE])) {
        draft_hint(draft, &archive->items[0],
                   "has a query or fragment, after which {archive} in archived_at puts the rest of "
                   "the URL (expected a template without {archive})");
    }
}

static void hint_archived_at(struct list_draft *draft)
{
    const struct config_texts *archive = draft_texts(draft, KEY_ARCHIVE);
    const struct config_texts *archived_at = draft_texts(draft, KEY_ARCHIVED_AT);
    if (!archived_at->set && draft->list->has_web_archive)
        draft_hint(draft, &archive->items[0],
                   "is an archive, but posts get no Archived-At (usual, if the archive understands "
                   "it: archived_at = {\"{archive}/{message_id_hash}\"})");
    for (size_t i = 0; i < archived_at->count; i++) {
        const struct config_text *text = &archived_at->items[i];
        hint_scheme(draft, text);
        if ((text->of->text.needs & VAR_BIT(VAR_ARCHIVE)) != 0)
            hint_archive_of(draft, archived_at, text);
        if (is_constant(draft, &text->of->text))
            draft_hint(
                draft, text,
                "is the same for all posts (expected {message_id_hash} or another variable of "
                "the message in it)");
        if (hash_in_query(&text->of->text))
            draft_hint(draft, text,
                       "has a query before the \"/\" of the hash, which becomes part of its value");
    }
}

/* True if the list's items allow List-Unsubscribe-Post (RULINGS 15, 16, 68; RFC 8058 3.1). */
static bool allows_one_click(const struct list *list, const struct config_texts *texts)
{
    struct web_items web = {0};
    for (size_t i = 0; i < texts->count; i++)
        web_items_count(&web, uri_begin(&texts->items[i]));
    return list->select != SELECT_RECIPIENT && web_items_allow_one_click(&web);
}

/* RFC 8058 5: an address alone is easily forged. */
static void hint_tokens(struct list_draft *draft, const struct config_texts *texts)
{
    if (!draft->list->one_click || draft->list->select == SELECT_RECIPIENT)
        return;
    for (size_t i = 0; i < texts->count; i++)
        if (recipient_requested(&texts->items[i].of->text) == VAR_BIT(VAR_RECIPIENT) &&
            uri_has_scheme(uri_begin(&texts->items[i]), "https"))
            draft_hint(draft, &texts->items[i],
                       "lets anyone who knows an address unsubscribe it with one click (expected "
                       "{recipient_token} in it, which the web server verifies)");
}

void draft_hint_links(struct list_draft *draft)
{
    const struct config_texts *unsubscribe = draft_texts(draft, KEY_UNSUBSCRIBE);
    hint_items(draft);
    hint_archived_at(draft);
    if (draft->list->one_click && !allows_one_click(draft->list, unsubscribe))
        draft_hint_key(draft, KEY_UNSUBSCRIBE_ONE_CLICK,
                       "has no effect: the list's posts get no List-Unsubscribe-Post (expected a "
                       "list of a list manager, and exactly one https: and no http: URI in "
                       "unsubscribe; RFC 8058, 3.1)");
    hint_tokens(draft, unsubscribe);
}
