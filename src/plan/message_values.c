/* message_values - see message_values.h (SU-13, SU-24, SU-25, R1-07) */
#include "plan/message_values.h"

#include "mail/date.h"
#include "spec/message_id.h"
#include "text/strbuf.h"

#include <inttypes.h>
#include <stdio.h>

struct message_source message_source_of(const struct header *header, struct arena *arena)
{
    return (struct message_source){.header = header,
                                   .id_text = header_first(header, FIELD_MESSAGE_ID, arena),
                                   .date_text = header_first(header, FIELD_DATE, arena)};
}

static void set_text(struct variable_values *values, enum variable variable, struct span text)
{
    values->text[variable] = text;
    values->set |= VAR_BIT(variable);
}

static struct span number_text(uint64_t number, struct arena *arena)
{
    char digits[24];
    snprintf(digits, sizeof digits, "%" PRIu64, number);
    return arena_dup(arena, span_cstr(digits));
}

static void set_date(struct variable_values *values, struct span date_text, struct arena *arena)
{
    struct date date;
    if (!date_parse(date_text, &date))
        return;
    const struct span parts[] = {
        [VAR_YEAR - VAR_YEAR] = number_text((uint64_t)date.year, arena),
        [VAR_MONTH - VAR_YEAR] = number_text((uint64_t)date.month, arena),
        [VAR_DAY - VAR_YEAR] = number_text((uint64_t)date.day, arena),
        [VAR_MONTH_NAME - VAR_YEAR] = span_cstr(date_month_name(date.month)),
        [VAR_MONTH_ABBR - VAR_YEAR] = span_of(date_month_name(date.month), 3)};
    _Static_assert(sizeof parts / sizeof parts[0] == VAR_SEQUENCE - VAR_YEAR,
                   "a value for each variable of VARS_DATE");
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        set_text(values, (enum variable)(VAR_YEAR + i), parts[i]);
}

static void set_message(const struct message_source *source, uint64_t needs, struct arena *arena,
                        struct variable_values *values)
{
    char hash[MESSAGE_ID_HASH_LENGTH + 1];
    struct span id = message_id_bare(source->id_text);
    bool has_date = source->date_text.p != NULL;
    if (id.n > 0 && (needs & VAR_BIT(VAR_MESSAGE_ID)) != 0) /* RULINGS 6 */
        set_text(values, VAR_MESSAGE_ID, id);
    if (id.n > 0 && (needs & VAR_BIT(VAR_MESSAGE_ID_HASH)) != 0) {
        if (source->hash == NULL)
            message_id_hash(id, hash);
        set_text(values, VAR_MESSAGE_ID_HASH,
                 arena_dup(arena, span_cstr(source->hash != NULL ? source->hash : hash)));
    }
    if (id.n > 0 && has_date && (needs & VAR_BIT(VAR_LIST_ID_HASH)) != 0) {
        message_id_list_hash(source->id_text, source->date_text, hash);
        set_text(values, VAR_LIST_ID_HASH, arena_dup(arena, span_cstr(hash)));
    }
    if (source->number > 0 && (needs & VAR_BIT(VAR_SEQUENCE)) != 0)
        set_text(values, VAR_SEQUENCE, number_text(source->number, arena));
    if (has_date && (needs & VARS_DATE) != 0)
        set_date(values, source->date_text, arena);
}

void message_values(const struct message_source *source, uint64_t needs, struct arena *arena,
                    struct variable_values *values)
{
    static const enum variable variables[] = {VAR_FROM, VAR_TO, VAR_SUBJECT};
    static const enum field_name names[] = {FIELD_FROM, FIELD_TO, FIELD_SUBJECT};
    uint64_t of_tokens = 0;
    for (size_t i = 0; i < source->token_count; i++)
        if ((needs & VAR_BIT(VAR_FIRST_TOKEN + i)) != 0)
            of_tokens |= source->tokens[i].of.needs;
    set_message(source, needs | of_tokens, arena, values);
    /* Without an id there is no post, and no token. */
    if ((needs & VARS_TOKENS) == 0 || source->id_text.p == NULL)
        return;
    struct variable_values parts = *values; /* list_variables would overwrite {archive} */
    if (source->list != NULL)
        list_variables(source->list, &parts);
    /* A missing field is empty (SU-25, RULINGS 48). */
    set_text(&parts, VAR_DATE, source->date_text);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if ((of_tokens & VAR_BIT(variables[i])) != 0)
            set_text(&parts, variables[i], header_first(source->header, names[i], arena));
    for (size_t i = 0; i < source->token_count; i++) {
        struct span text;
        if ((needs & VAR_BIT(VAR_FIRST_TOKEN + i)) != 0 &&
            token_value(&source->tokens[i], &parts, arena, &text) == 0)
            set_text(values, (enum variable)(VAR_FIRST_TOKEN + i), text);
    }
}
