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

static void set_number(struct variable_values *values, enum variable variable, uint64_t number,
                       struct arena *arena)
{
    char digits[24];
    snprintf(digits, sizeof digits, "%" PRIu64, number);
    set_text(values, variable, arena_dup(arena, span_cstr(digits)));
}

static void set_date(struct variable_values *values, struct span date_text, struct arena *arena)
{
    struct date date;
    if (!date_parse(date_text, &date))
        return;
    set_number(values, VAR_YEAR, (uint64_t)date.year, arena);
    set_number(values, VAR_MONTH, (uint64_t)date.month, arena);
    set_number(values, VAR_DAY, (uint64_t)date.day, arena);
    set_text(values, VAR_MONTH_NAME, span_cstr(date_month_name(date.month)));
    set_text(values, VAR_MONTH_ABBR, span_cstr(date_month_abbr(date.month)));
}

static void set_hash(const struct message_source *source, struct arena *arena,
                     struct variable_values *values)
{
    const char *hash = source->hash;
    if (hash == NULL) {
        char *made = arena_alloc(arena, MESSAGE_ID_HASH_LENGTH + 1);
        message_id_hash(message_id_bare(source->id_text), made);
        hash = made;
    }
    set_text(values, VAR_MESSAGE_ID_HASH, span_cstr(hash));
}

static void set_list_hash(const struct message_source *source, struct arena *arena,
                          struct variable_values *values)
{
    char *hash = arena_alloc(arena, MESSAGE_ID_HASH_LENGTH + 1);
    message_id_list_hash(source->id_text, source->date_text, hash);
    set_text(values, VAR_LIST_ID_HASH, span_cstr(hash));
}

static void set_message(const struct message_source *source, uint64_t needs, struct arena *arena,
                        struct variable_values *values)
{
    struct span id = message_id_bare(source->id_text);
    bool has_date = source->date_text.p != NULL;
    if (id.n > 0 && (needs & VAR_BIT(VAR_MESSAGE_ID)) != 0) /* RULINGS 6 */
        set_text(values, VAR_MESSAGE_ID, id);
    if (id.n > 0 && (needs & VAR_BIT(VAR_MESSAGE_ID_HASH)) != 0)
        set_hash(source, arena, values);
    if (id.n > 0 && has_date && (needs & VAR_BIT(VAR_LIST_ID_HASH)) != 0)
        set_list_hash(source, arena, values);
    if (source->number > 0 && (needs & VAR_BIT(VAR_SEQUENCE)) != 0)
        set_number(values, VAR_SEQUENCE, source->number, arena);
    if (has_date && (needs & NEEDS_DATE) != 0)
        set_date(values, source->date_text, arena);
}

/* Sets whole fields, of which tokens are made; a missing one is empty (SU-25, RULINGS 48). */
static void set_fields(const struct message_source *source, uint64_t needs, struct arena *arena,
                       struct variable_values *values)
{
    static const struct {
        enum variable variable;
        enum field_name name;
    } fields[] = {{VAR_FROM, FIELD_FROM}, {VAR_TO, FIELD_TO}, {VAR_SUBJECT, FIELD_SUBJECT}};
    const struct facts facts = {.header = source->header};
    set_text(values, VAR_DATE, source->date_text);
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
        if ((needs & VAR_BIT(fields[i].variable)) != 0)
            set_text(values, fields[i].variable, facts_first(&facts, fields[i].name, arena));
}

void message_values(const struct message_source *source, uint64_t needs, struct arena *arena,
                    struct variable_values *values)
{
    uint64_t of_tokens = 0;
    for (size_t i = 0; i < source->token_count; i++)
        if ((needs & VAR_BIT(VAR_FIRST_TOKEN + i)) != 0)
            of_tokens |= source->tokens[i].of.needs;
    set_message(source, needs | of_tokens, arena, values);
    /* A token is of a post, and a post is known by its id. */
    if ((needs & VARS_TOKENS) == 0 || source->id_text.p == NULL)
        return;
    struct variable_values parts = *values; /* the caller's {archive} may be another */
    if (source->list != NULL)
        list_variables(source->list, &parts);
    set_fields(source, of_tokens, arena, &parts);
    for (size_t i = 0; i < source->token_count; i++) {
        struct span text;
        if ((needs & VAR_BIT(VAR_FIRST_TOKEN + i)) != 0 &&
            token_value(&source->tokens[i], &parts, arena, &text) == 0)
            set_text(values, (enum variable)(VAR_FIRST_TOKEN + i), text);
    }
}
