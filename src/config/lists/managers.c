/*
 * managers - the sections of list managers
 *
 * doc/list-managers.md says which were run, and which were read in their sources.  Addresses that
 * all lists of a host share (sympa@, majordomo@) are not included.
 */
#include "config/lists/build.h"

/* clang-format off */
#define MAILMAN                                                                                  \
    ENTRY(KEY_HELP,              "mailto:{address_local}-request@{address_domain}?subject=help"), \
    ENTRY(KEY_POST,              "mailto:{address}"),                                             \
    ENTRY(KEY_OWNER,             "mailto:{address_local}-owner@{address_domain}"),                \
    ENTRY(KEY_COMMAND_ADDRESSES, "from:{address_local}-request@{address_domain}"),                \
    ENTRY(KEY_COMMAND_ADDRESSES, "from:{address_local}-owner@{address_domain}"),                  \
    ENTRY(KEY_COMMAND_ADDRESSES, "from:{address_local}-bounces@{address_domain}"),                \
    ENTRY(KEY_COMMAND_ADDRESSES, "from:{address_local}-confirm@{address_domain}")

static const struct entry mailman3[] = {
    MAILMAN,
    ENTRY(KEY_SUBSCRIBE,         "mailto:{address_local}-join@{address_domain}"),
    ENTRY(KEY_UNSUBSCRIBE,       "mailto:{address_local}-leave@{address_domain}"),
};

static const struct entry mailman2[] = {
    MAILMAN,
    ENTRY(KEY_SUBSCRIBE,
         "mailto:{address_local}-request@{address_domain}?subject=subscribe"),
    ENTRY(KEY_UNSUBSCRIBE,
         "mailto:{address_local}-request@{address_domain}?subject=unsubscribe"),
};

static const struct entry mlmmj[] = {
    ENTRY(KEY_HELP,              "mailto:{address_local}+help@{address_domain}"),
    ENTRY(KEY_SUBSCRIBE,         "mailto:{address_local}+subscribe@{address_domain}"),
    ENTRY(KEY_UNSUBSCRIBE,       "mailto:{address_local}+unsubscribe@{address_domain}"),
    ENTRY(KEY_POST,              "mailto:{address}"),
    ENTRY(KEY_OWNER,             "mailto:{address_local}+owner@{address_domain}"),
    ENTRY(KEY_COMMAND_ADDRESSES, "from:{address_local}+help@{address_domain}"),
    ENTRY(KEY_COMMAND_ADDRESSES, "from:{address_local}+owner@{address_domain}"),
    ENTRY(KEY_SEQUENCE_FROM,     "envelope-sender"),
};

/* Sympa writes X-no-archive: yes into every post: honoured, no post would get a link. */
static const struct entry sympa[] = {
    ENTRY(KEY_POST,              "mailto:{address}"),
    ENTRY(KEY_OWNER,             "mailto:{address_local}-request@{address_domain}"),
    ENTRY(KEY_COMMAND_ADDRESSES, "always:{address_local}-request@{address_domain}"),
    ENTRY(KEY_SENDERS,           "bounce+*=={address_local}@{address_domain}"), /* with VERP */
    ENTRY(KEY_HONOR_NO_ARCHIVE,  "false"),
};

static const struct entry ezmlm[] = {
    ENTRY(KEY_SELECT,            "sender"),
    ENTRY(KEY_HELP,              "mailto:{address_local}-help@{address_domain}"),
    ENTRY(KEY_SUBSCRIBE,         "mailto:{address_local}-subscribe@{address_domain}"),
    ENTRY(KEY_UNSUBSCRIBE,       "mailto:{address_local}-unsubscribe@{address_domain}"),
    ENTRY(KEY_POST,              "mailto:{address}"),
    ENTRY(KEY_OWNER,             "mailto:{address_local}-owner@{address_domain}"),
    ENTRY(KEY_COMMAND_ADDRESSES, "from:{address_local}-return-@{address_domain}"),
    ENTRY(KEY_COMMAND_ADDRESSES, "from:{address_local}-help@{address_domain}"),
    ENTRY(KEY_COMMAND_ADDRESSES, "from:{address_local}-owner@{address_domain}"),
};

static const struct entry majordomo[] = {
    ENTRY(KEY_SELECT,            "sender"),
    ENTRY(KEY_SENDERS,           "owner-{address_local}@{address_domain}"),
    ENTRY(KEY_POST,              "mailto:{address}"),
};
/* clang-format on */

#define MANAGER_SECTION(manager, word, entries_)                                                   \
    [manager] = {.entries = entries_, .count = sizeof entries_ / sizeof entries_[0]},
const struct section managers[MANAGER_COUNT] = {MANAGER_CHOICE(MANAGER_SECTION)};
