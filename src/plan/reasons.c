/* reasons - see selection.h: roles and rules in words */
#include "plan/selection.h"

const char *role_name(enum role role)
{
    static const char *const names[] = {
        [ROLE_NONE] = "none", [ROLE_FEED] = "feed", [ROLE_DISTRIBUTION] = "distribution"};
    return names[role];
}

const char *selection_reason(const struct selection *selection)
{
    switch (selection->rule) {
    case RULE_NONE:
        return "no list: neither a trusted client's List-Id or sender nor a recipient names one";
    case RULE_FORCED:
        return "the list was named by --list";
    case RULE_RESENT:
        return "a person sends on a post: the List-Id is a list's, and the envelope sender is not";
    case RULE_SUBLIST:
        return "a recipient is the list, which the MTA expands";
    case RULE_LIST_ID:
        return "a trusted client, and the List-Id is the list's";
    case RULE_AMBIGUOUS:
        return "the List-Id fields name several lists and the sender does not decide";
    case RULE_SENDER:
        return "a trusted client, and the envelope sender is the list's";
    case RULE_COMMAND_SENDER:
        return "a trusted client, and the sender is a command address of the list";
    case RULE_COMMAND_FROM:
        return "a trusted client, and From has a command address of the list";
    case RULE_CONTESTED:
        return "a recipient is a local mailbox whose name lists of two owners have";
    case RULE_RECIPIENT:
        return "a recipient is the list, which the MTA expands";
    case RULE_FEED:
        return "a recipient is the list, and its list manager has not had the message yet";
    case RULE_CONTACT:
        return "a recipient is a command address of the list, which the MTA expands";
    case RULE_BELOW:
        return "a recipient is an address below the list's, which only its list manager "
               "understands";
    }
    return "";
}
