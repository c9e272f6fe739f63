/* config/lists/managers: what `manager` stands for, and what counts before it (RULINGS 90). */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "config_help.h"

#define DEV(text)                                                                                  \
    "list \"dev.lists.example.org\" { address = \"dev@lists.example.org\" description = "          \
    "\"D\" " text " }\n"
#define MAIN(text) "lists = {} store = \"sqlite:numbers.db\"\n" text

/* All that the plan can see of a list. */
static void describe(const struct list *list, struct strbuf *out)
{
    strbuf_addf(out, "%.*s select %d from %d honour %d keep %d", (int)list->mailbox.n,
                list->mailbox.p, list->select, list->sequence_from, list->honor_no_archive,
                list->keep != 0);
    for (int name = LIST_FIRST_FIELD; name <= LIST_LAST_FIELD; name++) {
        strbuf_add_char(out, '\n');
        strbuf_add_span(out, field_of(list, (enum field_name)name));
    }
    for (size_t i = 0; i < list->command_address_count; i++)
        strbuf_addf(out, "\ncommand %.*s", (int)list->command_addresses[i].n,
                    list->command_addresses[i].p);
    strbuf_addf(out, "\nsenders %d", list->has_senders);
}

/* Describes the first list of a main file without errors; says also how its command addresses and
 * senders are found. */
static void describe_text(const char *text, struct strbuf *out)
{
    static const char *const addresses[] = {
        "dev-request@lists.example.org", "dev-owner@lists.example.org",
        "dev+owner@lists.example.org", "owner-dev@lists.example.org",
        "dev-return-7@lists.example.org"};
    struct loaded l = load_text(text);
    if (l.settings == NULL)
        fail_msg("%s", strbuf_str(&l.messages));
    const struct list_index *index = &l.settings->index;
    describe(index->lists[0], out);
    for (size_t i = 0; i < CHECK_COUNT(addresses); i++) {
        struct span address = span_cstr(addresses[i]);
        strbuf_addf(out, "\n%d %d %d", list_by_sender(index, address) != NULL,
                    list_by_from_address(index, address) != NULL,
                    list_always_commands(index, index->lists[0], address));
    }
    strbuf_add_str(out, "\n");
    strbuf_add_str(out, strbuf_str(&l.messages));
    loaded_free(&l);
}

#define L "{address_local}"
#define D "@{address_domain}"

/* What doc/list-managers.md says that each stands for. */
static const struct {
    const char *manager;
    const char *means;
} rows[] = {
    {"mailman3",
     "help = {\"mailto:" L "-request" D "?subject=help\"} subscribe = {\"mailto:" L "-join" D "\"} "
     "unsubscribe = {\"mailto:" L "-leave" D "\"} post = {\"mailto:{address}\"} "
     "owner = {\"mailto:" L "-owner" D "\"} command_addresses = {\"from:" L "-request" D
     "\", \"from:" L "-owner" D "\", \"from:" L "-bounces" D "\", \"from:" L "-confirm" D "\"}"},
    {"mailman2",
     "help = {\"mailto:" L "-request" D "?subject=help\"} subscribe = {\"mailto:" L "-request" D
     "?subject=subscribe\"} unsubscribe = {\"mailto:" L "-request" D "?subject=unsubscribe\"} "
     "post = {\"mailto:{address}\"} owner = {\"mailto:" L "-owner" D "\"} "
     "command_addresses = {\"from:" L "-request" D "\", \"from:" L "-owner" D "\", \"from:" L
     "-bounces" D "\", \"from:" L "-confirm" D "\"}"},
    {"mlmmj",
     "help = {\"mailto:" L "+help" D "\"} subscribe = {\"mailto:" L "+subscribe" D "\"} "
     "unsubscribe = {\"mailto:" L "+unsubscribe" D "\"} post = {\"mailto:{address}\"} "
     "owner = {\"mailto:" L "+owner" D "\"} sequence_from = \"envelope-sender\" "
     "command_addresses = {\"from:" L "+help" D "\", \"from:" L "+owner" D "\"} sequence = true"},
    {"sympa", "post = {\"mailto:{address}\"} owner = {\"mailto:" L "-request" D "\"} "
              "command_addresses = {\"always:" L "-request" D "\"} honor_no_archive = false "
              "unsubscribe = {}"},
    {"ezmlm", "select = \"sender\" help = {\"mailto:" L "-help" D "\"} subscribe = {\"mailto:" L
              "-subscribe" D "\"} unsubscribe = {\"mailto:" L "-unsubscribe" D "\"} "
              "post = {\"mailto:{address}\"} owner = {\"mailto:" L "-owner" D "\"} "
              "command_addresses = {\"from:" L "-return-" D "\", \"from:" L "-help" D
              "\", \"from:" L "-owner" D "\"}"},
    {"majordomo", "select = \"sender\" senders = {\"owner-" L D "\"} post = {\"mailto:{address}\"} "
                  "unsubscribe = {}"},
};

/* What is in no preset: a number, and an address that all lists of the host share. */
static const char *besides(const char *manager)
{
    if (strcmp(manager, "mlmmj") == 0)
        return "sequence = true";
    return strcmp(manager, "sympa") == 0 || strcmp(manager, "majordomo") == 0 ? "unsubscribe = {}"
                                                                              : "";
}

static void test_stands_for(void **state)
{
    struct strbuf written = STRBUF_INIT, meant = STRBUF_INIT;
    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        char text[2000];
        check_row(rows[i].manager);
        strbuf_reset(&written);
        snprintf(text, sizeof text, MAIN(DEV("%s")), rows[i].means);
        describe_text(text, &written);

        strbuf_reset(&meant);
        snprintf(text, sizeof text, MAIN(DEV("manager = \"%s\" %s")), rows[i].manager,
                 besides(rows[i].manager));
        describe_text(text, &meant);
        check_str("in the list", strbuf_str(&written), strbuf_str(&meant));

        strbuf_reset(&meant);
        snprintf(text, sizeof text, MAIN("defaults { manager = \"%s\" %s }\n" DEV("")),
                 rows[i].manager, besides(rows[i].manager));
        describe_text(text, &meant);
        check_str("in the defaults", strbuf_str(&written), strbuf_str(&meant));
    }
    strbuf_free(&written);
    strbuf_free(&meant);
    check_end();
}

static void test_order(void **state)
{
    static const struct {
        const char *text, *help, *owner;
    } orders[] = {
        {DEV("manager = \"mlmmj\" help = {\"mailto:own@a.b\"}"), "own@a.b", "dev+owner@"},
        {"defaults { help = {\"mailto:all@a.b\"} }" DEV("manager = \"mlmmj\""), "all@a.b",
         "dev+owner@"},
        {"defaults { manager = \"mailman3\" help = {\"mailto:all@a.b\"} }" DEV(""), "all@a.b",
         "dev-owner@"},
        {"defaults { manager = \"mailman3\" }" DEV("manager = \"mlmmj\""), "dev+help@",
         "dev+owner@"},
        /* a list has one list manager: nothing of that of the defaults is left */
        {"defaults { manager = \"mailman3\" }" DEV("manager = \"majordomo\" unsubscribe = {}"), "",
         ""},
        {"defaults { manager = \"mailman3\" }" DEV("help = {}"), "", "dev-owner@"},
        {"defaults { manager = \"mailman3\" }" DEV("select = \"recipient\" unsubscribe = {}"), "",
         ""},
        {"defaults { manager = \"mailman3\" select = \"recipient\" unsubscribe = {} }" DEV(""), "",
         ""},
    };
    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(orders); i++) {
        char text[1000];
        snprintf(text, sizeof text, "lists = {} store = \"sqlite:numbers.db\"\n%s", orders[i].text);
        struct loaded l = load_text(text);
        check_row(orders[i].text);
        /* `defaults` hide what the manager stands for (RULINGS 107) */
        bool hides = strstr(orders[i].text, "all@a.b") != NULL;
        check_bool("hint", hides,
                   strstr(strbuf_str(&l.messages), "help: hides the addresses") != NULL);
        check_int("hints", hides, (long long)l.diagnostics.count);
        if (l.settings != NULL) {
            struct span help = field_of(l.settings->index.lists[0], FIELD_LIST_HELP);
            struct span owner = field_of(l.settings->index.lists[0], FIELD_LIST_OWNER);
            check_bool("help", true,
                       orders[i].help[0] == '\0' ? help.n == 0
                                                 : strstr(help.p, orders[i].help) != NULL);
            check_bool("owner", true,
                       orders[i].owner[0] == '\0' ? owner.n == 0
                                                  : strstr(owner.p, orders[i].owner) != NULL);
        }
        loaded_free(&l);
    }
    check_end();
}

/* The first message holds the text. */
static void test_wrong(void **state)
{
    static const struct {
        const char *text, *message;
    } mistakes[] = {
        {DEV("select = \"recipient\" manager = \"mlmmj\" unsubscribe = {}"),
         "t.conf:2: manager: \"mlmmj\" is for lists that a list manager distributes"},
        {"defaults { select = \"recipient\" unsubscribe = {} }" DEV("manager = \"mlmmj\""),
         "t.conf:2: manager: \"mlmmj\" is for lists that a list manager distributes"},
        {"list \"a.b\" { manager = \"ezmlm\" }",
         "t.conf:2: manager: \"ezmlm\" makes all of the list's address, and there is none"},
        {"defaults { manager = \"ezmlm\" } list \"a.b\" { address = \"\" }",
         "t.conf:2: manager: \"ezmlm\" makes all of the list's address, and there is none"},
        {DEV("manager = \"Mailmann3\""),
         "t.conf:2: manager: \"Mailmann3\" is not understood (did you mean \"mailman3\"?)\n"},
        {DEV("manager = \"mlmj\""), "(did you mean \"mlmmj\"?)\n"},
        {DEV("manager = \"smartlist\""),
         "is not understood (expected \"mailman3\", \"mailman2\", "},
        /* as near to the one as to the other */
        {DEV("manager = \"mailman\""),
         "t.conf:2: manager: \"mailman\" is not understood (expected \"mailman3\", \"mailman2\", "
         "\"mlmmj\", \"sympa\", \"ezmlm\" or \"majordomo\")\n"},
        {"recipient_delimiter = \"-\"\n" DEV("manager = \"mlmmj\""),
         "t.conf:3: hint: manager: \"mlmmj\" has \"+\" in its addresses"},
        {DEV("manager = \"mailman3\"") "list \"a.b\" { address = \"dev-owner@lists.example.org\" }",
         "command_addresses: \"dev-owner@lists.example.org\" is the address of list \"a.b\""},
        {DEV("manager = \"mailman3\" aliases = {\"dev-owner@lists.example.org\"}"),
         "t.conf:2: command_addresses: \"dev-owner@lists.example.org\" is the address of list"},
        /* where nobody wrote the value, it is the list's line, and its manager is named */
        {"list \"a.b\" { address = \"\\\"a b\\\"@c.d\"\nmanager = \"ezmlm\" }",
         "t.conf:3: command_addresses: \"from:{address_local}-return-@{address_domain}\" has a "
         "wrong "
         "part before the \"@\" (expected LOCAL@DOMAIN, no name and no brackets), in list \"a.b\", "
         "which takes it from its manager\n"},
    };
    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(mistakes); i++) {
        char text[1000];
        snprintf(text, sizeof text, "lists = {} store = \"sqlite:numbers.db\"\n%s",
                 mistakes[i].text);
        struct loaded l = load_text(text);
        check_row(mistakes[i].text);
        check_bool(strbuf_str(&l.messages), true,
                   strstr(strbuf_str(&l.messages), mistakes[i].message) != NULL);
        loaded_free(&l);
    }
    check_end();
}

/* A hint about mlmmj's delimiter is for those that have one of its addresses; there is one for all
 * lists that take it from the defaults. */
static void test_delimiter(void **state)
{
    static const struct {
        const char *text;
        int hints;
    } rows_of[] = {
        {DEV("manager = \"mlmmj\""), 0},
        {"recipient_delimiter = \"-+\"\n" DEV("manager = \"mlmmj\""), 0},
        {"recipient_delimiter = \"-\"\n" DEV("manager = \"mlmmj\""), 1},
        {"recipient_delimiter = \"-\"\n" DEV("manager = \"mailman3\""), 0},
        {"recipient_delimiter = \"-\"\n" DEV(
             "manager = \"mlmmj\" help = {} subscribe = {} unsubscribe = {} owner = {} "
             "command_addresses = {\"from:dev-help@lists.example.org\"}"),
         0},
        {"recipient_delimiter = \"-\"\n" DEV(
             "manager = \"mlmmj\" help = {} subscribe = {} unsubscribe = {} owner = {}"),
         1},
        {"recipient_delimiter = \"\" defaults { manager = \"mlmmj\" }\n" DEV(
             "") "list \"a.b\" { description = \"A\" address = \"a@c.d\" }",
         1},
    };
    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(rows_of); i++) {
        char text[1000];
        snprintf(text, sizeof text, MAIN("%s"), rows_of[i].text);
        struct loaded l = load_text(text);
        const char *at = strbuf_str(&l.messages);
        int hints = 0;
        check_row(rows_of[i].text);
        while ((at = strstr(at, "manager: \"mlmmj\" has \"+\" in its addresses")) != NULL) {
            hints++;
            at++;
        }
        check_bool("loaded", true, l.settings != NULL);
        check_int("hints", rows_of[i].hints, hints);
        check_int("and no others", rows_of[i].hints > 0, strbuf_str(&l.messages)[0] != '\0');
        loaded_free(&l);
    }
    check_end();
}

/* Each key of addresses in `defaults` that the manager would set for each list (RULINGS 107). */
static void test_hidden_addresses(void **state)
{
    struct loaded l = load_text("lists = {}\ndefaults {\nmanager = mailman3\n"
                                "command_addresses = {\"all@a.b\"}\n}\n"
                                "list \"l.a.b\" { address = \"l@a.b\" }\n");
    const struct row row = {"", "4: hint: command_addresses: hides the addresses", NULL};
    (void)state;
    check_row("command_addresses");
    check_bool("hint", true, has_message(&l, &row));
    loaded_free(&l);
    check_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hidden_addresses),
        cmocka_unit_test(test_stands_for),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_wrong),
        cmocka_unit_test(test_delimiter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
