/* config/settings_load with wrong configurations: each must be refused with file, line and key. */
#include "config_help.h"

#define L              "lists = {}\n"
#define LIST(text)     L "list \"a.b\" {\n" text "\n}\n"
#define DEFAULTS(text) L "list \"a.b\" {}\ndefaults {\n" text "\n}\n"

/* What libConfuse would miss or report elsewhere: mlmilter.conf(5), GRAMMAR */
static void test_form(void **state)
{
    static const struct row rows[] = {
        {"a\nb = \"x\n\n", "2: b: ", "quote"},
        {L "user = \"x\n\n\n", "2: user: ", "quote"},
        {L "user = \"x\n#\"", "2: user: ", "quote"},
        {L "user = 'x\n", "2: user: ", "quote"},
        {LIST("help = {\"mailto:a@b.c\",\n\"mailto:d@e.f}\n"), "4: help: ", "quote"},
        {L "list \"a.b {\n}\n", "2: list: ", "quote"},
        {L "user = \"${HOME}\"", "2: user: ", "environment"},
        {L "user = ${HOME}", "2: user: ", "environment"},
        {LIST("description = \"x ${list_id}\""), "3: description: ", "environment"},
        {L "user = \"\\0b\"", "2: user: ", "empty"}, /* a value ends at a NUL */
        {L "user = \"\\400\"", "2: user: ", "octal"},
        {L "user = \"\\89\"", "2: user: ", "escape"},
        {L "user = \"\\1234\"", "2: user: ", "escape"},
        {L "user = \"a\\x0ab\"", "2: user: ", "line end"},
        {L "user = \"a\\nb\"", "2: user: ", "line end"},
        {L "user = \"a\\rb\"", "2: user: ", "line end"},
        {L "user = \"a\tb\"", "2: user: ", "control"},
        {LIST("address = a@b.c\nselect = recipient\nkeep = {\"a\tb\"}"), "5: keep: ", "control"},
        {L "user = \"a\\x7f\"", "2: user: ", "control"},
        {L "user = \"\\xff\"", "2: user: ", "UTF-8"},
        {L "user = \"a\\\nb\"", "2: user: ", "quote"},
        {L "# \xff\n", "2: ", "UTF-8"},
        {L "\n\x01", "3: ", "control"},
        {L "user = a\rb", "2: ", "control"},
        {"lists = {/etc/x/*.conf}", "1: lists: ", "quotes"},
        {L "user = (x)", "2: user: ", "quotes"},
        {L "user = x(y)", "2: user: ", "quotes"},
        {L "user = \xC3\xA4", "2: user: ", "quotes"},
        {L "trusted = {\"local\" \"::1\"}", "2: trusted: ", "\",\""},
        {L "trusted = {\"local\"\n\n", "2: trusted: ", "\"}\""},
        {L "trusted = {,}", "2: trusted: ", NULL},
        {L "trusted = {{}}", "2: trusted: ", NULL},
        {L "trusted += {\"local\"}", "2: trusted: ", "\"+\""},
        {L "user =\n\npid_file = \"x\"", "4: user: ", "not expected"},
        {L "user = }", "2: user: ", "no value"},
        {L "user", "2: user: ", "\"=\""},
        {L "user \"x\"", "2: user: ", "\"=\""},
        {L "user { }", "2: user: ", "\"=\""},
        {L "}", "2: ", "no section is open"},
        {L "= x", "2: ", "expected KEY"},
        {L "\"user\" = x", "2: ", "expected KEY"},
        {L "list \"a.b\" {\n\n", "2: list: ", "not closed"},
        {L "list \"a.b\" {\nhelp = {}\nlist \"c.d\" {}\n", "4: list: ", "inside"},
        {L "list \"a.b\" \"c\" {}", "2: list: ", NULL},
        {L "list {}", "2: list: ", "list id"},
        {L "list = 3", "2: list: ", "list id"},
        {L "defaults \"x\" {}", "2: defaults: ", "expected it after the name"},
        {L "defaults {}\ndefaults {}", "3: defaults: ", "line 2"},
        {L "list|help = 3", "2: ", NULL},
        {LIST("\"x\" {"), "3: ", "expected a key"},
        {LIST("''"), "3: ", "where a key belongs"},
        {LIST("help {"), "3: help: ", "\"=\""},
    };
    (void)state;
    check_rows(rows, CHECK_COUNT(rows), true);
}

static void test_main(void **state)
{
    static const struct row rows[] = {
        {L "sockett = x", "2: sockett: ", "\"socket\""},
        {L "colour = x", "2: colour: ", "not known"},
        {L "colours \"x\" { a = b }", "2: colours: ", "not known"},
        {L "include(\"x\")", "2: ", "parenthesis"},
        {L "help = {}", "2: help: ", "section"},
        {L "user = a\nuser = b", "3: user: ", "line 2"},
        {L "trusted = {}\ntrusted = {\"local\"}", "3: trusted: ", "line 2"},
        {L "user = {a}", "2: user: ", "one value"},
        {L "user = {}", "2: user: ", "one value"},
        {L "user = \"\"", "2: user: ", "empty"},
        {L "user = \"a b\"", "2: user: ", NULL},
        {L "# a\n// b # c\n# d\nuser = \"\"", "5: user: ", "empty"}, /* counted right */
        {L "trusted = {# a\n// b\n\"x\"}", "4: trusted: \"x\"", NULL},
        {L "/* a */", "2: a \"*\" is outside quotes", "a comment begins with"}, /* RULINGS 108 */
        {L "user = a /* b */", "2: user: ", "outside quotes"},
        {L "socket_group = \"\"", "2: socket_group: ", "empty"},
        {L "socket = \"inet:0@h\"", "2: socket: ", "65535"},
        {L "socket = \"inet:65536@h\"", "2: socket: ", "65535"},
        {L "socket = \"inet:@h\"", "2: socket: ", "65535"},
        {L "socket = \"inet:8894\"", "2: socket: ", "host"},
        {L "socket = \"inet:8894@\"", "2: socket: ", "host"},
        {L "socket = \"inet:88x4@h\"", "2: socket: ", "65535"},
        {L "socket = \"tcp:8894@x\"", "2: socket: ", "inet:PORT@HOST"},
        {L "socket = \"unix:\"", "2: socket: ", "path"},
        {L "socket = \"\"", "2: socket: ", "expected"},
        {L "socket = \"mlmilter.sock\"", "2: socket: ", "expected"},
        {L "socket_mode = \"0860\"", "2: socket_mode: ", "octal"},
        {L "socket_mode = \"10660\"", "2: socket_mode: ", "octal"},
        {L "socket_mode = \"\"", "2: socket_mode: ", "octal"},
        {L "socket_mode = \"4660\"", "2: socket_mode: ", "octal"},
        {L "pid_file = \"\"", "2: pid_file: ", "path"},
        {L "pid_file = \"run/\"", "2: pid_file: ", "path"},
        {L "syslog_facility = news", "2: syslog_facility: ", "\"mail\""},
        {L "on_error = tempfail", "2: on_error: ", "is not known"},
        {L "dry_run = maybe", "2: dry_run: ", "true or false"},
        {L "trusted = {\"::1\",\n\n\"300.0.0.1\"}", "4: trusted: ", "300.0.0.1"},
        {L "store = \"x\"", "2: store: \"x\"", "\"sqlite:PATH\" or \"postgresql:CONNINFO\""},
        {L "store = \"\"", "2: store: ", "is no store"},
        {L "store = \"SQLite:x\"", "2: store: ", "is no store"},
        /* what may be a password is not shown */
        {L "store = \"postgres://me:geheim@db/x\"", "2: store: \"postgres\" ", "is no store"},
        {L "store = \"password=geheim\"", "2: store: \"password\" ", "is no store"},
        {L "store = \"sqlite:\"", "2: store: ", "names no file"},
        {L "store = \"sqlite:db/\"", "2: store: ", "names no file"},
        {L "store = \"postgresql: \"", "2: store: ", "names no database"},
        {"lists = \"\"", "1: lists: \"\" names no file", NULL},
        {"lists = {\"a.conf\",\n\"\"}", "2: lists: \"\" names no file", NULL},
        {L "metrics = \"\"", "2: metrics: ", "names no file"},
        {L "metrics = \"metrics/\"", "2: metrics: ", "names no file"},
        {L "metrics = {\"a\", \"b\"}", "2: metrics: ", NULL},
        {L "token_key_file = \"x\"", "2: token_key_file: \"x\"", "cannot be read: No such file"},
        {L "token_key_file = \"\"", "2: token_key_file: ", "names no file"},
        {L "delegate \"a\" { files = {\"x\"} }", "2: domains: is missing", NULL},
    };
    (void)state;
    check_rows(rows, CHECK_COUNT(rows), true);
}

#define OCTETS_64 "abcdefghabcdefghabcdefghabcdefghabcdefghabcdefghabcdefghabcdefgh"
#define ID_256    OCTETS_64 "." OCTETS_64 "." OCTETS_64 "." OCTETS_64 /* 259 */

static void test_list(void **state)
{
    static const struct row rows[] = {
        {L "list \"" ID_256 "\" {}", "2: list: ", "255"}, /* LI-02 */
        {L "list \"nodot\" {}", "2: list: ", "dot"},      /* LI-01 */
        {L "list \"a..b\" {}", "2: list: ", NULL},
        {L "list \"a b.c\" {}", "2: list: ", NULL},
        {L "list \"a.b\\n\" {}", "2: list: ", NULL},
        {L "list \"\" {}", "2: list: ", "empty"},
        {L "\nlist \"a.b\" {\n}\nlist \"A.B\" {}",
         "5: list: ", "first in /nowhere/t.conf:3"}, /* LI-10 */
        {LIST("colour = red"), "3: colour: ", "not known"},
        {LIST("adress = \"x\""), "3: adress: ", "\"address\""},
        {LIST("socket = \"x\""), "3: socket: ", "main file"},
        {LIST("help = {}\nhelp = {\"mailto:a@b.c\"}"), "4: help: ", "line 3"},
        {LIST("message_id_hash = 2"), "3: message_id_hash: \"2\"", "true or false"},
        {LIST("select = \"list\""), "3: select: \"list\"", "\"recipient\" or \"sender\""},
        {LIST("missing_message_id = \"x\""), "3: missing_message_id: ", "\"add\""},
        {LIST("duplicate_message_id = \"x\""), "3: duplicate_message_id: ", "\"delete\""},
        {LIST("crosspost = \"x\""), "3: crosspost: ", "\"defer\""},
        /* addresses */
        {LIST("address = \"x\""), "3: address: \"x\"", "LOCAL@DOMAIN"},
        {LIST("address = \"<x@y.z>\""), "3: address: ", "brackets"},
        {LIST("address = \"x@y..z\""), "3: address: ", "domain"},
        {LIST("address = \"x y@z\""), "3: address: ", NULL},
        {LIST("address = \"{address}\""), "3: address: ", "{address}"},
        /* RFC 6531 3.3, AT-07 */
        {LIST("address = \"\xC3\xA4 b@y.z\""), "3: address: ", "before the \"@\""},
        {LIST("address = \"<\xC3\xA4@y.z>\""), "3: address: ", "brackets"},
        {LIST("address = \"a@\xC3\xA4..z\""), "3: address: ", "domain"},
        {LIST("address = \"\xC2\x85@y.z\""), "3: address: ", "control"},
        {LIST("address = \"a@\xE2\x80\xAE.z\""), "3: address: ", NULL}, /* no label */
        {LIST("command_addresses = {\"a@b.c\",\n\"a@\xC3\xA4_\xC3\xA4.z\"}"),
         "4: command_addresses: ", NULL},
        {LIST("command_addresses = {\"a@b.c\",\n\"b\"}"), "4: command_addresses: \"b\"", NULL},
        /* items: LH-05, LH-14, RULINGS 35, 63 */
        {LIST("help = {\"mailto:a@b.c\",\n\"file:///etc/passwd\"}"), "4: help: \"file:", "file"},
        {LIST("help = {\"JavaScript:x\"}"), "3: help: ", "javascript"},
        {LIST("help = {\"a@b.c\"}"), "3: help: ", "scheme"},
        {LIST("help = {\"\"}"), "3: help: ", "empty"},
        {LIST("help = {\"https://\"}"), "3: help: ", "host"},
        {LIST("help = {\"<https://x.example>\"}"), "3: help: ", NULL},
        {LIST("help = {\"https://x.example/\\nX: y\"}"), "3: help: ", "line end"},
        {LIST("help = {\"https://x.example/ (a\"}"), "3: help: ", "parentheses"},
        {LIST("help = {\"https://x.example/ text\"}"), "3: help: ", NULL},
        {LIST("help = {\"(a) \"}"), "3: help: ", "a comment and no URI"},
        {LIST("help = {\"(x https://x.example/\"}"), "3: help: ", "not balanced"},
        {LIST("help = {\"(x) https://x.example/ y\"}"), "3: help: ", "no comment"},
        {LIST("post = {\"(x) NO\", \"mailto:a@b.example\"}"), "3: post: ", "\"NO\" alone"},
        {LIST("help = {\"https://\xC3\xA4{list_label}.example/\"}"), "3: help: ", "variable"},
        {LIST("archived_at = {\"https://\xE2\x80\xAE.example/{day}\"}"), "3: archived_at: ", NULL},
        {LIST("help = {\"https://x.example/%2\"}"), "3: help: ", "%"},
        {LIST("help = {\"NO\"}"), "3: help: ", "post"},
        {LIST("post = {\"NO\", \"mailto:a@b.c\"}"), "3: post: ", "alone"},
        {LIST("post = {\"mailto:a@b.c\",\n\"no (x)\"}"), "4: post: ", "alone"},
        /* variables: RULINGS 42, 45, 47 */
        {LIST("help = {\"mailto:{address}\"}"), "3: help: ", "no address"},
        {LIST("description = \"{address_local}\""), "3: description: ", "no address"},
        {LIST("description = \"{colour}\""), "3: description: ", "{colour}"},
        {LIST("description = \"a } b\""), "3: description: ", "}"},
        {LIST("description = \"a {{list_id}}\""), "3: description: ", "{{"},
        {LIST("help = {\"mailto:{recipient}\"}"), "3: help: ", "{recipient}"},
        {LIST("help = {\"https://x.example/{message_id}\"}"), "3: help: ", "{message_id}"},
        {LIST("archive = {\"{archive}\"}"), "3: archive: ", "{archive}"},
        {LIST("archived_at = {\"{recipient}\"}"), "3: archived_at: ", "{recipient}"},
        {LIST("archived_at = {\"x{archive}\"}"), "3: archived_at: ", "start"},
        {LIST("archived_at = {\"x/{message_id}\"}"), "3: archived_at: ", "scheme"},
        {LIST("archived_at = {\"https://x.example/{day:65}\"}"), "3: archived_at: ", "64"},
        {LIST("archived_at = {\"https://x.example/{day:0}\"}"), "3: archived_at: ", "64"},
        {LIST("archived_at = {\"https://x.example/ a\"}"), "3: archived_at: ", "blank"},
        {LIST("archived_at = {\"https://x.example/{sequence:65}\"}"), "3: archived_at: ", "64"},
        {LIST("archived_at = {\"https://x.example/{subject}\"}"), "3: archived_at: ", "{subject}"},
        {LIST("unsubscribe = {\"https://x.example/{recipient_token}\"}"),
         "3: unsubscribe: ", "token_key_file"}, /* RULINGS 17 */
        {LIST("help = {\"https://x.example/{recipient_token}\"}"), "3: help: ", "may not be used"},
        {LIST("unsubscribe = {\"mailto:a@b.c ({recipient})\"}"), "3: unsubscribe: ", "comment"},
        {LIST("unsubscribe = {\"mailto:a@b.c ({recipient_token})\"}"),
         "3: unsubscribe: ", "comment"},
        {LIST("address=\"a@b.c\" select=recipient\nunsubscribe = {\"mailto:x+{recipient}@b.c\"}"),
         "4: unsubscribe: ", "recipient"}, /* RULINGS 16 */
        /* keep: RULINGS 26 */
        {LIST("keep = {\"List-Post\",\n\"Subject\"}"), "4: keep: \"Subject\"", "field"},
        {LIST("keep = {\"X-Foo\"}"), "3: keep: \"X-Foo\"", "field"},
        {LIST("keep = {\"\"}"), "3: keep: ", "field"},
        /* RULINGS 26 */
        {LIST("keep = {\"List-Post\",\n\"message-id-HASH\"}"),
         "4: keep: \"message-id-HASH\" cannot", "removed from every post"},
        {LIST("keep = {\"X-Message-ID-Hash\"}"), "3: keep: \"X-Message-ID-Hash\" cannot", NULL},
        {LIST("keep = {\"X-Message-ID-Header\"}"), "3: keep: \"X-Message-ID-Header\" cannot", NULL},
        {LIST("keep = {\"List-Sequence\"}"), "3: keep: \"List-Sequence\" cannot", NULL},
        {LIST("keep = {\"X-List-Sequence\"}"), "3: keep: \"X-List-Sequence\" cannot", NULL},
        {LIST("keep = {\"X-List-Sequence-Number\"}"), "3: keep: ", "cannot"},
        {LIST("keep = {\"X-List-ID-Hash\"}"), "3: keep: \"X-List-ID-Hash\" cannot", NULL},
        {LIST("address = \"a@b.c\" select = \"recipient\"\nkeep = {\"List-Post\"}"),
         "4: keep: with select", "every field is a poster's"},
        /* select: RULINGS 69, 76 */
        {LIST("\nselect = sender"), "4: select: ", "senders"},
        {LIST("select = recipient"), "3: select: ", "address"},
        {LIST("select = recipient address = \"a@b.c\" senders = {\"a@b.c\"}"),
         "3: senders: ", "list manager"},
        {LIST("select = sender senders = {\"x\"}"), "3: senders: ", "LOCAL@DOMAIN"},
        /* two lists: RULINGS 12, 21, 76 */
        {L "list \"a.b\" { address = \"x@y.z\" }\nlist \"c.d\" {\naddress = \"X@y.z\" }",
         "4: address: ", "\"a.b\" already (/nowhere/t.conf:2)"},
        {L "list \"a.b\" { command_addresses = {\"x@y.z\"} }\n"
           "list \"c.d\" { command_addresses = {\"x@Y.z\"} }",
         "3: command_addresses: ", "\"a.b\" already (/nowhere/t.conf:2)"},
        {L "list \"a.b\" { select = sender senders = {\"x@y.z\"} }\n"
           "list \"c.d\" { select = sender senders = {\"w@y.z\",\n \"x@Y.z\"} }",
         "4: senders: ", "\"a.b\" already (/nowhere/t.conf:2)"},
        {L "list \"a.b\" { command_addresses = {\"x@y.z\"} }\nlist \"c.d\" { address = \"x@y.z\" }",
         "2: command_addresses: ", "\"c.d\""},
        {LIST("sequence = maybe"), "3: sequence: \"maybe\"", "true or false"},
    };
    (void)state;
    check_rows(rows, CHECK_COUNT(rows), true);
}

/* An error in a text of the defaults names their line, and the list if it is about one. */
static void test_defaults(void **state)
{
    static const struct row rows[] = {
        {DEFAULTS("help = {\"mailto:{address}\"}"), "2: list: \"a.b\" has no address", "help"},
        {DEFAULTS("help = {\"file:x\"}"), "4: help: ", "file"},
        {DEFAULTS("help = {\"{colour}\"}"), "4: help: ", "{colour}"},
        {DEFAULTS("keep = {\"Subject\"}"), "4: keep: ", "field"},
        {DEFAULTS("select = x"), "4: select: ", "\"sender\""},
        {DEFAULTS("sequence = 3"), "4: sequence: \"3\"", "true or false"},
        {DEFAULTS("address = \"{list_id}\""), "4: address: ", "\"a.b\""},
    };
    (void)state;
    check_rows(rows, CHECK_COUNT(rows), true);
}

/* Legal but unwise: LH-04, LI-04, RULINGS 43, 42, 26. */
static void test_hints(void **state)
{
    static const struct row rows[] = {
        {LIST("help = {\"https://x.example/\"}"), "3: hint: help: ", "mailto"},
        {L "list \"a.localhost\" {}", "2: hint: list: ", "localhost"},
        {LIST("archive = {\"https://x.example/\"}"),
         "3: hint: archive: ", "{archive}/{message_id_hash}"},
        {LIST("archived_at = {\"{archive}/{message_id}\"}"), "3: hint: archived_at: ", "archive"},
        {"lists = {\"no-such-file.conf\"}", "1: hint: lists: ", "not exist"},
    };
    (void)state;
    check_rows(rows, CHECK_COUNT(rows), false);
}

/* All errors of values are collected, in every part of the file. */
static void test_all_errors(void **state)
{
    struct loaded l = load_text(
        "lists = {}\nsocket = \"x\"\nlist \"a.b\" { help = {\"x\"}\npost = {\"y\"} }\n"
        "list \"c.d\" { select = 3\naddress = 4\nsequence = 6 }\ndefaults { crosspost = 5 }\n");
    (void)state;
    if (l.diagnostics.errors != 7)
        print_error("%s", strbuf_str(&l.messages));
    assert_int_equal(l.diagnostics.errors, 7);
    assert_null(l.settings);
    loaded_free(&l);
}

/* One error of syntax a file and run, with the errors of values before it. Lists before it are
 * judged if all else has been read. */
static void test_one_run(void **state)
{
    static const struct {
        const char *text, *messages;
    } rows[] = {
        {"lists = {}\nuser = \"\"\ndry_run = maybe\nlist \"a.b\" { help = \"x\" }\nmetrics \"x\"\n"
         "usr = a\nsocket = \"x\"\n",
         "/nowhere/t.conf:2: user: \"\" is empty (expected a name)\n"
         "/nowhere/t.conf:3: dry_run: \"maybe\" is not understood (expected true or false)\n"
         "/nowhere/t.conf:5: metrics: is not followed by \"=\" (expected KEY = VALUE)\n"},
        {"lists = {}\nlist \"a.b\" { help = \"x\" }\nlist \"c.d\" {\nadress = a\nposst = b }\n",
         "/nowhere/t.conf:2: help: \"x\" lacks a scheme such as https: or mailto:\n"
         "/nowhere/t.conf:4: adress: is not known (did you mean \"address\"?)\n"},
        {"lists = {}\nlist \"a.b\" { select = sender }\nlist \"c.d\" {\nadress = a }\n"
         "defaults { senders = \"a@b.example\" }\n",
         "/nowhere/t.conf:4: adress: is not known (did you mean \"address\"?)\n"},
    };
    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        struct loaded l = load_text(rows[i].text);
        check_row(rows[i].text);
        check_str("messages", rows[i].messages, strbuf_str(&l.messages));
        loaded_free(&l);
    }
    check_end();
}

/* What a list may lack is not said where the form of what it takes from is wrong. */
static void test_no_echo_of_forms(void **state)
{
    static const char *const rows[] = {
        DEFAULTS("address = \"a@b.c\" }"),
        DEFAULTS("address = \"a@b.c\" x"),
        L "token \"t\" { x }",
        L "defaults = { address = \"a@b.c\" }",
    };
    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        char text[400];
        snprintf(text, sizeof text,
                 "%s\nlist \"c.d\" { select = recipient archived_at = "
                 "{\"https://x.example/{t}\"} }\n",
                 rows[i]);
        struct loaded l = load_text(text);
        check_row(rows[i]);
        check_bool("refused", true, l.settings == NULL);
        check_bool("no echo", true,
                   strstr(strbuf_str(&l.messages), "list's address") == NULL &&
                       strstr(strbuf_str(&l.messages), "{t}") == NULL);
        loaded_free(&l);
    }
    check_end();
}

/* Each wrong item of a list with its line, whatever is wrong with it. */
static void test_all_items(void **state)
{
    struct loaded l =
        load_text("lists = {}\ntrusted = {\"300.0.0.1\", \"local\",\n\"::/129\",\n"
                  "\"daemon:\",\n\n\"[::1]\", \"x\"}\nlist \"a.b\" { keep = {\"a\\n\",\n"
                  "\"b\\n\"} }\n");
    (void)state;
    static const int lines[] = {2, 3, 4, 6, 6, 7, 8};
    if (l.diagnostics.errors != CHECK_COUNT(lines))
        fail_msg("%s", strbuf_str(&l.messages));
    for (size_t i = 0; i < CHECK_COUNT(lines); i++)
        check_int("line", lines[i], l.diagnostics.items[i].line);
    check_end();
    loaded_free(&l);
}

/* Messages come in the order of the lines, hints among errors. */
static void test_order(void **state)
{
    struct loaded l = load_text(
        "dry_run = x\ntrusted = {\"x\"}\nlists = {\"none.conf\"}\nuser = \"\" watch = 1\n"
        "socket = \"y\"\nlist \"a.b\" { help = {\"https://x.example/\"} }\nlist \"c.d\" { post = "
        "{\"y\"}\n"
        "sequence = 1 }\ndefaults { crosspost = 5 }\n");
    static const int lines[] = {1, 2, 3, 4, 4, 5, 6, 7, 8, 9};
    (void)state;
    if (l.diagnostics.count != CHECK_COUNT(lines))
        fail_msg("%s", strbuf_str(&l.messages));
    for (size_t i = 0; i < CHECK_COUNT(lines); i++)
        check_int("line", lines[i], l.diagnostics.items[i].line);
    check_int("hint", SEVERITY_HINT, l.diagnostics.items[2].severity);
    check_end();
    loaded_free(&l);
}

/* What follows from an error is no error of its own. */
static void test_no_echo(void **state)
{
    static const char *const rows[] = {
        LIST("address = \"x\" help = {\"mailto:{address}\"} select = recipient"),
        LIST("address = \"a\\nb\" help = {\"mailto:{address}\"} select = recipient"),
        LIST("select = x senders = {}"),
        DEFAULTS("address = \"{colour}\" select = recipient help = {\"mailto:{address}\"}"),
        L "list \"a.b\" { help = {\"x\"} }\nlist \"A.b\" { help = {\"mailto:a@b.c\"} "
          "address = \"a@b.c\" }\nlist \"d.e\" { address = \"b@b.c\" }",
    };
    static const unsigned errors[] = {1, 1, 1, 1, 2};
    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        struct loaded l = load_text(rows[i]);
        check_row(rows[i]);
        if (!check_int("errors", errors[i], (long long)l.diagnostics.errors))
            print_error("%s", strbuf_str(&l.messages));
        loaded_free(&l);
    }
    check_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_form),
        cmocka_unit_test(test_main),
        cmocka_unit_test(test_list),
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_hints),
        cmocka_unit_test(test_all_errors),
        cmocka_unit_test(test_no_echo),
        cmocka_unit_test(test_all_items),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_one_run),
        cmocka_unit_test(test_no_echo_of_forms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
