/* memo - see memo.h */
#include "lint/memo.h"

bool lint_memo_replay(const struct lint_memo *memo, struct lint_findings *findings,
                      const struct field *field, size_t place)
{
    if (!memo->is_set || findings->wants_texts || !span_eq(strbuf_span(&memo->value), field->value))
        return false;
    for (size_t i = 0; i < memo->count; i++)
        lint_find(findings, memo->rules[i], field->id, place, "%s", "");
    return true;
}

void lint_memo_keep(struct lint_memo *memo, const struct lint_findings *findings,
                    const struct field *field, size_t from)
{
    size_t count = findings->count - from;
    strbuf_reset(&memo->value);
    strbuf_add_span(&memo->value, field->value);
    memo->is_set =
        count <= LINT_MEMO_RULES && !findings->out_of_memory && !strbuf_failed(&memo->value);
    memo->count = memo->is_set ? count : 0;
    for (size_t i = 0; i < memo->count; i++)
        memo->rules[i] = findings->items[from + i].rule;
}
