/* delegate_report - see delegate_report.h */
#include "config/delegation/delegate_report.h"

#include "config/report/say.h"

#include <stdio.h>
#include <string.h>

/* May one more error be told? */
static bool may_tell(struct delegate_report *r)
{
    if (r->told >= DELEGATE_ERRORS_TOLD)
        return false;
    r->told++;
    return true;
}

void delegate_report_fault(struct delegate_report *r, const char *path, const char *fault,
                           const char *outcome)
{
    r->wrong++;
    if (may_tell(r))
        say(r->diagnostics, SEVERITY_DELEGATED, place_of(path, 0, NULL), NO_VALUE, "%s; %s", fault,
            outcome);
    else
        r->untold++;
}

void delegate_report_unreadable(struct delegate_report *r, const char *path, const char *fault,
                                const char *outcome)
{
    char whole[200];
    snprintf(whole, sizeof whole, "cannot be read: %s", fault);
    delegate_report_fault(r, path, whole, outcome);
}

/* An error of the file, or one of the `defaults` that it brought to light. */
static void tell_item(struct delegate_report *r, const char *path, const struct diagnostic *item,
                      const char *outcome)
{
    if (strcmp(item->file, path) == 0)
        say(r->diagnostics, SEVERITY_DELEGATED, place_of(path, item->line, NULL), NO_VALUE,
            "%s; %s", item->text, outcome);
    else
        say(r->diagnostics, SEVERITY_DELEGATED, place_of(item->file, item->line, NULL), NO_VALUE,
            "%s; %s: %s", item->text, path, outcome);
}

void delegate_report_errors(struct delegate_report *r, const char *path,
                            const struct diagnostics *errors, const char *outcome)
{
    size_t told = 0;
    r->wrong++;
    for (size_t i = 0; i < errors->count && told < DELEGATE_FILE_ERRORS_TOLD; i++) {
        if (errors->items[i].severity != SEVERITY_ERROR)
            continue;
        if (!may_tell(r))
            break;
        tell_item(r, path, &errors->items[i], outcome);
        told++;
    }
    if (told == 0)
        r->untold++;
    else if (errors->errors > told)
        say(r->diagnostics, SEVERITY_DELEGATED, place_of(path, 0, NULL), NO_VALUE,
            "has %zu more errors; %s", errors->errors - told, outcome);
}

void delegate_report_end(const struct delegate_report *r, const struct delegate *delegate)
{
    if (r->untold > 0)
        say(r->diagnostics, SEVERITY_DELEGATED,
            place_of(delegate->file, delegate->line, "delegate"), delegate->name,
            "has %zu more files that are wrong", r->untold);
}
