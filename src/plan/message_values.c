/* message_values - see message_values.h (SU-13, SU-24, SU-25, R1-07) */
#include "plan/message_values.h"

#include "mail/date.h"
#include "plan/facts.h"
#include "spec/message_id.h"
#include "text/strbuf.h"

#include <inttypes.h>
#include <stdio.h>

#define NEEDS_DATE                                                                                 \
    (VAR_BIT(VAR_YEAR) | VAR_BIT(VAR_MONTH) | VAR_BIT(VAR_DAY) | VAR_BIT(VAR_MONTH_NAME) |         \
     VAR_BIT(VAR_MONTH_ABBR))

static void set_text(struct variable_values *values, enum variable variable, struct span text)
{
    values->text[variable] = text;
    values->set |= VAR_BIT(variable);
}

static int set_number(struct variable_values *values, enum variable variable, uint64_t number,
                      struct arena *arena)
{
    char digits[24];
    struct span text;
    snprintf(digits, sizeof digits, "%" PRIu64, number);
    text = arena_dup(arena, span_cstr(digits));
    if (text.p == NULL)
        return -1;
    set_text(values, variable, text);
    return 0;
}

static int set_date(struct variable_values *values, struct span date_text, struct arena *arena)
{
    struct date date;
    if (!date_parse(date_text, &date))
        return 0;
    if (set_number(values, VAR_YEAR, (uint64_t)date.year, arena) != 0 ||
        set_number(values, VAR_MONTH, (uint64_t)date.month, arena) != 0 ||
        set_number(values, VAR_DAY, (uint64_t)date.day, arena) != 0)
        return -1;
    set_text(values, VAR_MONTH_NAME, span_cstr(date_month_name(date.month)));
    set_text(values, VAR_MONTH_ABBR, span_cstr(date_month_abbr(date.month)));
    return 0;
}

/* A hash of the message in Base 32; id alone, or with the date. */
static void set_hash(const struct message_source *source, enum variable variable,
                     struct arena *arena, struct variable_values *values)
{
    char *hash;
    if (variable == VAR_MESSAGE_ID_HASH && source->hash != NULL) {
        set_text(values, variable, span_cstr(source->hash));
        return;
    }
    hash = arena_alloc(arena, MESSAGE_ID_HASH_LENGTH + 1);
    if (variable == VAR_LIST_ID_HASH)
        message_id_list_hash(source->id_text, source->date_text, hash);
    else
        message_id_hash(message_id_bare(source->id_text), hash);
    set_text(values, variable, span_cstr(hash));
}

static int set_message(const struct message_source *source, uint64_t needs, struct arena *arena,
                       struct variable_values *values)
{
    bool has_id = message_id_bare(source->id_text).n > 0; /* RULINGS 6 */
    bool has_date = source->date_text.p != NULL;
    if (has_id && (needs & VAR_BIT(VAR_MESSAGE_ID)) != 0)
        set_text(values, VAR_MESSAGE_ID, message_id_bare(source->id_text));
    if (has_id && (needs & VAR_BIT(VAR_MESSAGE_ID_HASH)) != 0)
        set_hash(source, VAR_MESSAGE_ID_HASH, arena, values);
    if (has_id && has_date && (needs & VAR_BIT(VAR_LIST_ID_HASH)) != 0)
        set_hash(source, VAR_LIST_ID_HASH, arena, values);
    if (source->number > 0 && (needs & VAR_BIT(VAR_SEQUENCE)) != 0 &&
        set_number(values, VAR_SEQUENCE, source->number, arena) != 0)
        return -1;
    if (has_date && (needs & NEEDS_DATE) != 0)
        return set_date(values, source->date_text, arena);
    return 0;
}

/* Whole fields, for what a token is made of; a missing one is empty (SU-25, RULINGS 48). */
static int set_fields(const struct message_source *source, uint64_t needs, struct arena *arena,
                      struct variable_values *values)
{
    static const struct {
        enum variable variable;
        enum field_name name;
    } fields[] = {{VAR_FROM, FIELD_FROM}, {VAR_TO, FIELD_TO}, {VAR_SUBJECT, FIELD_SUBJECT}};
    const struct facts facts = {.header = source->header};
    /* What was not kept is not missing, so it is not empty (RULINGS 71). */
    if (!facts_unknown(&facts, FIELD_DATE))
        set_text(values, VAR_DATE, source->date_text);
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        struct span text;
        if ((needs & VAR_BIT(fields[i].variable)) == 0 || facts_unknown(&facts, fields[i].name))
            continue;
        text = facts_first(&facts, fields[i].name, arena);
        set_text(values, fields[i].variable, text);
    }
    return 0;
}

/* Token number i, made of the other values and of the list's. */
static int set_token(const struct message_source *source, size_t i,
                     const struct variable_values *parts, struct arena *arena,
                     struct variable_values *values)
{
    struct span text;
    int result = token_value(&source->tokens[i], parts, arena, &text);
    if (result == 0)
        set_text(values, (enum variable)(VAR_FIRST_TOKEN + i), text);
    return result < 0 ? -1 : 0;
}

int message_values(const struct message_source *source, uint64_t needs, struct arena *arena,
                   struct variable_values *values)
{
    struct variable_values parts;
    uint64_t of_tokens = 0;
    for (size_t i = 0; i < source->token_count; i++) {
        if ((needs & VAR_BIT(VAR_FIRST_TOKEN + i)) != 0)
            of_tokens |= source->tokens[i].of.needs;
    }
    if (set_message(source, needs | of_tokens, arena, values) != 0)
        return -1;
    /* A token is of a post, and a post is known by its id, whatever else it is made of. */
    if ((needs & VARS_TOKENS) == 0 || source->id_text.p == NULL)
        return 0;
    /* Apart from what the caller has set, which may be another {archive}. */
    parts = *values;
    if (source->list != NULL)
        list_variables(source->list, &parts);
    if (set_fields(source, of_tokens, arena, &parts) != 0)
        return -1;
    for (size_t i = 0; i < source->token_count; i++) {
        if ((needs & VAR_BIT(VAR_FIRST_TOKEN + i)) != 0 &&
            set_token(source, i, &parts, arena, values) != 0)
            return -1;
    }
    return 0;
}
