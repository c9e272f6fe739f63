/*
 * list - a list of the configuration, checked and ready to be used
 *
 * Its texts live, compiled, in the arena of the settings.  A post expands them with the values of
 * the list.  Nothing changes after the load, so any number of threads may read it.
 */
#ifndef MLMILTER_CONFIG_LISTS_LIST_H
#define MLMILTER_CONFIG_LISTS_LIST_H

#include "config/read/choices.h"
#include "config/read/trust.h"
#include "mail/field_name.h"
#include "spec/list_fields.h"
#include "spec/uri_template.h"
#include "text/arena.h"
#include "text/span.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct list_text {
    struct template text;            /* of an item of a List-* field, the URI; "NO" has no parts */
    const struct template *comments; /* before and after it; NULL: none */
};

/* The values of a key. */
struct list_text_array {
    const struct list_text *items;
    size_t count;
};

#define LIST_FIRST_FIELD FIELD_LIST_ID
#define LIST_LAST_FIELD  FIELD_LIST_ARCHIVE

/* Shared by lists that have none of their own: it is that of `defaults` and their manager. */
struct list_texts {
    struct list_text_array fields[LIST_LAST_FIELD - FIELD_LIST_HELP + 1]; /* from List-Help on */
    struct list_text_array archived_at; /* as in the configuration, also if some are left out */
};

/* The lists above a nested list, of ours or of others. */
struct nesting {
    struct parent {
        struct span id;
        int line; /* 0: of `defaults` */
    } * parents;  /* sorted */
    size_t parent_count;
    struct trust_rules sources; /* who may bring a parent's post */
    bool has_sources;           /* false: every client that is `trusted` */
};

/* The domains of a delegate, in which the ids and addresses of its lists are (LI-03, RULINGS 59).
 */
struct domain {
    struct span name; /* A-labels */
    bool is_below;    /* "*.": the domains below the name, but not the name itself */
};

struct domains {
    const char *owner; /* the name of the delegate */
    const struct domain *items;
    size_t count;
    bool is_virtual; /* none of them is local to this host (RULINGS 111) */
};

struct list {
    const char *file;             /* where it is configured */
    const struct domains *bounds; /* of the delegate who owns it; NULL: the administrator does */
    struct span id;               /* as configured */
    struct span address;          /* as configured; empty: none */

    /* As addresses are compared (spec/mailbox.h). An alias without a domain is the name of a local
     * mailbox (RULINGS 21). Command addresses of all kinds follow the aliases, and `senders`, in
     * which a "*" may be, follow them. */
    struct span mailbox;
    const struct span *aliases;
    uint32_t alias_count;
    uint32_t command_address_count;
    uint32_t sender_count;
    uint32_t number;            /* in the configuration */
    int command_addresses_line; /* of that key in the list itself, or 0 */

    struct span description;
    const struct list_texts *texts;
    struct nesting *nesting; /* NULL: no parents */
    uint64_t keep;           /* FIELD_BITs */
    int line;                /* in the file */

    /* The keys that are a choice or a switch, by their names (lists/policies.c). */
    enum list_select select;
    enum manager manager; /* MANAGER_COUNT: none */
    enum missing_policy missing_message_id;
    enum duplicate_policy duplicate_message_id;
    enum crosspost_policy crosspost;
    enum private_policy private_recipients;
    enum oversigned_policy oversigned;
    enum sequence_source sequence_from;
    enum archived_at_condition archived_at_requires;
    enum reused_policy reused_message_id;
    enum store_failure_policy on_store_failure;
    bool message_id_hash;
    bool honor_no_archive;
    bool precedence;
    bool list_id_hash;
    bool alt_message_id;
    bool replace_post;
    bool sequence;
    bool unsubscribe_one_click;

    /* Bit-fields: a host has 100,000 lists. */
    bool has_web_archive : 1; /* an archive that {archive} can be */
    bool archived_at : 1;     /* its posts get Archived-At */
    bool numbered : 1;        /* a number is wanted: `sequence`, or a template with {sequence} */
    bool asks_store : 1;      /* numbered by the store, or reused_message_id is not "accept" */
    bool has_bare_name : 1;   /* an alias without a domain */
    bool shares_name : 1;     /* for list_by_name */
};

static inline const struct span *list_command_addresses(const struct list *list)
{
    return list->aliases + list->alias_count;
}

static inline const struct span *list_senders(const struct list *list)
{
    return list_command_addresses(list) + list->command_address_count;
}

/* True if both lists are the administrator's, or one delegate's. */
static inline bool list_has_same_owner(const struct list *a, const struct list *b)
{
    return a->bounds == b->bounds;
}

/* True if the list is a delegate's, with `virtual = true` (RULINGS 111). */
static inline bool list_domain_is_virtual(const struct list *list)
{
    return list->bounds != NULL && list->bounds->is_virtual;
}

/* True if the id is that of a parent of the list. The list's own id never is: `defaults` may name
 * each list (RULINGS 14). Takes no longer with many parents (RULINGS 117). */
bool list_names_parent(const struct list *list, struct span id);

/* Sets the values of the variables of a list (VARS_LIST) that it has. */
void list_variables(const struct list *list, struct variable_values *values);

/* Sets {archive} to the first URI of List-Archive that is http or https (RULINGS 42). */
void list_set_archive(const struct list *list, struct arena *arena, struct variable_values *values);

/* Returns the items of a List-* field other than List-Id. */
const struct list_text_array *list_items(const struct list *list, enum field_name name);

/* True if posts of the list never have the item or template: it names the recipient, which is the
 * list itself (RULINGS 16, 84), or it has {archive} and the list has no archive (RULINGS 42). */
bool list_leaves_out(const struct list *list, const struct list_text *text);

/* Returns the text of a template with these values, in the arena. */
struct span list_expand(const struct template *t, const struct variable_values *values,
                        struct arena *arena);

/* Expands an item. Returns as template_expand does for its URI. */
enum variable list_item_make(const struct list_text *text, const struct variable_values *values,
                             struct arena *arena, struct list_item *item);

/* Returns the value of List-Id, or of a field with items; empty if the list has no such field. Not
 * for List-Unsubscribe with items that name the recipient: without a recipient they are "<>". */
const char *list_field_value(const struct list *list, enum field_name name,
                             const struct variable_values *values, struct arena *arena);

/* The mailboxes in the mailto: items of `owner`, at most so many. */
#define LIST_OWNERS_MAX 100
struct list_owners {
    struct span mailboxes[LIST_OWNERS_MAX];
    size_t count;
};

/* Fills *owners; texts are in the arena. */
void list_owners(const struct list *list, struct arena *arena, struct list_owners *owners);
bool list_owners_have(const struct list_owners *owners, struct span mailbox);

#endif
