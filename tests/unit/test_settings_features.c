/* config/settings_load: numbers and the store, nested lists, one-click, international texts. */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "config_help.h"
#include "spec/mailbox.h"

#define L              "lists = {}\nstore = \"sqlite:numbers.db\"\n"
#define LIST(text)     L "list \"a.b\" {\n" text "\n}\n"
#define DEFAULTS(text) L "list \"a.b\" {}\ndefaults {\n" text "\n}\n"

static const struct list *list_number(const struct loaded *l, size_t i)
{
    if (l->settings == NULL)
        fail_msg("%s", strbuf_str(&l->messages));
    assert_true(l->settings->index.count > i);
    return l->settings->index.lists[i];
}

static void test_defaults(void **state)
{
    struct loaded l = load_text("lists = {} list \"a.b\" {}");
    const struct list *list = list_number(&l, 0);
    (void)state;
    assert_string_equal(l.settings->store,
                        "sqlite:" MLMILTER_LOCALSTATEDIR "/lib/mlmilter/mlmilter.db");
    assert_false(l.settings->needs_store);
    assert_false(l.settings->recipient_keys_unread);
    assert_int_equal(l.settings->recipient_key_count, 0);
    assert_int_equal(l.settings->token_names.count, 0);
    assert_int_equal(list->sequence_from, SEQUENCE_FROM_STORE);
    assert_int_equal(list->archived_at_requires, ARCHIVED_AT_ANY);
    assert_int_equal(list->reused_message_id, REUSED_ACCEPT);
    assert_int_equal(list->on_store_failure, STORE_FAILURE_TEMPFAIL);
    assert_false(list->list_id_hash || list->alt_message_id || list->replace_post);
    assert_false(list->one_click || list->numbered || list->asks_store);
    assert_null(list->nesting);
    loaded_free(&l);
}

#ifdef HAVE_SQLITE
/* RULINGS 60: with "./" before it, as SQLite has other uses for ":memory:" and "file:". */
static void test_store_beside_main_file(void **state)
{
    static const char *const names[] = {":memory:", "file:x", "y.db"};

    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(names); i++) {
        struct diagnostics d;
        char text[100];

        snprintf(text, sizeof text, "lists = {} store = \"sqlite:%s\"", names[i]);
        diagnostics_init(&d);
        struct settings *s = settings_load_text("t.conf", span_cstr(text), &d);
        check_row(names[i]);
        if (check_bool("loads", true, s != NULL)) {
            snprintf(text, sizeof text, "sqlite:./%s", names[i]);
            check_str("store", text, s->store);
        }
        settings_free(s);
        diagnostics_free(&d);
    }
    check_end();
}
#endif

/* RULINGS 60: a relative path is relative to the folder of the main file. */
static void test_store(void **state)
{
    static const struct {
        const char *store, *resolved;
    } rows[] = {
        {"sqlite:/x/y.db", "sqlite:/x/y.db"},
        {"sqlite:y.db", "sqlite:/nowhere/y.db"},
        {"sqlite:../y.db", "sqlite:/nowhere/../y.db"},
#ifdef HAVE_LIBPQ
        {"postgresql:host=db.example dbname=x", "postgresql:host=db.example dbname=x"},
        {"postgresql:service=x", "postgresql:service=x"},
#endif
    };
    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        char text[200];
        snprintf(text, sizeof text, "lists = {} store = \"%s\"", rows[i].store);
        struct loaded l = load_text(text);
        check_row(text);
        if (check_bool("loads", true, l.settings != NULL))
            check_str("store", rows[i].resolved, l.settings->store);
        check_str("messages", "", strbuf_str(&l.messages));
        loaded_free(&l);
    }
    check_end();
}

/* RULINGS 9, 33, 50: which lists have numbers, and which of them ask the store. */
static void test_numbers(void **state)
{
    static const struct {
        const char *keys;
        bool numbered, asks_store;
    } rows[] = {
        {"", false, false},
        {"sequence = true", true, true},
        {"archived_at = {\"https://x.example/{sequence:5}\"}", true, true},
        {"archived_at = {\"https://x.example/{day}\", \"https://x.example/{sequence}\"}", true,
         true},
        {"archived_at = {\"{archive}/{sequence}\"}", false, false}, /* left out: RULINGS 42 */
        {"archive = {\"https://x.example/\"} archived_at = {\"{archive}/{sequence}\"}", true, true},
        {"list_id_hash = true", false, false},
        {"reused_message_id = \"omit\"", false, true},
        {"reused_message_id = \"reject\"", false, true},
        {"reused_message_id = \"accept\" on_store_failure = \"omit\"", false, false},
        {"sequence = true sequence_from = \"envelope-sender\" address = \"a@b.c\"", true, false},
        {"sequence = true sequence_from = \"envelope-sender\" address = \"a@b.c\" "
         "reused_message_id = \"omit\"",
         true, true},
        {"sequence_from = \"envelope-sender\" address = \"a@b.c\"", false, false},
    };
    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        char text[400];
        snprintf(text, sizeof text, L "list \"a.b\" { %s }", rows[i].keys);
        struct loaded l = load_text(text);
        check_row(rows[i].keys);
        if (check_bool("loads", true, l.settings != NULL)) {
            const struct list *list = list_number(&l, 0);
            check_bool("numbered", rows[i].numbered, list->numbered);
            check_bool("asks the store", rows[i].asks_store, list->asks_store);
            check_bool("needs the store", rows[i].asks_store, l.settings->needs_store);
        }
        loaded_free(&l);
    }
    check_end();
}

static void test_switches(void **state)
{
    struct loaded l =
        load_text(LIST("list_id_hash = true alt_message_id = yes replace_post = on parents = {x.y} "
                       "archived_at_requires = \"well-formed\" reused_message_id = \"reject\" "
                       "on_store_failure = \"omit\" sequence = true sequence_from = "
                       "\"envelope-sender\" address = \"a@b.c\""));
    const struct list *list = list_number(&l, 0);
    (void)state;
    assert_string_equal(strbuf_str(&l.messages), "");
    assert_true(list->list_id_hash);
    assert_true(list->alt_message_id);
    assert_true(list->replace_post);
    assert_int_equal(list->archived_at_requires, ARCHIVED_AT_WELL_FORMED);
    assert_int_equal(list->reused_message_id, REUSED_REJECT);
    assert_int_equal(list->on_store_failure, STORE_FAILURE_OMIT);
    assert_int_equal(list->sequence_from, SEQUENCE_FROM_SENDER);
    loaded_free(&l);
}

/* RULINGS 74: refused by name, with what is missing. */
static void test_missing_stores(void **state)
{
#define REUSED  "list \"a.b\" {\nreused_message_id = \"omit\"\n}\n"
#define NUMBER  "list \"a.b\" {\nsequence = true\n}\n"
#define WITHOUT "lists = {}\nstore = \"postgresql:x\"\n"
    static const struct row rows[] = {
        {"lists = {}\ncolour = 1", "2: colour: ", NULL}, /* there is always a row */
#ifndef HAVE_LIBPQ
        {WITHOUT, "2: store: is not available", "libpq"},
        {WITHOUT NUMBER, "4: sequence: needs the store", "libpq"},
        {WITHOUT REUSED, "4: reused_message_id: needs", "libpq"},
        {WITHOUT "list \"a.b\" {\narchived_at = {\"https://x.example/{sequence}\"}\n}",
         "4: archived_at: ", "libpq"},
        {WITHOUT "list \"a.b\" {}\nlist \"c.d\" {}\ndefaults {\nsequence = true\n}\n",
         "6: sequence: needs the store", "in list \"a.b\""},
#endif
#ifndef HAVE_SYS_INOTIFY_H
        {"lists = {}\nwatch = true", "2: watch: is not available", "inotify is not built in"},
#endif
    };
    (void)state;
    check_rows(rows, CHECK_COUNT(rows), true);
#ifndef HAVE_LIBPQ
    struct loaded l = load_text(WITHOUT "list \"a.b\" {}\nlist \"c.d\" {}\n"
                                        "defaults {\nsequence = true\n}");
    assert_int_equal(l.diagnostics.errors, 2); /* once, not for each list */
    loaded_free(&l);
#endif
}

static void test_watch(void **state)
{
    struct loaded l = load_text("lists = {} watch = false");
    (void)state;
    assert_non_null(l.settings);
    assert_false(l.settings->watch);
    loaded_free(&l);
#ifdef HAVE_SYS_INOTIFY_H
    l = load_text("lists = {} watch = yes");
    assert_non_null(l.settings);
    assert_true(l.settings->watch);
    loaded_free(&l);
#endif
}

/* AT-05, LI-11, RULINGS 27 */
static void test_nesting(void **state)
{
    struct loaded l =
        load_text(L "defaults { parents = {\"top.example\"} parent_sources = {\"192.0.2.0/24\"} }\n"
                    "list \"a.example\" {}\n"
                    "list \"b.example\" { parents = {\"A.example\", \"foreign.example\"} }\n"
                    "list \"c.example\" { parent_sources = {} }\n"
                    "list \"top.example\" { parents = {} }\n"
                    "list \"e.example\" { parent_sources = {\"daemon:x\", \"local\"} }\n"
                    "list \"f.example\" {}\n");
    const struct nesting *a = list_number(&l, 0)->nesting;
    const struct nesting *b = list_number(&l, 1)->nesting;
    const struct nesting *c = list_number(&l, 2)->nesting;
    const struct nesting *e = list_number(&l, 4)->nesting;
    struct client near_by = {.has_address = true};
    struct client local = {.local = true};
    (void)state;
    assert_string_equal(strbuf_str(&l.messages), "");
    assert_true(trust_address_parse(span_cstr("192.0.2.7"), &near_by.address));
    assert_int_equal(a->parent_count, 1);
    check_text("parent", "top.example", a->parents[0]);
    check_bool("sources", true, a->has_sources);
    check_bool("near", true, trust_matches(&a->sources, &near_by));
    check_bool("local", false, trust_matches(&a->sources, &local));
    assert_int_equal(b->parent_count, 2);
    check_text("parent", "A.example", b->parents[0]);
    check_text("parent", "foreign.example", b->parents[1]);
    check_bool("sources of the defaults", true, trust_matches(&b->sources, &near_by));
    check_text("parent", "top.example", c->parents[0]);
    check_bool("whoever is trusted", false, c->has_sources);
    check_bool("local", true, trust_matches(&e->sources, &local));
    check_bool("near", false, trust_matches(&e->sources, &near_by));
    check_end();
    assert_null(list_number(&l, 3)->nesting);
    assert_ptr_equal(list_number(&l, 5)->nesting, a); /* one for all that take the defaults */
    loaded_free(&l);
}

static void test_wrong(void **state)
{
#define IN_HOST "in the host name (expected it after a \"/\")"
    static const struct row rows[] = {
        {LIST("parents = {\"x.y\",\n\"nodot\"}"), "5: parents: \"nodot\"", "dot"},
        {LIST("parents = {\"<x.y>\"}"), "4: parents: ", NULL},
        {LIST("parents = {\"\"}"), "4: parents: ", "empty"},
        {LIST("parents = {\"A.b\"}"), "4: parents: \"A.b\" is this list itself", NULL},
        {DEFAULTS("parents = {\"nodot\"}"), "5: parents: ", "dot"},
        {LIST("parents = {\"x.y\"} parent_sources = {\"local\",\n\"x\"}"),
         "5: parent_sources: \"x\"", NULL},
        {LIST("parent_sources = {\"300.0.0.1\"}"), "4: parent_sources: ", NULL},
        {DEFAULTS("parents = {\"x.y\"}\nparent_sources = {\"::/129\"}"),
         "6: parent_sources: ", NULL},
        /* RULINGS 50 */
        {LIST("sequence_from = \"envelope-sender\""), "4: sequence_from: ", "address"},
        {DEFAULTS("sequence = true\nsequence_from = \"envelope-sender\""),
         "6: sequence_from: ", "in list \"a.b\""},
        {LIST("sequence_from = \"x\""), "4: sequence_from: \"x\"", "\"envelope-sender\""},
        {LIST("archived_at_requires = \"x\""), "4: archived_at_requires: ", "\"well-formed\""},
        {LIST("reused_message_id = \"x\""), "4: reused_message_id: ", "\"omit\""},
        {LIST("on_store_failure = \"x\""), "4: on_store_failure: ", "\"omit\""},
        /* RULINGS 15, 16, 68 */
        {LIST("unsubscribe_one_click = true\nunsubscribe = {\"https://x.example/u\"}"),
         "5: unsubscribe: \"https://x.example/u\"", "does not name the recipient"},
        /* RULINGS 85: with a comment before the URI, too */
        {LIST("unsubscribe_one_click = true\nunsubscribe = {\"(see) https://x.example/u\"}"),
         "5: unsubscribe: \"(see) https://x.example/u\"", "does not name the recipient"},
        {LIST("unsubscribe_one_click = true unsubscribe = {\"https://x.example/{recipient}\",\n"
              "\"https://x.example/{list_id}\"}"),
         "5: unsubscribe: \"https://x.example/{list_id}\"", "does not name the recipient"},
        {L "list \"a.b\" {\nunsubscribe = {\"https://x.example/u\"}\n}\n"
           "defaults { unsubscribe_one_click = true }",
         "4: unsubscribe: ", "does not name"},
        {LIST("select = recipient address = \"a@b.c\"\n"
              "unsubscribe = {\"https://x.example/{recipient}\"}"),
         "5: unsubscribe: ", "list itself"},
        /* RFC 8058 3.1: not sent, or not whole */
        {LIST("unsubscribe_one_click = true\nunsubscribe = {\"https://x.example/#{recipient}\"}"),
         "5: unsubscribe: \"https://x.example/#{recipient}\"", "does not name the recipient"},
        {LIST("unsubscribe_one_click = true\n"
              "unsubscribe = {\"https://x.example/?a#b{recipient}\"}"),
         "5: unsubscribe: ", "does not name the recipient"},
        {LIST("unsubscribe_one_click = true\nunsubscribe = {\"https://x.example/{recipient:64}\"}"),
         "5: unsubscribe: ", "does not name the recipient"},
        {LIST("unsubscribe_one_click = true\n"
              "unsubscribe = {\"https://x.example/{recipient:1}#{recipient}\"}"),
         "5: unsubscribe: ", "does not name the recipient"},
        {LIST("unsubscribe = {\"https://x.example/{recipient}/{recipient_token:3}\"}"),
         "4: unsubscribe: ", "{recipient_token} with a width"},
        /* RULINGS 47: whose host is it? */
        {LIST("unsubscribe = {\"https://x.example{recipient}/\"}"), "4: unsubscribe: ", IN_HOST},
        {LIST("unsubscribe = {\"https://{recipient}.x.example/\"}"), "4: unsubscribe: ", IN_HOST},
        {LIST("archived_at = {\"https://x.example{message_id}\"}"), "4: archived_at: ", IN_HOST},
        {LIST("archived_at = {\"https://x.example:{sequence}/\"}"), "4: archived_at: ", IN_HOST},
        {LIST("archived_at = {\"https://{list_label}.x{message_id_hash}#\"}"),
         "4: archived_at: ", IN_HOST},
        {LIST("archived_at = {\"https://{year}{list_label}.example/\"}"),
         "4: archived_at: ", IN_HOST},
        {LIST("archived_at = {\"x{month_abbr}://{message_id}.example/\"}"),
         "4: archived_at: ", IN_HOST},
        {L "token \"t\" { digest = \"sha1\" of = \"{message_id}\" }\n"
           "list \"a.b\" { archived_at = {\"https://{t}.example/\"} }",
         "4: archived_at: \"https://{t}.example/\"", IN_HOST},
    };
    (void)state;
    check_rows(rows, CHECK_COUNT(rows), true);
}

/* What follows from an error is no error of its own. */
static void test_no_echo(void **state)
{
    static const char *const rows[] = {
        LIST("unsubscribe_one_click = true unsubscribe = {\"https://x.example/{colour}\"}"),
        LIST("unsubscribe_one_click = true unsubscribe = {\"https://x.example/\\n\"}"),
        LIST("unsubscribe_one_click = true unsubscribe = {\"https://{address}/{recipient}\"}"),
        LIST("sequence_from = \"envelope-sender\" address = \"x\""),
        L "defaults { parents = {\"nodot\"} }\nlist \"a.b\" {}\nlist \"c.d\" {}",
        LIST("unsubscribe_one_click = maybe"),
        LIST("parents = {\"a\\n.b\"}"),
    };
    (void)state;
    check_errors(rows, CHECK_COUNT(rows), 1);
}

static void test_hints(void **state)
{
#define PARENTS   "parents = {\"top.example\"} "
#define ONE_CLICK "unsubscribe_one_click = true unsubscribe = {\"https://x.example/{recipient}\"}"
    static const struct row rows[] = {
        /* RULINGS 15, 68, RFC 8058 3.1 */
        {LIST("unsubscribe_one_click = true\nunsubscribe = {\"https://x.example/{recipient}\", "
              "\"https://y.example/{recipient}\"}"),
         "4: hint: unsubscribe_one_click: has no effect", "exactly one"},
        {LIST("unsubscribe = {\"HTTPS://x.example/{recipient}\", \"mailto:u@x.example\",\n"
              "\"https://y.example/{recipient}\", \"https://z.example/{recipient}\"}\n"
              "unsubscribe_one_click = true"),
         "6: hint: unsubscribe_one_click: has no effect", NULL},
        {DEFAULTS("unsubscribe_one_click = true\nunsubscribe = {\"https://x.example/{recipient}\", "
                  "\"https://y.example/{recipient}\"}"),
         "5: hint: unsubscribe_one_click: ", "in list \"a.b\""},
        /* RULINGS 15, 16: there is no click, and that is all */
        {LIST("unsubscribe_one_click = true"), "4: hint: unsubscribe_one_click: has no effect",
         NULL},
        {LIST("unsubscribe_one_click = true\nunsubscribe = {\"mailto:{recipient}@b.c\"}"),
         "4: hint: unsubscribe_one_click: has no effect", NULL},
        {LIST("unsubscribe_one_click = true unsubscribe = {\"https://x.example/{recipient}\",\n"
              "\"http://x.example/{recipient}\"}"),
         "4: hint: unsubscribe_one_click: has no effect", NULL},
        {LIST("unsubscribe_one_click = true unsubscribe = {\"HTTPS://x.example/{recipient}\",\n"
              "\"HTTP://x.example/\"}"),
         "4: hint: unsubscribe_one_click: has no effect", NULL},
        {LIST("unsubscribe_one_click = true\nselect = recipient address = \"a@b.c\""),
         "4: hint: unsubscribe_one_click: has no effect", NULL},
        {LIST("unsubscribe_one_click = true\nselect = recipient address = \"a@b.c\" "
              "unsubscribe = {\"https://x.example/\"}"),
         "4: hint: unsubscribe_one_click: has no effect", NULL},
        {DEFAULTS("unsubscribe_one_click = true"),
         "5: hint: unsubscribe_one_click: ", "in list \"a.b\""},
        /* RULINGS 12, 69 */
        {LIST("select = \"sender\" senders = {\"o-{list_label}@b.c\"}\n"
              "command_addresses = {\"x@b.c\",\n\"O-a@b.c\"}"),
         "6: hint: command_addresses: \"O-a@b.c\" is one of senders", "\"from:\""},
        {LIST("select = \"sender\" address = \"l@b.c\"\ncommand_addresses = {\"l-request@b.c\"}"),
         "5: hint: command_addresses: \"l-request@b.c\" is derived", "\"from:\""},
        {L "defaults {\ncommand_addresses = {\"{list_label}@b.c\"}\n}\nlist \"a.b\" {\n"
           "select = \"sender\" senders = {\"a@b.c\"}\n}\n",
         "4: hint: command_addresses: ", "in list \"a.b\""},
        {LIST(ONE_CLICK), "4: hint: unsubscribe: ", "{recipient_token}"},
        {LIST(PARENTS "parent_sources = {\"local\",\n\"0.0.0.0/0\"}"),
         "5: hint: parent_sources: \"0.0.0.0/0\" trusts a large part", NULL},
        {LIST(PARENTS "parent_sources = {\"10.0.0.0/8\", \"2001:db8::1/64\"}"),
         "4: hint: parent_sources: \"2001:db8::1/64\" has an address after its prefix", NULL},
        {DEFAULTS(PARENTS "parent_sources = {\"::/7\"}"),
         "5: hint: parent_sources: \"::/7\" trusts a large part", "in list \"a.b\""},
        {DEFAULTS(ONE_CLICK), "5: hint: unsubscribe: ", "{recipient_token}"},
    };
    (void)state;
    check_rows(rows, CHECK_COUNT(rows), false);
}

/* What stands in the defaults is told once, where it stands, and not for each list that takes it.
 */
static void test_hints_of_defaults(void **state)
{
#define BEHIND "\n}\nlist \"c.d\" {}\nlist \"e.f\" { keep = {} }\n"
    static const struct {
        const char *text, *hint;
    } rows[] = {
        /* RULINGS 26 */
        {"keep = {\"List-Help\",\n\"X-List-Sequence\"}",
         "6: hint: keep: \"X-List-Sequence\" cannot"},
        {"select = \"recipient\" address = \"{list_label}@x.example\"\n"
         "keep = {\"message-id-hash\"}",
         "6: hint: keep: \"message-id-hash\" cannot"},
    };
    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        char text[400];
        check_row(rows[i].text);
        snprintf(text, sizeof text, L "list \"a.b\" {}\ndefaults {\n%s" BEHIND, rows[i].text);
        struct loaded l = load_text(text);
        check_int("hints", 1, (long long)l.diagnostics.hints);
        if (strstr(strbuf_str(&l.messages), rows[i].hint) == NULL ||
            strstr(strbuf_str(&l.messages), "in list \"a.b\", which takes it") == NULL)
            check_complain("message", rows[i].hint, strbuf_str(&l.messages));
        loaded_free(&l);
    }
    check_end();
}

static void test_no_hints(void **state)
{
#define ALL          "list \"all.example.com\" {}\n"
#define DEV          "list \"dev.example.org\" { parents = {\"all.example.com\"} }\n"
#define SUB(parents) "list \"sub.example.org\" {\nparents = {" parents "}\n}\n"
    static const char *const rows[] = {
        /* parents */
        L ALL DEV SUB("\"dev.example.org\""),
        L ALL SUB("\"al.example.com\""),
        /* without effect */
        LIST("parent_sources = {\"local\"} replace_post = true on_store_failure = \"omit\""),
        LIST("sequence_from = \"envelope-sender\" address = \"a@b.c\""),
        LIST("keep = {\"List-Id\", \"List-Unsubscribe-Post\"}"),
        /* senders and commands */
        LIST("select = \"sender\" senders = {\"a@b.c\"} command_addresses = {\"from:a@b.c\", "
             "\"x@b.c\"}"),
        LIST("select = \"sender\" address = \"l@b.c\" command_addresses = {\"from:l-request@b.c\", "
             "\"lx@b.c\"}"),
        LIST("select = \"sender\" address = \"l@b.c\" senders = {\"l-bounces@b.c\"} "
             "command_addresses = {\"l-request@b.c\"}"),
        LIST("address = \"l@b.c\" command_addresses = {\"l-request@b.c\"}"),
        /* one-click */
        LIST("unsubscribe = {\"https://x.example/{recipient}\", \"https://y.example/{recipient}\","
             " \"mailto:u@x.example\"}"),
        LIST("select = \"recipient\" address = \"a@b.c\" keep = {}"),
        DEFAULTS("keep = {\"List-Help\"} select = \"recipient\" "
                 "address = \"{list_label}@b.c\""),
        LIST("unsubscribe = {\"https://x.example/{recipient}\", \"mailto:u@x.example\"}"),
        LIST("unsubscribe_one_click = no replace_post = off parent_sources = {} "
             "sequence_from = \"store\" on_store_failure = \"tempfail\""),
        DEFAULTS("replace_post = true parent_sources = {\"local\"} on_store_failure = omit "
                 "sequence_from = \"envelope-sender\""),
    };
    (void)state;
    check_silent(rows, CHECK_COUNT(rows));
}

/* RULINGS 15: one hint of a kind about what comes from the defaults, one about each list's own. */
static void test_one_click_of_defaults(void **state)
{
    struct loaded l =
        load_text(L "defaults { unsubscribe_one_click = true }\n"
                    "list \"a.b\" { select = recipient address = \"a@b.c\" }\n"
                    "list \"c.d\" { select = recipient address = \"c@b.c\" unsubscribe = "
                    "{\"https://x.example/\", \"mailto:x@y.z\"} }\n"
                    "list \"e.f\" {}\nlist \"g.h\" { unsubscribe = {\"mailto:x@y.z\"} }\n"
                    "list \"i.j\" {\nunsubscribe_one_click = true\n}\n");
    (void)state;
    assert_int_equal(list_number(&l, 4)->one_click, true);
    assert_int_equal(l.diagnostics.hints, 2);
    assert_non_null(strstr(l.diagnostics.items[0].text, "in list \"a.b\""));
    assert_int_equal(l.diagnostics.items[1].line, 9);
    loaded_free(&l);
}

/* RULINGS 14: a list is not above itself, whatever the defaults say. */
static void test_inherited_self(void **state)
{
    struct loaded l =
        load_text(L "defaults { parents = {\"top.example\", \"TOP.other.example\"} "
                    "parent_sources = {\"local\"} }\n"
                    "list \"a.example\" {}\nlist \"top.example\" {}\n"
                    "list \"top.other.example\" { parent_sources = {} }\nlist \"b.example\" {}\n");
    const struct list *top = list_number(&l, 1), *other = list_number(&l, 2);
    (void)state;
    assert_string_equal(strbuf_str(&l.messages), "");
    assert_int_equal(list_number(&l, 0)->nesting->parent_count, 2);
    assert_ptr_equal(list_number(&l, 3)->nesting, list_number(&l, 0)->nesting);
    assert_int_equal(top->nesting->parent_count, 1);
    check_text("parent", "TOP.other.example", top->nesting->parents[0]);
    check_bool("sources", true, top->nesting->has_sources);
    assert_int_equal(other->nesting->parent_count, 1);
    check_text("parent", "top.example", other->nesting->parents[0]);
    check_bool("no sources", false, other->nesting->has_sources);
    loaded_free(&l);
    l = load_text(L "defaults { parents = {\"a.b\"} }\nlist \"A.b\" {}\n");
    assert_null(list_number(&l, 0)->nesting);
    loaded_free(&l);
    check_end();
}

/* Each List-Id of a post is held against each of them. */
static void test_parents_max(void **state)
{
    (void)state;
    for (int count = 1000; count <= 1001; count++) {
        for (int in_defaults = 0; in_defaults < 2; in_defaults++) {
            struct strbuf text = STRBUF_INIT;
            strbuf_add_str(&text, in_defaults ? L "defaults {\n" : L "list \"a.b\" {\n");
            strbuf_add_str(&text, "parents = {\"p.0.example\"");
            for (int i = 1; i < count; i++)
                strbuf_addf(&text, ",\n\"p.%d.example\"", i);
            strbuf_add_str(&text, "}\n}\n");
            strbuf_add_str(&text, in_defaults ? "list \"a.b\" {}\nlist \"c.d\" {}\n" : "");
            struct loaded l = load_text(strbuf_str(&text));
            if (count == 1000) {
                assert_int_equal(list_number(&l, 0)->nesting->parent_count, 1000);
            } else {
                assert_null(l.settings);
                assert_int_equal(l.diagnostics.errors, 1);
                assert_int_equal(l.diagnostics.items[0].line, 4);
                assert_non_null(strstr(l.diagnostics.items[0].text,
                                       "parents: has 1001 ids (expected at most 1,000)"));
            }
            loaded_free(&l);
            strbuf_free(&text);
        }
    }
}

/* RULINGS 15, 47 */
static void test_one_click(void **state)
{
    struct loaded l = load_text(
        LIST("unsubscribe_one_click = true unsubscribe = {\n"
             "\"https://u.example/{list_id}?a={recipient}\", \"mailto:leave@u.example\"}"));
    const struct list *list = list_number(&l, 0);
    (void)state;
    assert_true(list->one_click);
    const struct list_text_array *items = list_items(list, FIELD_LIST_UNSUBSCRIBE);
    assert_int_equal(items->count, 2);
    assert_true((items->items[0].text.needs & ~VARS_LIST) == VAR_BIT(VAR_RECIPIENT));
    assert_true(items->items[1].text.needs == 0);
    loaded_free(&l);
}

/* RULINGS 15, 47: the nearest neighbours of what test_wrong has */
static void test_where_it_is_right(void **state)
{
    static const char *const rows[] = {
        LIST("unsubscribe_one_click = true unsubscribe = {\"https://x.example/{recipient}#a\"}"),
        LIST("unsubscribe_one_click = true "
             "unsubscribe = {\"https://x.example/{recipient:1}/{recipient}#{recipient}\"}"),
        LIST("unsubscribe = {\"https://x.example/#{recipient}\"}"),
        LIST("unsubscribe = {\"https://x.example/{recipient:1}\"}"),
        LIST(
            "unsubscribe = {\"https://x.example?{recipient}\", \"https://x.example#{recipient}\"}"),
        LIST("unsubscribe = {\"mailto:{recipient}?subject=https://{recipient}\", "
             "\"mailto:a@b.c?body=https://{recipient}\"}"),
        LIST("archived_at = {\"https://{list_id}.x.example:80/{message_id}\", "
             "\"mid:{message_id}\"}"),
        LIST("archived_at = {\"https://x.example/?u=https://{message_id}\"}"),
        LIST("archive = {\"https://x.example\"} archived_at = {\"{archive}{message_id}\"}"),
    };
    (void)state;
    check_errors(rows, CHECK_COUNT(rows), 0);
}

/* RULINGS 12 */
static void test_from_addresses(void **state)
{
    struct loaded l = load_text(
        "lists = {}\ndefaults { address = \"{list_label}@{list_namespace}\" command_addresses = {\n"
        "\"{address_local}-request@{address_domain}\", "
        "\" FROM:{address_local}-bounces@{address_domain} \"} }\n"
        "list \"a.b\" {}\nlist \"c.d\" { command_addresses = {\"from:x@d\", \"X@d\", "
        "\"from:\\\"from:y\\\"@d\"} }");
    const struct list *list = list_number(&l, 0);
    const struct list_index *index = &l.settings->index;
    (void)state;
    check_str("messages", "", strbuf_str(&l.messages));
    assert_int_equal(list->command_address_count, 2);
    check_text("plain", "a-request@b", list->command_addresses[0]);
    check_text("from", "a-bounces@b", list->command_addresses[1]);
    check_end();
    assert_ptr_equal(list_by_command_address(index, span_cstr("a-request@b")), list);
    assert_null(list_by_from_address(index, span_cstr("a-request@b")));
    assert_null(list_by_command_address(index, span_cstr("a-bounces@b")));
    assert_ptr_equal(list_by_from_address(index, span_cstr("A-bounces@B")), list);
    /* one list may say both of one address */
    list = list_number(&l, 1);
    assert_ptr_equal(list_by_command_address(index, span_cstr("x@d")), list);
    assert_ptr_equal(list_by_from_address(index, span_cstr("x@d")), list);
    assert_ptr_equal(list_by_from_address(index, span_cstr("from:y@d")), list);
    loaded_free(&l);
}

#define TWO(a, b)                                                                                  \
    L "list \"a.b\" { " a " }\n"                                                                   \
      "list \"c.d\" { " b " }"
#define PLAIN(address) "command_addresses = {\"" address "\"}"
#define FROM(address)  "command_addresses = {\"from:" address "\"}"

/* RULINGS 12, 21 */
static void test_aliases(void **state)
{
    struct loaded l =
        load_text("lists = {}\nrecipient_delimiter = \"+-\"\n"
                  "defaults { aliases = {\"{address_local}@localhost\"} select = recipient }\n"
                  "list \"a.b\" { address = \"a@b\" }\n"
                  "list \"c.d\" { address = \"c@d\" aliases = {\"C\", \"c@c.c.d\", \"\\\"c "
                  "c\\\"@D\", \"c@d\"}\n"
                  "  command_addresses = {\"always:c-owner@d\", \"from:c-x@d\"} }\n"
                  "list \"e.f\" { address = \"e@f\" aliases = {} }\n"
                  "list \"g.h\" { address = \"e@h\" aliases = {} }");
    const struct list_index *index = &l.settings->index;
    const struct list *list = list_number(&l, 1);
    (void)state;
    check_text("delimiter", "+-", l.settings->recipient_delimiter);
    check_end();
    assert_ptr_equal(list_by_address(index, span_cstr("a@LOCALHOST")), list_number(&l, 0));
    assert_null(list_by_address(index, span_cstr("c@localhost"))); /* its own replace them */
    assert_ptr_equal(list_by_address(index, span_cstr("c@c.c.d")), list);
    assert_ptr_equal(list_by_address(index, span_cstr("c c@d")), list);
    assert_ptr_equal(list_by_name(index, span_cstr("c")), list);
    assert_ptr_equal(list_by_name(index, span_cstr("a")), list_number(&l, 0));
    assert_null(list_by_name(index, span_cstr("e")));
    assert_int_equal(list->alias_count, 4);
    assert_ptr_equal(list_by_from_address(index, span_cstr("c-owner@d")), list);
    assert_true(list_always_commands(index, list, span_cstr("c-owner+1@d")));
    assert_false(list_always_commands(index, list, span_cstr("c-x@d")));
    loaded_free(&l);
}

static void test_wrong_aliases(void **state)
{
#define ALIASES(text) "aliases = {\"" text "\"}"
    static const struct row rows[] = {
        {LIST(ALIASES("")), "4: aliases: \"\"", "LOCAL@DOMAIN"},
        {LIST(ALIASES("a b")), "4: aliases: \"a b\"", "NAME"},
        {LIST(ALIASES("<a@b.c>")), "4: aliases: ", "LOCAL@DOMAIN"},
        {LIST(ALIASES("a@b.")), "4: aliases: ", "wrong domain"},
        {LIST(ALIASES("a@[127.0.0.1]")), "4: aliases: ", "expected the NAME alone"},
        {LIST(ALIASES("{address_local}@b")), "4: aliases: ", "no address"},
        {LIST(ALIASES("{message_id}@b")), "4: aliases: ", "{message_id}"},
        {TWO("address = \"x@y\"", ALIASES("X@y")), "4: aliases: \"X@y\" is the address of list",
         "a.b"},
        {TWO(ALIASES("x@y"), "address = \"X@y\""), "4: address: \"X@y\" is the address of list",
         "a.b"},
        {TWO(ALIASES("x"), ALIASES("X")), "4: aliases: \"X\" is the address of list", "a.b"},
        {TWO(ALIASES("x@y.z"), PLAIN("X@y.z")), "4: command_addresses: ", "is the address of list"},
        {LIST("command_addresses = {\"always: a@b\"}"), "4: command_addresses: ", "blank"},
        {"lists = {}\nrecipient_delimiter = \"+x\"", "2: recipient_delimiter: \"+x\"", "signs"},
        {"lists = {}\nrecipient_delimiter = \"@\"", "2: recipient_delimiter: ", "signs"},
        {"lists = {}\nrecipient_delimiter = \" \"", "2: recipient_delimiter: ", NULL},
    };
    (void)state;
    check_rows(rows, CHECK_COUNT(rows), true);
}

static void test_wrong_from_addresses(void **state)
{
    static const struct row rows[] = {
        {LIST(FROM("")), "4: command_addresses: \"from:\"", "LOCAL@DOMAIN"},
        {LIST(FROM("x")), "4: command_addresses: \"from:x\"", "LOCAL@DOMAIN"},
        {LIST(FROM(" x@y.z")), "4: command_addresses: ", "blank"},
        {LIST("command_addresses = {\"a@b.c\",\n\"from: \"}"), "5: command_addresses: ", NULL},
        {LIST(FROM("from:x@y.z")), "4: command_addresses: ", "before the \"@\""},
        {LIST(PLAIN("from :x@y.z")), "4: command_addresses: ", "before the \"@\""},
        {LIST(PLAIN("sender:x@y.z")), "4: command_addresses: ", "before the \"@\""},
        {LIST(FROM("{address}")), "4: command_addresses: ", "no address"},
        {LIST(FROM("{message_id}@y.z")), "4: command_addresses: ", "{message_id}"},
        {LIST("address = \"from:x@y.z\""), "4: address: ", "before the \"@\""},
        {LIST("select = sender senders = {\"from:x@y.z\"}"), "4: senders: ", NULL},
        {TWO(FROM("x@y.z"), FROM("X@y.z")),
         "4: command_addresses: \"X@y.z\" is a command address of list \"a.b\" already",
         "t.conf:3"},
        {TWO(PLAIN("x@y.z"), FROM("X@y.z")), "4: command_addresses: ", "\"a.b\" already"},
        {TWO(FROM("x@y.z"), PLAIN("X@y.z")), "4: command_addresses: ", "\"a.b\" already"},
        {TWO(FROM("x@y.z"), "address = \"X@y.z\""),
         "3: command_addresses: ", "is the address of list \"c.d\""},
        {TWO("address = \"x@y.z\"", FROM("X@y.z")),
         "4: command_addresses: ", "is the address of list \"a.b\""},
        {LIST("address = \"x@y.z\" " FROM("{address}")),
         "4: command_addresses: ", "is the address of list \"a.b\""},
    };
    (void)state;
    check_rows(rows, CHECK_COUNT(rows), true);
}

/* AT-07, RULINGS 51, 67: UTF-8 in a local part, and what is made of it */
static void test_utf8_local_part(void **state)
{
    struct loaded l = load_text(
        LIST("address = \"b\xC3\xBC"
             "cher@l.example\"\n"
             "command_addresses = {\"{address_local}-request@{address_domain}\"}\n"
             "description = \"{address_local}\" help = {\"mailto:{address}?subject=h\xC3\xA9lp\"}\n"
             "archive = {\"https://l.example/\xC3\xA4/{list_label}/\"}\n"
             "archived_at = {\"{archive}/\xE2\x82\xAC/{day}\"}"));
    const struct list *list = list_number(&l, 0);
    struct variable_values values = values_of_list(list);
    struct strbuf url = STRBUF_INIT;
    (void)state;
    check_str("messages", "", strbuf_str(&l.messages));
    check_text("address",
               "b\xC3\xBC"
               "cher@l.example",
               list->address);
    check_text("List-Id", "=?UTF-8?B?YsO8Y2hlcg==?= <a.b>", field_of(list, FIELD_LIST_ID));
    check_text("List-Help", "<mailto:b%C3%BCcher@l.example?subject=h%C3%A9lp>",
               field_of(list, FIELD_LIST_HELP));
    check_text("List-Archive", "<https://l.example/%C3%A4/a/>", field_of(list, FIELD_LIST_ARCHIVE));
    values.set |= VAR_BIT(VAR_DAY);
    values.text[VAR_DAY] = span_cstr("7");
    template_expand(archived_at_of(list, 0), &values, &url);
    check_str("archived_at", "https://l.example/%C3%A4/a/%E2%82%AC/7", strbuf_str(&url));
    check_end();
    assert_ptr_equal(list_by_address(&l.settings->index, span_cstr("B\xC3\xBC"
                                                                   "CHER@L.example")),
                     list);
    assert_ptr_equal(
        list_by_command_address(&l.settings->index, span_cstr("b\xC3\xBC"
                                                              "cher-request@l.example")),
        list);
    strbuf_free(&url);
    loaded_free(&l);
}

#ifdef HAVE_LIBIDN2
/* AT-07: a list is found by both forms of its domain, whichever is configured. */
static void test_international_domains(void **state)
{
    static const char *const written[] = {"b\xC3\xBC"
                                          "cher.example",
                                          "xn--bcher-kva.example",
                                          "B\xC3\x9C"
                                          "cher.Example",
                                          "XN--bcher-KVA.example"};
    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(written); i++) {
        char text[600];
        snprintf(
            text, sizeof text,
            L
            "list \"a.b\" { address = \"x@%s\" select = \"sender\" senders = {\"s@%s\"}\n"
            "command_addresses = {\"c@%s\", \"from:f@%s\"} help = {\"mailto:y@{address_domain}\", "
            "\"https://www.{address_domain}/\"} }",
            written[i], written[i], written[i], written[i]);
        struct loaded l = load_text(text);
        check_row(written[i]);
        if (!check_bool("loads", true, l.settings != NULL)) {
            print_error("%s", strbuf_str(&l.messages));
            loaded_free(&l);
            continue;
        }
        const struct list_index *index = &l.settings->index;
        const struct list *list = list_number(&l, 0);
        char address[100];
        struct arena arena;
        arena_init(&arena, 0);
        for (size_t k = 0; k < CHECK_COUNT(written); k++) { /* as mail may have it */
            struct span mailbox;
            snprintf(address, sizeof address, "\"f+1\"@%s", written[k]);
            mailbox = mailbox_of(span_cstr(address), &arena);
            snprintf(address, sizeof address, "x@%.*s", (int)mailbox.n - 4, mailbox.p + 4);
            check_bool("address", true, list_by_address(index, span_cstr(address)) == list);
            address[0] = 's';
            check_bool("sender", true, list_by_sender(index, span_cstr(address)) == list);
            address[0] = 'c';
            check_bool("command address", true,
                       list_by_command_address(index, span_cstr(address)) == list);
            address[0] = 'f';
            check_bool("from: address", true,
                       list_by_from_address(index, span_cstr(address)) == list);
            check_bool("with a token", true, list_by_from_token(index, mailbox, NULL) == list);
        }
        arena_free(&arena);
        struct span help = field_of(list, FIELD_LIST_HELP);
        check_bool("A-labels", true,
                   span_ends_nocase(help, span_cstr("<https://www.xn--bcher-kva.example/>")));
        loaded_free(&l);
    }
    check_end();
}

/* RULINGS 67: in a mailto: the domain is percent-encoded like the rest. */
static void test_international_uris(void **state)
{
    struct loaded l =
        load_text(LIST("address = \"x@b\xC3\xBC"
                       "cher.example\"\n"
                       "help = {\"mailto:{address}\", \"https://b\xC3\xBC"
                       "cher.example/{list_label}\"}\n"
                       "archived_at = {\"https://\xE4\xBE\x8B.example/{message_id}\"}"));
    const struct list *list = list_number(&l, 0);
    (void)state;
    check_str("messages", "", strbuf_str(&l.messages));
    check_text("List-Help", "<mailto:x@b%C3%BCcher.example>, <https://xn--bcher-kva.example/a>",
               field_of(list, FIELD_LIST_HELP));
    check_text("archived_at", "https://xn--fsq.example/",
               template_literal(&archived_at_of(list, 0)->parts[0]));
    check_end();
    loaded_free(&l);
    /* Behind the host name it is text like any other (RULINGS 51). */
    l = load_text(LIST("address = \"x@b\xC3\xBC"
                       "cher.example\"\n"
                       "help = {\"https://www.{list_label}.{address_domain}/\", "
                       "\"https://{list_label}.example/{address_domain}\", "
                       "\"https://www.{list_label}{list_namespace}\"}"));
    list = list_number(&l, 0);
    check_text("List-Help",
               "<https://www.a.xn--bcher-kva.example/>,\n <https://a.example/b%C3%BCcher.example>, "
               "<https://www.ab>",
               field_of(list, FIELD_LIST_HELP));
    check_end();
    loaded_free(&l);
    /* Two lists with the two forms of one address: RULINGS 21 */
    l = load_text(L "list \"a.b\" { address = \"x@b\xC3\xBC"
                    "cher.example\" }\n"
                    "list \"c.d\" { address = \"x@xn--bcher-kva.example\" }");
    const struct row row = {"", "4: address: ", "\"a.b\" already"};
    assert_true(has_message(&l, &row));
    loaded_free(&l);
    /* RULINGS 12 */
    l = load_text(L "list \"a.b\" { command_addresses = {\"x@b\xC3\xBC"
                    "cher.example\"} }\n"
                    "list \"c.d\" { command_addresses = {\"from:x@xn--bcher-kva.example\"} }");
    const struct row two_kinds = {"", "4: command_addresses: ", "\"a.b\" already"};
    assert_true(has_message(&l, &two_kinds));
    loaded_free(&l);
}
#else
static void test_no_libidn2(void **state)
{
    static const struct row rows[] = {
        {LIST("address = \"x@b\xC3\xBC"
              "cher.example\""),
         "4: address: ", "libidn2"},
        {LIST("help = {\"https://b\xC3\xBC"
              "cher.example/\"}"),
         "4: help: ", "libidn2"},
        {LIST("archived_at = {\"https://\xC3\xA4.example/{day}\"}"), "4: archived_at: ", "libidn2"},
    };
    (void)state;
    check_rows(rows, CHECK_COUNT(rows), true);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults),
#ifdef HAVE_SQLITE
        cmocka_unit_test(test_store_beside_main_file),
#endif
        cmocka_unit_test(test_store),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_switches),
        cmocka_unit_test(test_missing_stores),
        cmocka_unit_test(test_watch),
        cmocka_unit_test(test_nesting),
        cmocka_unit_test(test_wrong),
        cmocka_unit_test(test_no_echo),
        cmocka_unit_test(test_hints),
        cmocka_unit_test(test_hints_of_defaults),
        cmocka_unit_test(test_no_hints),
        cmocka_unit_test(test_one_click),
        cmocka_unit_test(test_where_it_is_right),
        cmocka_unit_test(test_one_click_of_defaults),
        cmocka_unit_test(test_inherited_self),
        cmocka_unit_test(test_parents_max),
        cmocka_unit_test(test_from_addresses),
        cmocka_unit_test(test_wrong_from_addresses),
        cmocka_unit_test(test_aliases),
        cmocka_unit_test(test_wrong_aliases),
        cmocka_unit_test(test_utf8_local_part),
#ifdef HAVE_LIBIDN2
        cmocka_unit_test(test_international_domains),
        cmocka_unit_test(test_international_uris),
#else
        cmocka_unit_test(test_no_libidn2),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
