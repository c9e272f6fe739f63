/* config/settings_load: what is legal, but almost always a mistake (RULINGS 84). */
#include "config_help.h"

#define L          "lists = {}\n"
#define LIST(text) L "list \"a.b\" {\n" text "\n}\n"
#define ADDRESS    "address = \"team@b.example\" "

/* A text, and the only hint about it, or NULL: none. */
struct hint_row {
    const char *text, *hint;
};

static void check_hint(const struct hint_row *row)
{
    struct loaded l = load_text(row->text);
    check_row(row->text);
    check_bool("loads", true, l.settings != NULL);
    check_int(strbuf_str(&l.messages), row->hint != NULL, (long long)l.diagnostics.hints);
    if (row->hint != NULL && strstr(strbuf_str(&l.messages), row->hint) == NULL)
        check_complain("hint", row->hint, strbuf_str(&l.messages));
    loaded_free(&l);
}

static void check_hints(const struct hint_row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++)
        check_hint(&rows[i]);
    check_end();
}

static void test_links(void **state)
{
    static const struct hint_row rows[] = {
        /* a scheme nobody knows */
        {LIST("help = {\"htps://x.example/\", \"mailto:h@x.example\"}"),
         "3: hint: help: \"htps://x.example/\" has a scheme that nobody knows"},
        {LIST("archive = {\"htp://x.example/\"}"), "3: hint: archive: \"htp://x.example/\" has a"},
        {LIST("archived_at = {\"mip:{message_id}\"}"),
         "3: hint: archived_at: \"mip:{message_id}\" has"},
        {LIST("owner = {\"MAILTO:h@x.example\", \"xmpp:h@x.example\", \"Ftp://x.example/\"}"),
         NULL},
        {LIST("archived_at = {\"mid:{message_id}\", \"urn:x-a:{message_id_hash}\"}"), NULL},
        /* two "@" */
        {LIST("help = {\"mailto:h@x@y.example\"}"),
         "3: hint: help: \"mailto:h@x@y.example\" has two"},
        {LIST(ADDRESS "help = {\"mailto:{address}@x.example\"}"), "has two \"@\""},
        {LIST(ADDRESS "help = {\"mailto:a@b.example,c@d@e.example\"}"), "has two \"@\""},
        {LIST("help = {\"mailto:h@x.example,i@x.example?cc=j@x.example\"}"), NULL},
        {LIST(ADDRESS
              "unsubscribe = {\"mailto:{address_local}-leave@x.example?subject={recipient}\"}"),
         NULL},
        {LIST("help = {\"mailto:h\"}"), NULL},
        {LIST("help = {\"mailto:h%40x\"}"), NULL},
        /* a comment without its blank */
        {LIST("help = {\"mailto:h@x.example(help)\"}"),
         "3: hint: help: \"mailto:h@x.example(help)\" ends"},
        {LIST("help = {\"mailto:h@x.example (help)\"}"), NULL},
        {LIST("help = {\"mailto:h@x.example%28help%29\"}"), NULL},
    };
    (void)state;
    check_hints(rows, CHECK_COUNT(rows));
}

#define WEB "archive = {\"https://x.example/a/\"}\n"

static void test_archives(void **state)
{
    static const struct hint_row rows[] = {
        {LIST(WEB "archived_at = {\"{archive}/{message_id_hash}\"}"), NULL},
        {LIST("archive = {\"mailto:get@x.example\"}\narchived_at = "
              "{\"{archive}/{message_id_hash}\"}"),
         "3: hint: archive: \"mailto:get@x.example\" is no https: or http: URI"},
        {LIST("archive = {\"mailto:get@x.example\"}\narchived_at = "
              "{\"https://x.example/{message_id}\"}"),
         NULL},
        {LIST("archived_at = {\"{archive}/{message_id_hash}\"}"),
         "3: hint: archived_at: \"{archive}/{message_id_hash}\" is left out"},
        {L "defaults { archived_at = {\"{archive}/{message_id_hash}\"} }\nlist \"a.b\" {}", NULL},
        {LIST("archive = {\"https://x.example/?list=dev\"}\narchived_at = "
              "{\"{archive}/{message_id_hash}\"}"),
         "3: hint: archive: \"https://x.example/?list=dev\" has a query or fragment"},
        {LIST("archive = {\"https://x.example/#dev\"}\narchived_at = {\"{archive}/{message_id}\"}"),
         "has a query or fragment"},
        {LIST("archived_at = {\"https://x.example/?list=dev/{message_id_hash}\"}"),
         "3: hint: archived_at: \"https://x.example/?list=dev/{message_id_hash}\" has a query"},
        {LIST("archived_at = {\"https://x.example/?id={message_id_hash}\"}"), NULL},
        {LIST("archived_at = {\"https://x.example/#/dev/{message_id_hash}\"}"), NULL},
        /* the same for all posts */
        {LIST(WEB "archived_at = {\"{archive}\"}"),
         "4: hint: archived_at: \"{archive}\" is the same for all posts"},
        {LIST("archived_at = {\"https://x.example/{list_id}\"}"), "is the same for all posts"},
        {LIST("archived_at = {\"https://x.example/{sequence}\"} sequence = false") "store = "
                                                                                   "\"sqlite:"
                                                                                   "numbers.db\"\n",
         NULL},
        {L "token \"t\" { digest = sha1 of = \"{list_id}\" }\n"
           "list \"a.b\" { archived_at = {\"https://x.example/{t}\"} }",
         "3: hint: archived_at: \"https://x.example/{t}\" is the same"},
        {L "token \"t\" { digest = sha1 of = \"{from}\" }\n"
           "list \"a.b\" { archived_at = {\"https://x.example/{t}\"} }",
         NULL},
        /* no Archived-At at all */
        {LIST(WEB), "3: hint: archive: \"https://x.example/a/\" is an archive, but"},
        {LIST(WEB "archived_at = {}"), NULL},
    };
    (void)state;
    check_hints(rows, CHECK_COUNT(rows));
}

static void test_command_addresses(void **state)
{
    static const struct hint_row rows[] = {
        {LIST(ADDRESS "command_addresses = {\"x@b.example\",\n\"team-bounces@b.example\"}"),
         "4: hint: command_addresses: \"team-bounces@b.example\" is what list managers send"},
        {LIST(ADDRESS "command_addresses = {\"TEAM+bounces@B.example\"}"),
         "is what list managers send"},
        {LIST(ADDRESS "command_addresses = {\"{address_local}-bounces@{address_domain}\"}"),
         "is what list managers send"},
        {LIST(ADDRESS "command_addresses = {\"from:team-bounces@b.example\"}"), NULL},
        {LIST(ADDRESS "command_addresses = {\"team-bounces@c.example\", \"eam-bounces@b.example\", "
                      "\"team-bounces-x@b.example\", \"team-request@b.example\"}"),
         NULL},
        {LIST("command_addresses = {\"team-bounces@b.example\"}"), NULL},
        {L "defaults {\naddress = \"{list_label}@b.example\"\n"
           "command_addresses = {\"{address_local}-bounces@b.example\"}\n}\n"
           "list \"a.b\" {}\nlist \"c.b\" {}\n",
         "4: hint: command_addresses: \"{address_local}-bounces@b.example\" is what"},
    };
    (void)state;
    check_hints(rows, CHECK_COUNT(rows));
}

/* socket, socket_mode, trusted, lists */
static void test_main_keys(void **state)
{
#define SOCKET(text)  L "socket = \"" text "\""
#define TRUSTED(text) L "trusted = {\"local\",\n\"" text "\"}"
#define REACHED       "2: hint: socket: "
#define HOST_BITS     "has an address after its prefix"
    static const struct hint_row rows[] = {
        {SOCKET("inet:8894@127.0.0.1"), NULL},
        {SOCKET("inet:8894@localhost"), NULL},
        {SOCKET("inet6:8894@::1"), NULL},
        {SOCKET("inet:8894@10.1.2.3"), NULL},
        {SOCKET("inet:8894@172.31.2.3"), NULL},
        {SOCKET("inet:8894@192.168.2.3"), NULL},
        {SOCKET("inet6:8894@fe80::1%lo"), NULL},
        {SOCKET("inet6:8894@fd12::1"), NULL},
        {SOCKET("unix:/0.0.0.0"), NULL},
        {SOCKET("inet:8894@0.0.0.0"), REACHED},
        {SOCKET("inet:8894@0.example"), NULL},
        {SOCKET("inet6:8894@::"), REACHED},
        {SOCKET("inet6:8894@2001:db8::1"), REACHED},
        {SOCKET("inet:8894@192.0.2.1"), REACHED},
        {SOCKET("inet:8894@172.32.0.1"), REACHED},
        {SOCKET("inet6:8894@::ffff:0.0.0.0"), REACHED},
        {L "socket_mode = \"0660\"", NULL},
        {L "socket_mode = \"0755\"", NULL},
        {L "socket_mode = \"0666\"", "2: hint: socket_mode: \"0666\" lets everybody"},
        {L "socket_mode = \"777\"", "2: hint: socket_mode: "},
        {TRUSTED("10.0.0.0/8"), NULL},
        {TRUSTED("192.0.2.1/32"), NULL},
        {TRUSTED("192.0.2.1"), NULL},
        {TRUSTED("2001:db8::/32"), NULL},
        {TRUSTED("2001:db8::1"), NULL},
        {TRUSTED("daemon:x/4"), NULL},
        {TRUSTED("::ffff:192.0.2.0/120"), NULL},
        {TRUSTED("0.0.0.0/0"), "3: hint: trusted: \"0.0.0.0/0\" trusts a large part"},
        {TRUSTED("64.0.0.0/7"), "trusts a large part"},
        {TRUSTED("::/0"), "trusts a large part"},
        {TRUSTED("2000::/3"), "trusts a large part"},
        {TRUSTED("10.1.2.3/8"), HOST_BITS},
        {TRUSTED("192.0.2.1/31"), HOST_BITS},
        {TRUSTED("2001:db8::1/64"), HOST_BITS},
        {"lists = {\"no-such-folder/*.conf\"}",
         "1: hint: lists: \"no-such-folder/*.conf\" matches no file"},
        {"lists = {\"no-such-file\"}",
         "1: hint: lists: \"no-such-file\" is a file that does not exist"},
        {"user = \"x\"", NULL}, /* nobody wrote the default */
    };
    (void)state;
    check_hints(rows, CHECK_COUNT(rows));
}

#define NONE ": there is none, so that "

/* What every list should have. An empty value says that it has none. */
static void test_missing_keys(void **state)
{
    static const struct {
        const char *text;
        const char *missing; /* as they are told */
    } rows[] = {
        {"", "address description unsubscribe "},
        {ADDRESS, "description unsubscribe "},
        {"description = \"x\"", "address unsubscribe "},
        {"unsubscribe = {\"mailto:a@b.example\"}", "address description "},
        {"address = \"\" description = \"\" unsubscribe = {}", ""},
        {"unsubscribe = {}", "address description "},
        {"address = \" \"", "description unsubscribe "},
    };
    (void)state;
    wants_missing_keys = true;
    for (size_t i = 0; i < CHECK_COUNT(rows); i++)
        for (int in_defaults = 0; in_defaults < 2; in_defaults++) {
            char text[400], said[200] = "";
            snprintf(text, sizeof text,
                     in_defaults ? L "list \"a.b\" {}\ndefaults {\n%s\n}\n" : LIST("%s"),
                     rows[i].text);
            struct loaded l = load_text(text);
            check_row(text);
            check_bool("loads", true, l.settings != NULL);
            for (size_t k = 0; k < l.diagnostics.count; k++) {
                const char *line = l.diagnostics.items[k].text;
                const char *none = strstr(line, NONE);
                check_int("line", 2, l.diagnostics.items[k].line);
                check_bool(line, true, none != NULL && strstr(line, ", in list \"a.b\"") != NULL);
                if (none != NULL)
                    snprintf(said + strlen(said), sizeof said - strlen(said), "%.*s ",
                             (int)(none - line), line);
            }
            check_str("missing", rows[i].missing, said);
            loaded_free(&l);
        }
    wants_missing_keys = false;
    check_end();
}

/* A hint that more than five lists share is one line with the count, whoever has it. */
static void test_shared(void **state)
{
    static const struct {
        int lists;
        int hints;
        const char *says;
    } rows[] = {
        {5, 5, NULL},
        {6, 1,
         "2: hint: help: \"htps:x\" has a scheme that nobody knows (expected one such as "
         "\"https:\" or \"mailto:\") (and so in 6 lists)"},
        {1000, 1, "(and so in 1000 lists)"},
    };
    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        struct strbuf text = STRBUF_INIT;
        strbuf_add_str(&text, L);
        for (int k = 0; k < rows[i].lists; k++) /* twice in each of them */
            strbuf_addf(
                &text,
                "list \"l%d.b\" { help = {\"htps:x\", \"htps:y\", \"mailto:a@b.example\"} }\n", k);
        struct loaded l = load_span(strbuf_span(&text));
        check_row(strbuf_str(&l.messages));
        check_int("hints", rows[i].hints, (long long)l.diagnostics.hints);
        if (rows[i].says != NULL)
            check_bool(rows[i].says, true, strstr(strbuf_str(&l.messages), rows[i].says) != NULL);
        loaded_free(&l);
        strbuf_free(&text);
    }
    /* one of the defaults is told once, and counted */
    struct strbuf text = STRBUF_INIT;
    strbuf_add_str(&text, L "defaults { help = {\"htps:x\", \"mailto:a@b.example\"} }\n");
    for (int k = 0; k < 7; k++) {
        strbuf_addf(&text, "list \"l%d.b\" {}\n", k);
        struct loaded l = load_span(strbuf_span(&text));
        check_int("hints of the defaults", 1, (long long)l.diagnostics.hints);
        check_bool(strbuf_str(&l.messages), k >= 5,
                   strstr(strbuf_str(&l.messages), " lists)") != NULL);
        loaded_free(&l);
    }
    strbuf_free(&text);
    check_end();
}

/* Set in an alias list itself what names the recipient or the sender is an error; in the defaults
 * it has no effect there (RULINGS 16, 84). */
static void test_alias_lists(void **state)
{
    static const struct row wrong[] = {
        {LIST("select = \"recipient\" " ADDRESS
              "\nunsubscribe = {\"https://x.example/{recipient}\"}"),
         "4: unsubscribe: ", "names the recipient"},
        {LIST("select = \"recipient\" " ADDRESS "\nsequence_from = \"envelope-sender\""),
         "4: sequence_from: \"envelope-sender\" with select", NULL},
    };
    static const struct {
        const char *unsubscribe, *rendered;
    } rows[] = {
        {"\"mailto:leave@b.example\", \"https://x.example/{recipient}\"",
         "<mailto:leave@b.example>"},
        {"\"https://x.example/{recipient}/{recipient_token}\", \"mailto:leave@b.example (mail)\"",
         "<mailto:leave@b.example> (mail)"},
        {"\"https://x.example/{recipient}\"", ""},
        {"\"mailto:leave@b.example\"", "<mailto:leave@b.example>"},
    };
    (void)state;
    check_rows(wrong, CHECK_COUNT(wrong), true);
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        char text[500];
        snprintf(text, sizeof text,
                 L "store = \"sqlite:numbers.db\"\ndefaults { unsubscribe = {%s} sequence_from = "
                   "\"envelope-sender\" "
                   "sequence = true address = \"{list_label}@b.example\" }\n"
                   "list \"a.b\" { select = \"recipient\" }\n",
                 rows[i].unsubscribe);
        struct loaded l = load_text(text);
        check_row(text);
        if (check_bool(strbuf_str(&l.messages), true, l.settings != NULL)) {
            const struct list *list = l.settings->index.lists[0];
            check_text("List-Unsubscribe", rows[i].rendered,
                       field_of(list, FIELD_LIST_UNSUBSCRIBE));
            check_int("source", SEQUENCE_FROM_STORE, list->sequence_from);
            check_bool("the store is asked", true, list->asks_store);
        }
        loaded_free(&l);
    }
    check_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_links),       cmocka_unit_test(test_archives),
        cmocka_unit_test(test_main_keys),   cmocka_unit_test(test_command_addresses),
        cmocka_unit_test(test_shared),      cmocka_unit_test(test_missing_keys),
        cmocka_unit_test(test_alias_lists),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
