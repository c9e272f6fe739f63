/* message_values - the same values for the daemon's posts and for off-list copies (SU-13, R1-07) */
#include "plan/message_values.h"

#include "mail/date.h"
#include "spec/message_id.h"
#include "text/strbuf.h"

#define NEEDS_DATE                                                                                 \
    (VAR_BIT(VAR_YEAR) | VAR_BIT(VAR_MONTH) | VAR_BIT(VAR_DAY) | VAR_BIT(VAR_MONTH_NAME) |         \
     VAR_BIT(VAR_MONTH_ABBR))

static void set_text(struct variable_values *values, enum variable variable, struct span text)
{
    values->text[variable] = text;
    values->set |= VAR_BIT(variable);
}

static int set_number(struct variable_values *values, enum variable variable, int number,
                      struct arena *arena)
{
    struct strbuf digits = STRBUF_INIT;
    struct span text = span_of(NULL, 0);

    strbuf_addf(&digits, "%d", number);
    if (!strbuf_failed(&digits))
        text = arena_dup(arena, strbuf_span(&digits));
    strbuf_free(&digits);
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
    if (set_number(values, VAR_YEAR, date.year, arena) != 0 ||
        set_number(values, VAR_MONTH, date.month, arena) != 0 ||
        set_number(values, VAR_DAY, date.day, arena) != 0)
        return -1;
    set_text(values, VAR_MONTH_NAME, span_cstr(date_month_name(date.month)));
    set_text(values, VAR_MONTH_ABBR, span_cstr(date_month_abbr(date.month)));
    return 0;
}

int message_values(struct span id_text, struct span date_text, uint64_t needs,
                   const struct digest *sha1, struct arena *arena, struct variable_values *values)
{
    struct span bare = message_id_bare(id_text);
    char *hash = arena_alloc(arena, MESSAGE_ID_HASH_LENGTH + 1);
    char *list_hash = arena_alloc(arena, MESSAGE_ID_HASH_LENGTH + 1);
    bool has_both = id_text.p != NULL && date_text.p != NULL;

    if (hash == NULL || list_hash == NULL)
        return -1;
    if (id_text.p != NULL && (needs & VAR_BIT(VAR_MESSAGE_ID)) != 0)
        set_text(values, VAR_MESSAGE_ID, bare);
    if (id_text.p != NULL && (needs & VAR_BIT(VAR_MESSAGE_ID_HASH)) != 0) {
        if (message_id_hash(sha1, bare, hash) != 0)
            return -1;
        set_text(values, VAR_MESSAGE_ID_HASH, span_cstr(hash));
    }
    if (has_both && (needs & VAR_BIT(VAR_LIST_ID_HASH)) != 0) {
        if (message_id_list_hash(sha1, id_text, date_text, list_hash) != 0)
            return -1;
        set_text(values, VAR_LIST_ID_HASH, span_cstr(list_hash));
    }
    if (date_text.p != NULL && (needs & NEEDS_DATE) != 0)
        return set_date(values, date_text, arena);
    return 0;
}
