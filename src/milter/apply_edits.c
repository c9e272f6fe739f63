/*
 * A plan becomes calls of libmilter, in the one order that Postfix and Sendmail understand alike.
 *
 * Measured: Postfix renumbers the copies of a field after each deletion, Sendmail does not, and an
 * inserted copy counts in Sendmail: so all deletions first, each name from its last copy to its
 * first (the plan has them so), then the insertions.  Only the places 0, 1 and a huge one mean the
 * same in both; 1 is below the MTA's own Received, and of several insertions there the last comes
 * out on top: so from the last to the first, all at 1.
 */
#include "milter/apply_edits.h"

#include "mail/field_name.h"

#include <limits.h>

char *libmilter_text(const char *text)
{
    union {
        const char *theirs;
        char *ours;
    } u = {text};

    return u.ours;
}

static int delete_field(SMFICTX *ctx, const struct edit *edit)
{
    const char *name = field_name_text(edit->name);
    if (edit->index > INT_MAX)
        return -1;
    return smfi_chgheader(ctx, libmilter_text(name), (int)edit->index, NULL) == MI_SUCCESS ? 0 : -1;
}

static int insert_field(SMFICTX *ctx, const struct edit *edit)
{
    char *name = libmilter_text(field_name_text(edit->name));
    return smfi_insheader(ctx, 1, name, libmilter_text(edit->value.p)) == MI_SUCCESS ? 0 : -1;
}

int apply_edits(SMFICTX *ctx, const struct plan *plan)
{
    for (size_t i = 0; i < plan->edit_count; i++)
        if (plan->edits[i].op == EDIT_DELETE && delete_field(ctx, &plan->edits[i]) != 0)
            return -1;
    for (size_t i = plan->edit_count; i-- > 0;)
        if (plan->edits[i].op == EDIT_INSERT && insert_field(ctx, &plan->edits[i]) != 0)
            return -1;
    return 0;
}
