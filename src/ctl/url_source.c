/* The Message-ID, date and number of a copy: see url_source.h. */
#include "ctl/url_source.h"

#include "ctl/numbers.h"
#include "plan/facts.h"

#include <string.h>

/* The number that the post was given (SU-18): the copy carries it, if the list has numbers.
 *
 *   X-List-Sequence = 1*15DIGIT
 */
static int read_number(const struct facts *facts, struct arena *arena, uint64_t *number)
{
    static const enum field_name names[] = {FIELD_X_LIST_SEQUENCE, FIELD_X_LIST_SEQUENCE_NUMBER};
    struct span text;

    *number = 0;
    for (size_t i = 0; i < sizeof names / sizeof names[0] && *number == 0; i++) {
        const char *digits;

        if (facts_first(facts, names[i], arena, &text) != 0)
            return -1;
        digits = arena_strdup(arena, text);
        if (digits == NULL)
            return -1;
        if (text.n != strlen(digits) || !number_parse(digits, STORE_NUMBER_MAX, number))
            *number = 0;
    }
    return 0;
}

int url_source_read(struct message_source *source, const struct header *header, struct arena *arena)
{
    const struct facts facts = {.header = header};

    source->header = header;
    if (facts_first(&facts, FIELD_MESSAGE_ID, arena, &source->id_text) != 0 ||
        facts_first(&facts, FIELD_DATE, arena, &source->date_text) != 0)
        return -1;
    return read_number(&facts, arena, &source->number);
}
