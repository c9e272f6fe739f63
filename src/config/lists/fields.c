/* fields - the texts of List-* fields and of Archived-At (LI-07, LH, AT, RULINGS 15 to 17, 68) */
#include "config/lists/new_list.h"
#include "mail/field_check.h"
#include "spec/list_id.h"
#include "spec/uri.h"
#include "text/number.h"

uint64_t recipient_requested(const struct template *uri)
{
    uint64_t requested = 0;
    for (size_t i = 0; i < uri->count; i++) {
        const struct template_part *part = &uri->parts[i];
        if (span_find(template_literal(part), '#') < part->length)
            break;
        if (part->variable != VAR_COUNT && part->width == 0)
            requested |= VAR_BIT(part->variable) & VARS_RECIPIENT;
    }
    return requested;
}

/* Returns the reason why a URI cannot name the recipient as it does, or REMARK_NONE. */
static enum remark recipient_fault(const struct new_list *n, const struct template *uri)
{
    if (n->list->select == SELECT_RECIPIENT) /* RULINGS 16 */
        return ERROR_RECIPIENT_OF_ALIAS;
    for (size_t i = 0; i < uri->count; i++)
        if (uri->parts[i].variable == VAR_RECIPIENT_TOKEN && uri->parts[i].width > 0)
            return ERROR_TOKEN_WIDTH;
    if ((uri->needs & VAR_BIT(VAR_RECIPIENT_TOKEN)) != 0 && !n->b->has_recipient_key)
        return ERROR_NO_RECIPIENT_KEY; /* RULINGS 17 */
    return REMARK_NONE;
}

/* Sets samples of the tokens that a template needs: the length of each is known. Returns the
 * variables that they are made of (RULINGS 47). */
static uint64_t set_tokens(struct new_list *n, uint64_t needs)
{
    uint64_t made_of = 0;
    for (size_t i = 0; i < n->b->token_names->count; i++) {
        size_t variable = VAR_FIRST_TOKEN + i;
        if ((needs & VAR_BIT(variable)) == 0)
            continue;
        n->values.set |= VAR_BIT(variable);
        n->values.text[variable] = token_sample(&n->b->tokens[i], &n->b->scratch);
        made_of |= n->b->tokens[i].of.needs;
    }
    return made_of;
}

/* Returns what is wrong with a text whose values are known, or NULL. */
static const char *field_text_fault(struct new_list *n, const struct list_text *text,
                                    enum field_name name)
{
    struct strbuf *value = &n->b->text;
    const struct template *comments = text->comments;
    struct list_item again;
    const char *fault = NULL;
    strbuf_reset(value);
    if (comments != NULL)
        (void)template_expand(&comments[0], &n->values, value);
    strbuf_add_str(value, comments != NULL ? " <" : "<");
    if (text->text.count > 0) /* it is not "NO" */
        fault = template_try(&text->text, &n->values, NULL, value);
    strbuf_add_str(value, comments != NULL ? "> " : ">");
    if (comments != NULL)
        (void)template_expand(&comments[1], &n->values, value);
    if (fault == NULL && comments != NULL) /* a value may have a parenthesis */
        fault = list_item_split(strbuf_span(value), &again);
    enum field_fault of_field = field_check(span_cstr(field_name_text(name)), strbuf_span(value));
    return fault == NULL && of_field != FIELD_FINE ? field_fault_text(of_field) : fault;
}

/* Checks an item or template with the list's values and samples of the others. */
static bool check_text(struct new_list *n, const struct entry *entry, enum field_name name)
{
    const struct list_text *text = entry->compiled;
    uint64_t needs = text->text.needs, of_comments = 0;
    const char *detail = NULL;
    if (text->comments != NULL)
        of_comments = text->comments[0].needs | text->comments[1].needs;
    if (!has_values(n, entry, needs | of_comments | set_tokens(n, needs)))
        return false;
    if (section_has(n->from.sections[FROM_MANAGER], entry)) /* right, whatever the address */
        return true;
    enum remark fault = (of_comments & VARS_RECIPIENT) != 0 ? ERROR_RECIPIENT_IN_COMMENT
                        : (detail = field_text_fault(n, text, name)) != NULL ? ERROR_URI
                        : (needs & VARS_RECIPIENT) != 0 ? recipient_fault(n, &text->text)
                                                        : REMARK_NONE;
    return fault == REMARK_NONE || report_wrong(n, entry, fault, detail);
}

/* Checks the texts of a key, except texts of the defaults that the list leaves out. True if at
 * least one was checked, and all are right. */
static bool check_texts(struct new_list *n, enum key key, enum field_name name)
{
    struct value value = value_of(&n->from, key);
    size_t count = 0, right = 0;
    for (size_t i = 0; i < value.count; i++) {
        const struct entry *entry = &value.entries[i];
        if (!entry->is_wrong && list_leaves_out(n->list, entry->compiled) &&
            (value.source != FROM_SECTION || key == KEY_ARCHIVED_AT))
            continue;
        count++;
        right += !entry->is_wrong && check_text(n, entry, name) ? 1 : 0;
    }
    return count > 0 && right == count;
}

/* Bytes of a description, with the values of its variables (RULINGS 117). */
#define DESCRIPTION_MAX 900

/* Sets the description, and checks List-Id (LI-07, RULINGS 37, 38). */
static void build_list_id(struct new_list *n)
{
    struct value value = value_of(&n->from, KEY_DESCRIPTION);
    struct strbuf *text = &n->b->text;
    if (value.count > 0 && !value.is_wrong) {
        const struct template *t = &value.entries->compiled->text;
        bool is_shared = value.source != FROM_SECTION && t->needs == 0;
        if (!has_values(n, value.entries, t->needs))
            return;
        strbuf_reset(text);
        (void)template_expand(t, &n->values, text);
        if (text->len > DESCRIPTION_MAX) {
            report_wrong(n, value.entries, ERROR_DESCRIPTION_LONG, NUMBER_TEXT(DESCRIPTION_MAX));
            return;
        }
        n->list->description =
            is_shared ? template_begin(t) : arena_dup(n->b->arena, strbuf_span(text));
    }
    strbuf_reset(text);
    list_id_render(text, n->list->description, n->list->id);
    enum field_fault fault = field_check(span_cstr("List-Id"), strbuf_span(text));
    if (fault != FIELD_FINE)
        report_wrong(n, value.entries, ERROR_FIELD, field_fault_text(fault));
}

/* Reports https: items that do not name the recipient: a click would unsubscribe no one, or another
 * subscriber. */
static void check_one_click(struct new_list *n)
{
    struct value value = value_of(&n->from, KEY_UNSUBSCRIBE);
    for (size_t i = 0; i < value.count; i++) {
        const struct template *uri = &value.entries[i].compiled->text;
        if (uri_has_scheme(template_begin(uri), "https") && recipient_requested(uri) == 0)
            report_wrong(n, &value.entries[i], ERROR_ONE_CLICK, NULL);
    }
}

static struct list_text_array copy_texts(const struct new_list *n, enum key key)
{
    struct value value = value_of(&n->from, key);
    struct list_text *copy = arena_calloc(n->b->arena, value.count, sizeof *copy);
    for (size_t i = 0; i < value.count && !value.is_wrong; i++)
        copy[i] = *value.entries[i].compiled;
    return (struct list_text_array){copy, value.count};
}

const struct list_texts *make_list_texts(const struct new_list *n)
{
    struct list_texts *texts = arena_calloc(n->b->arena, 1, sizeof *texts);
    for (enum key key = KEY_HELP; key <= KEY_ARCHIVE; key++)
        texts->fields[schema[key].field - FIELD_LIST_HELP] = copy_texts(n, key);
    texts->archived_at = copy_texts(n, KEY_ARCHIVED_AT);
    return texts;
}

void build_fields(struct new_list *n)
{
    struct list *list = n->list;
    bool has_own = false, has_links = false;
    for (size_t i = 0; i < n->own.count; i++)
        has_own |= n->own.entries[i].key == KEY_ARCHIVED_AT ||
                   schema[n->own.entries[i].key].field != FIELD_OTHER;
    if (has_own) /* else it shares texts with others */
        list->texts = make_list_texts(n);
    build_list_id(n);
    for (enum key key = KEY_HELP; key <= KEY_ARCHIVE; key++) {
        bool is_right = check_texts(n, key, schema[key].field);
        has_links |= is_right && key == KEY_UNSUBSCRIBE;
        if (is_right && key == KEY_ARCHIVE)
            list_set_archive(list, &n->b->scratch, &n->values);
    }
    list->has_web_archive = (n->values.set & VAR_BIT(VAR_ARCHIVE)) != 0;
    list->archived_at = check_texts(n, KEY_ARCHIVED_AT, FIELD_ARCHIVED_AT);
    if (list->unsubscribe_one_click && list->select != SELECT_RECIPIENT && has_links)
        check_one_click(n);
}
