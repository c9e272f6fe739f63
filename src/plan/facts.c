/* facts - questions about one message that more than one decision asks */
#include "plan/facts.h"

#include "mail/fold.h"

struct span facts_first(const struct facts *facts, enum field_name name, struct arena *arena)
{
    size_t i = header_find(facts->header, name, 0);
    if (i == header_count(facts->header))
        return span_of(NULL, 0);
    return fold_text(header_field(facts->header, i).value, arena);
}

bool facts_unknown(const struct facts *facts, enum field_name name)
{
    return facts->header->too_large && header_count_of(facts->header, name) > 0 &&
           header_find(facts->header, name, 0) == header_count(facts->header);
}
