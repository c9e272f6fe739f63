/* facts - see facts.h */
#include "plan/facts.h"

#include "mail/fold.h"

struct span facts_text(const struct facts *facts, size_t place, struct arena *arena)
{
    return fold_text(header_field(facts->header, place).value, arena);
}

struct span facts_first(const struct facts *facts, enum field_name name, struct arena *arena)
{
    size_t place = header_find(facts->header, name, 0);
    bool is_missing = place == header_count(facts->header);
    return is_missing ? span_of(NULL, 0) : facts_text(facts, place, arena);
}
