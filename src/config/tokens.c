/* tokens - from `token` sections to tokens. */
#include "config/tokens.h"

#include "config/report/say.h"
#include "text/ascii.h"
#include "text/number.h"

#include <stdio.h>

/* A token while it is being read. */
struct draft {
    struct token_sections *sections;
    struct settings *settings;
    const struct raw_section *raw;
    struct token *token;
};

/* The one item of a key; NULL when it is not set or is wrong. */
static const struct raw_item *item_of(const struct draft *draft, enum key key)
{
    const struct raw_value *value = raw_value_find(draft->raw, NULL, key);
    return value != NULL && value->count == 1 ? &value->items[0] : NULL;
}

/* Something about the value of a key, if it has one. */
static void tell(const struct draft *draft, enum severity severity, enum key key, const char *what)
{
    const struct raw_item *item = item_of(draft, key);
    if (item != NULL)
        say(draft->sections->diagnostics, severity,
            place_of(draft->raw->file, item->line, schema[key].name), item->text, "%s", what);
}

/* An error about the token as a whole. */
static void wrong_token(const struct draft *draft, const char *fault)
{
    say(draft->sections->diagnostics, SEVERITY_ERROR,
        place_of(draft->raw->file, draft->raw->line, schema[KEY_TOKEN].name), draft->raw->title,
        "%s", fault);
}

/* The item of a key that every token has; NULL, and complained about, when it has none. */
static const struct raw_item *needed(const struct draft *draft, enum key key, const char *lacks)
{
    if (!draft->raw->values[key].set)
        wrong_token(draft, lacks);
    return item_of(draft, key);
}

static const char *name_fault(struct span name)
{
    bool fine = name.n > 0 && name.p[0] >= 'a' && name.p[0] <= 'z';
    for (size_t i = 0; i < name.n; i++)
        fine = fine && ((name.p[i] >= 'a' && name.p[i] <= 'z') || ascii_is_digit(name.p[i]) ||
                        name.p[i] == '_');
    if (!fine)
        return "is no name of a token (expected small letters, digits and \"_\", a letter first)";
    if (name.n > SECTION_NAME_MAX)
        return "is too long (expected at most " NUMBER_TEXT(SECTION_NAME_MAX) " bytes)";
    if (variable_is_name(name))
        return "is the name of a variable (expected another one)";
    return NULL;
}

/* Is there a token of this name? If so, it is complained about. */
static bool is_known(const struct draft *draft)
{
    const struct token_names *names = &draft->settings->token_names;
    for (size_t i = 0; i < names->count; i++) {
        if (!span_eq(names->names[i], draft->raw->title))
            continue;
        char fault[80];
        snprintf(fault, sizeof fault, "appears a second time (first in line %d)",
                 draft->sections->lines[i]);
        wrong_token(draft, fault);
        return true;
    }
    return false;
}

static void build_of(const struct draft *draft)
{
    const char *fault = "is empty (expected a text such as \"{message_id}\")";
    const struct raw_item *item =
        needed(draft, KEY_OF,
               "lacks the text that it is made of (expected of = \"{message_id}\", for example)");
    if (item == NULL)
        return;
    if (item->text.n > 0)
        fault = template_compile(item->text, TEMPLATE_TEXT, VARS_TOKEN_OF, NULL,
                                 &draft->settings->arena, &draft->token->of);
    if (fault != NULL)
        tell(draft, SEVERITY_ERROR, KEY_OF, fault);
}

static void build_digest(const struct draft *draft)
{
    const struct raw_item *item =
        needed(draft, KEY_DIGEST, "lacks its digest (expected digest = \"sha256\", for example)");
    if (item == NULL)
        return;
    const char *name = arena_strdup(&draft->settings->arena, item->text);
    unsigned char octets[DIGEST_MAX_OCTETS];
    draft->token->digest = name;
    draft->token->octets = digest_compute(name, NULL, 0, octets);
    if (draft->token->octets == 0)
        tell(draft, SEVERITY_ERROR, KEY_DIGEST,
             "is no digest that libcrypto has (expected \"sha256\", for example)");
}

static void build_form(const struct draft *draft)
{
    struct token *token = draft->token;
    token->encoding = (enum token_encoding)raw_choice(draft->raw, NULL, KEY_ENCODING);
    token->padding = raw_bool(draft->raw, NULL, KEY_PADDING);
}

/* True if a poster writes the part, so that it may end in any text. */
static bool is_free_text(const struct template_part *part)
{
    const uint64_t free_texts = VARS_FIELDS | VAR_BIT(VAR_MESSAGE_ID);
    return part->variable < VAR_COUNT && part->width == 0 &&
           (free_texts & VAR_BIT(part->variable)) != 0;
}

/* RULINGS 84 */
static void hint_of(const struct draft *draft)
{
    const struct template *of = &draft->token->of;
    bool is_ambiguous = false;
    for (size_t i = 0; i + 1 < of->count; i++)
        is_ambiguous |= is_free_text(&of->parts[i]) && is_free_text(&of->parts[i + 1]);
    if (is_ambiguous)
        tell(draft, SEVERITY_HINT, KEY_OF,
             "has texts of the poster side by side: two posts may have one token (expected {lf} "
             "between them)");
}

/* Gives the token to the settings before it is read. */
static void enter(struct draft *draft)
{
    struct token_sections *sections = draft->sections;
    struct settings *settings = draft->settings;
    struct token_names *names = &settings->token_names;
    if (settings->tokens == NULL) { /* room for all that there may be: others point to it */
        sections->names = arena_calloc(&settings->arena, TOKENS_MAX, sizeof *sections->names);
        settings->tokens = arena_calloc(&settings->arena, TOKENS_MAX, sizeof *settings->tokens);
        names->names = sections->names;
    }
    struct span name = arena_dup(&settings->arena, draft->raw->title);
    draft->token = &settings->tokens[names->count];
    draft->token->name = name;
    sections->names[names->count] = name;
    sections->lines[names->count] = draft->raw->line;
    names->count++;
}

void token_sections_add(struct token_sections *sections, const struct raw_section *raw)
{
    struct draft draft = {sections, sections->settings, raw, NULL};
    const char *fault = name_fault(raw->title);
    if (fault != NULL)
        wrong_token(&draft, fault);
    if (fault != NULL || is_known(&draft))
        return;
    if (sections->settings->token_names.count == TOKENS_MAX) {
        wrong_token(&draft, "is one too many (expected at most 32 tokens)");
        return;
    }
    enter(&draft);
    build_of(&draft);
    build_digest(&draft);
    build_form(&draft);
    hint_of(&draft);
}
