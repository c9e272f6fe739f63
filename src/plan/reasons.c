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
    static const char *const reasons[] = {
        [RULE_NONE] =
            "no list: neither a trusted client's List-Id or sender nor a recipient names one",
        [RULE_FORCED] = "the list was named by --list",
        [RULE_RESENT] =
            "a person sends on a post: the List-Id is a list's, and the envelope sender is not",
        [RULE_SUBLIST] = "a recipient is the list, which the MTA expands",
        [RULE_LIST_ID] = "a trusted client, and the List-Id is the list's",
        [RULE_AMBIGUOUS] = "the List-Id fields name several lists and the sender does not decide",
        [RULE_SENDER] = "a trusted client, and the envelope sender is the list's",
        [RULE_COMMAND_SENDER] = "a trusted client, and the sender is a command address of the list",
        [RULE_COMMAND_FROM] = "a trusted client, and From has a command address of the list",
        [RULE_CONTESTED] = "a recipient is a local mailbox whose name lists of two owners have",
        [RULE_RECIPIENT] = "a recipient is the list, which the MTA expands",
        [RULE_FEED] = "a recipient is the list, and its list manager has not had the message yet",
        [RULE_CONTACT] = "a recipient is a command address of the list, which the MTA expands",
        [RULE_BELOW] = "a recipient is an address below the list's, which only its list manager "
                       "understands",
    };
    _Static_assert(sizeof reasons / sizeof *reasons == RULE_COUNT, "a reason for each rule");
    return reasons[selection->rule];
}
