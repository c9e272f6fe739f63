/*
 * choices - the words of keys that take one of a few, and an enum for each (types only)
 *
 * A row has both, so that they cannot be in another order.  The first is the value of a key that is
 * wrong.  An enum is one byte: a host has 100,000 lists.
 */
#ifndef MLMILTER_CONFIG_READ_CHOICES_H
#define MLMILTER_CONFIG_READ_CHOICES_H

/* clang-format off */
#define SELECT_CHOICE(ROW) \
    ROW(SELECT_LIST_ID, "list-id") ROW(SELECT_RECIPIENT, "recipient") ROW(SELECT_SENDER, "sender")
#define MISSING_CHOICE(ROW) \
    ROW(MISSING_ADD, "add") ROW(MISSING_REJECT, "reject") ROW(MISSING_IGNORE, "ignore")
#define DUPLICATE_CHOICE(ROW) \
    ROW(DUPLICATE_FIRST, "first") ROW(DUPLICATE_DELETE, "delete") ROW(DUPLICATE_REJECT, "reject")
#define CROSSPOST_CHOICE(ROW) ROW(CROSSPOST_DEFER, "defer") ROW(CROSSPOST_FIRST, "first")
#define PRIVATE_CHOICE(ROW) ROW(PRIVATE_STAMP, "stamp") ROW(PRIVATE_DEFER, "defer")
#define OVERSIGNED_CHOICE(ROW) ROW(OVERSIGNED_STAMP, "stamp") ROW(OVERSIGNED_SPARE, "spare")
#define SEQUENCE_CHOICE(ROW) \
    ROW(SEQUENCE_FROM_STORE, "store") ROW(SEQUENCE_FROM_SENDER, "envelope-sender")
#define ARCHIVED_AT_CHOICE(ROW) \
    ROW(ARCHIVED_AT_ANY, "any") ROW(ARCHIVED_AT_WELL_FORMED, "well-formed")
#define REUSED_CHOICE(ROW) \
    ROW(REUSED_ACCEPT, "accept") ROW(REUSED_OMIT, "omit") ROW(REUSED_REJECT, "reject")
#define STORE_FAILURE_CHOICE(ROW) \
    ROW(STORE_FAILURE_TEMPFAIL, "tempfail") ROW(STORE_FAILURE_OMIT, "omit")

/* The numbers are those of syslog(3): for daemon/log.c, which includes its header. */
#define FACILITY_CHOICE(ROW) \
    ROW(LOG_MAIL, "mail") ROW(LOG_DAEMON, "daemon") ROW(LOG_LOCAL0, "local0") ROW(LOG_LOCAL1, "local1") \
    ROW(LOG_LOCAL2, "local2") ROW(LOG_LOCAL3, "local3") ROW(LOG_LOCAL4, "local4") ROW(LOG_LOCAL5, "local5") \
    ROW(LOG_LOCAL6, "local6") ROW(LOG_LOCAL7, "local7") ROW(LOG_USER, "user") ROW(LOG_AUTH, "auth") \
    ROW(LOG_SYSLOG, "syslog")

/* config/lists/managers.c has the entries of each, by its word. */
#define MANAGER_CHOICE(ROW) \
    ROW(MANAGER_MAILMAN3, "mailman3", mailman3) ROW(MANAGER_MAILMAN2, "mailman2", mailman2) \
    ROW(MANAGER_MLMMJ, "mlmmj", mlmmj) ROW(MANAGER_SYMPA, "sympa", sympa) \
    ROW(MANAGER_EZMLM, "ezmlm", ezmlm) ROW(MANAGER_MAJORDOMO, "majordomo", majordomo)
/* clang-format on */

#define CHOICE_VALUE(value, ...)      value,
#define CHOICE_WORD(value, word, ...) word,
#define CHOICE_ENUM(name, choice)     enum name { choice(CHOICE_VALUE) } __attribute__((packed))

CHOICE_ENUM(list_select, SELECT_CHOICE);
CHOICE_ENUM(missing_policy, MISSING_CHOICE);
CHOICE_ENUM(duplicate_policy, DUPLICATE_CHOICE);
CHOICE_ENUM(crosspost_policy, CROSSPOST_CHOICE);
CHOICE_ENUM(private_policy, PRIVATE_CHOICE);
CHOICE_ENUM(oversigned_policy, OVERSIGNED_CHOICE);
CHOICE_ENUM(sequence_source, SEQUENCE_CHOICE);
CHOICE_ENUM(archived_at_condition, ARCHIVED_AT_CHOICE);
CHOICE_ENUM(reused_policy, REUSED_CHOICE);
CHOICE_ENUM(store_failure_policy, STORE_FAILURE_CHOICE);
enum manager { MANAGER_CHOICE(CHOICE_VALUE) MANAGER_COUNT } __attribute__((packed));

#endif
