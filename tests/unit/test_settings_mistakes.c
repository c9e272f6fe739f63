/* config/load: the mistakes that people make, and what they are told. */
#include "config_help.h"

#define L "lists = {}\n"
#define SEMICOLON                                                                                  \
    "a \";\" is outside quotes, and none is needed (expected nothing between keys, \",\" between " \
    "values, \"#\" before a comment)"
#define LIST(text) L "list \"team.example.org\" {\n" text "\n}\n"

/* Thirty mistakes that someone new to the program made, in their order, and the whole of what is
 * said: where, and what to write instead. */
static void test_thirty(void **state)
{
    static const struct {
        const char *text, *message;
    } rows[] = {
        {LIST("adress = \"team@example.org\""),
         "3: adress: is not known (did you mean \"address\"?)"},
        {LIST("description = \"Team"), "3: description: a quote is opened on this line and not "
                                       "closed (expected the closing quote on the same line)"},
        {LIST("help = {\"team@example.org\"}"),
         "3: help: \"team@example.org\" lacks a scheme such as https: or mailto:"},
        {L "list \"x.y\" {}\nlist \"x.y\" {}\n",
         "3: list: \"x.y\" appears a second time (first in /nowhere/t.conf:2)"},
        {L "list \"team\" {}\n", "2: list: \"team\" has no dot (expected a label, a dot and a "
                                 "domain, as in \"team.example.org\")"},
        {L "list \"team@example.org\" {}\n",
         "2: list: \"team@example.org\" is no list id (did you mean \"team.example.org\"?)"},
        {L "list \"<team.example.org>\" {}\n",
         "2: list: \"<team.example.org>\" is no list id (did you mean \"team.example.org\"?)"},
        {L "socket = \"inet:127.0.0.1:8894\"\n",
         "2: socket: \"inet:127.0.0.1:8894\" has its host first, as Postfix writes it (expected "
         "the port first, as in \"inet:8894@127.0.0.1\")"},
        {L "socket = \"inet:8894@127.0.0.1:8894\"\n",
         "2: socket: \"inet:8894@127.0.0.1:8894\" has a wrong host (expected a name or an address, "
         "and the port before the \"@\")"},
        {LIST("address = \"team\""), "3: address: \"team\" is no address (expected LOCAL@DOMAIN)"},
        {L "list \"a.b\" {\n help = {}\nlist \"c.d\" {\n post = {}\n}\n",
         "4: list: a section begins inside of another one (expected the \"}\" of the section above "
         "first)"},
        {L "list \"a.b\" {\n help = {}\n",
         "2: list: has a \"{\" that is not closed (expected \"}\")"},
        {LIST("archived_at = {\"https://x.example/{message_id_hsah}\"}"),
         "3: archived_at: \"https://x.example/{message_id_hsah}\" has the unknown variable "
         "{message_id_hsah} (did you mean {message_id_hash}?)"},
        {LIST("archived_at = {\"https://x.example/{hash}\"}"),
         "3: archived_at: \"https://x.example/{hash}\" has the unknown variable {hash} (expected "
         "{list_id}, {list_label}, {list_namespace}, {address}, {address_local}, {address_domain}, "
         "{archive}, {message_id}, {message_id_hash}, {list_id_hash}, {year}, {month}, {day}, "
         "{month_name}, {month_abbr} or {sequence})"},
        {LIST("senders = {\"x@y.z\"} select = \"recipient\" address = \"a@b.c\""),
         "3: senders: \"x@y.z\" has no effect here (expected it in a list of a list manager)"},
        {LIST("select = \"recipent\""),
         "3: select: \"recipent\" is not understood (did you mean \"recipient\"?)"},
        {LIST("select = \"alias\""), "3: select: \"alias\" is not understood (expected "
                                     "\"list-id\", \"recipient\" or \"sender\")"},
        {LIST("help = {\"https://x.example/a b\"}"),
         "3: help: \"https://x.example/a b\" has text after a blank that is no comment in "
         "parentheses (expected \"%20\" for a blank in a URI)"},
        {LIST("description = \"\xe4\""),
         "3: this line is not valid UTF-8 (expected a file in UTF-8)"},
        {LIST("post = false"),
         "3: post: \"false\" is no URI (expected \"NO\" for a list that takes no posts)"},
        {LIST("description = \"x\";"), "3: description: " SEMICOLON},
        {LIST("description = x;"), "3: description: " SEMICOLON},
        {LIST("description = \"x\",\nhelp = {}"), "3: description: \",\" is not expected here "
                                                  "(expected KEY = VALUE, \",\" between the values "
                                                  "of a list, or \"}\")"},
        {LIST("description: \"x\""),
         "3: description:: is not known (did you mean \"description\"?)"},
        {LIST("help = [\"mailto:a@b.c\"]"),
         "3: help: there is a \"[\" here (expected \"{\" and \"}\" around a list of values)"},
        {LIST("description = \xE2\x80\x9C"
              "x\xE2\x80\x9D"
              ""),
         "3: description: this is a typographic quote (expected \" or ' around a text)"},
        {L "include(\"x\")\n",
         "2: a parenthesis is outside quotes (expected \"...\" around the whole text)"},
        {L "List \"x.y\" {}\n", "2: List: is not known (did you mean \"list\"?)"},
        {LIST("unsubscribe_one_click = true unsubscribe = {\"https://x.example/\"}"),
         "3: unsubscribe: \"https://x.example/\" does not name the recipient, as "
         "unsubscribe_one_click = true needs it (expected {recipient} and {recipient_token} in it, "
         "whole and in front of any \"#\"; RFC 8058, 3.1)"},
        {LIST("address = \"team@example.org\" command_addresses = {\"team-bounces@example.org\"}"),
         "3: hint: command_addresses: \"team-bounces@example.org\" is what list managers send "
         "posts with: each post counts as a command response, without Archived-At and number "
         "(expected \"from:\" before it)"},
        {LIST("archive = {\"mailto:a@b.c\"} archived_at = {\"{archive}/{message_id_hash}\"}"),
         "3: hint: archive: \"mailto:a@b.c\" is no https: or http: URI, which {archive} in "
         "archived_at could stand for"},
        {LIST(
             "archive = \"https://x.y/?list=dev\" archived_at = {\"{archive}/{message_id_hash}\"}"),
         "3: hint: archive: \"https://x.y/?list=dev\" has a query or fragment, after which "
         "{archive} in archived_at puts the rest of the URL (expected a template without "
         "{archive})"},
        {LIST("archived_at = {\"https://x.example/\"}"),
         "3: hint: archived_at: \"https://x.example/\" is the same for all posts (expected "
         "{message_id_hash} or another variable of the message in it)"},
        {L "trusted = {\"0.0.0.0/0\"}\n",
         "2: hint: trusted: \"0.0.0.0/0\" trusts a large part of the Internet to speak for the "
         "lists (expected a network of one's own)"},
        {L "trusted = {\"10.1.2.3/8\"}\n",
         "2: hint: trusted: \"10.1.2.3/8\" has an address after its prefix, which does not count "
         "(expected the network's own address, or no prefix length for one host)"},
        {L "socket = \"inet:8894@0.0.0.0\"\n",
         "2: hint: socket: \"inet:8894@0.0.0.0\" can be reached from other networks, and anyone "
         "who connects can claim to be any client (expected an address of this host alone, such "
         "as 127.0.0.1)"},
        {L "socket_mode = \"0777\"\n", "2: hint: socket_mode: \"0777\" lets everybody on this host "
                                       "speak to the socket (expected socket_group and \"0660\")"},
        {"lists = {\"list.d/*.conf\"}\n", "1: hint: lists: \"list.d/*.conf\" matches no file"},
        {L "help = {}\n",
         "2: help: is a key of a list (expected inside of a section \"list\" or \"defaults\")"},
        {LIST("socket = \"x\""),
         "3: socket: is a key of the main file (expected outside of the sections)"},
        {L "trusted = {\"localhost\"}\n",
         "2: trusted: \"localhost\" is no rule for clients (expected a network such as "
         "\"192.0.2.0/24\" or \"2001:db8::/32\", \"daemon:NAME\", \"authenticated\" or \"local\")"},
        {LIST("keep = {\"List-Pots\"}"),
         "3: keep: \"List-Pots\" is not the name of a field that a list owns (expected one such as "
         "\"List-Unsubscribe\" or \"Archived-At\")"},
        {LIST("help = {}\npost = {}\nhelp = {\"mailto:a@b.c\"}"),
         "5: help: is set a second time (first in line 3)"},
        {L "user = \"${USER}\"\n",
         "2: user: \"${\" is not allowed: environment variables are not expanded here (write "
         "\"\\${\" for a dollar sign before a variable of mlmilter)"},
        {LIST("description = our team"), "3: team: is not known (expected a key of a list; a text "
                                         "of several words must be in quotes)"},
        {L "user = one two\n", "2: two: is not known (expected a key of the main file; a text of "
                               "several words must be in quotes)"},
        {L "list {}\n", "2: list: has no name or list id (expected one before its \"{\")"},
        {L "token { }\n", "2: token: has no name or list id (expected one before its \"{\")"},
        {LIST("description \"x\""),
         "3: description: is not followed by \"=\" (expected KEY = VALUE)"},
        {L "user \"x\"\n", "2: user: is not followed by \"=\" (expected KEY = VALUE)"},
        {L "defaults \"x\" { }\n",
         "2: defaults: is not followed by \"{\" (expected it after the name of the section)"},
    };
    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        struct strbuf expected = STRBUF_INIT;
        struct loaded l = load_text(rows[i].text);
        check_row(rows[i].text);
        strbuf_addf(&expected, "/nowhere/t.conf:%s\n", rows[i].message);
        check_span("message", strbuf_span(&expected), strbuf_span(&l.messages));
        strbuf_free(&expected);
        loaded_free(&l);
    }
    check_end();
}

/* What other formats ask for, and people write out of habit. */
static void test_habits(void **state)
{
    static const struct row rows[] = {
        {L "user = \"x\";\n", "2: user: ", "a \";\" is outside quotes, and none is needed"},
        {L "user = x;\n", "2: user: ", "none is needed"},
        {L "user = x\n;dry_run = true", "3: a \";\"", "none is needed"},
        {L "; a comment", "2: a \";\"", "\"#\" before a comment"},
        {L "dry_run = true ;", "2: dry_run: ", "none is needed"},
        {L "trusted = {\"local\"; \"::1\"}", "2: trusted: ", "\",\" between values"},
        {L "list \"a.b\" {\n};", "3: list: ", "none is needed"},
        {LIST("description = \"x\";"), "3: description: ", "none is needed"},
        {";", "1: a \";\"", NULL},
        {L "user = \"x\",\ndry_run = true", "2: user: ", "\",\" is not expected"},
        {LIST("select = sender,\nhelp = {}"), "3: select: ", "\",\" is not expected"},
        {LIST(", help = {}"), "3: \",\" is not expected", NULL},
        {LIST("help = {}\n, post = {}"), "4: \",\" is not expected", NULL},
        {LIST("description = our team"), "3: team: ", "must be in quotes"},
        {LIST("description = our team\nhelp = {}"), "3: team: ", "must be in quotes"},
        {LIST("description = our list: x"), "3: list:: ", "must be in quotes"},
        {LIST("description = our \"team\""), "3: team: ", "must be in quotes"},
        {LIST("description = a b address = c"), "3: b: ", "must be in quotes"},
        {L "user = one two three", "2: two: ", "must be in quotes"},
        {L "user = one two\nlist \"a.b\" {}", "2: two: ", "must be in quotes"},
        {L "user = one two { a = b }", "2: two: ", "not known"},
        {L "user = one\ntwo", "3: two: ", "not known"},
        {LIST("address: x@y.z"), "3: address:: ", "did you mean \"address\""},
        {LIST("address: = x@y.z"), "3: address:: ", "did you mean \"address\""},
        {L "user: x", "2: user:: ", "did you mean \"user\""},
        {L "list: \"a.b\" {}", "2: list:: ", "did you mean"},
        {L "user:: = x", "2: user::: ", "did you mean \"user\""},
        {L ": = x", "2: :: is not known", NULL},
    };
    (void)state;
    check_rows(rows, CHECK_COUNT(rows), true);
}

/* What people write who know other programs: the message says what to write. */
static void test_newcomers(void **state)
{
    static const struct row rows[] = {
        {L "list \"a.b\" {}\n\nlist \"A.b\" {}", "4: list: \"A.b\" appears a second time",
         "first in /nowhere/t.conf:2"},
        {L "list \"team\" {}", "2: list: \"team\" has no dot", "as in \"team.example.org\""},
        {L "list \"team@example.org\" {}", "2: list: \"team@example.org\" is no list id",
         "did you mean \"team.example.org\"?"},
        {L "list \"<team.example.org>\" {}", "2: list: ", "did you mean \"team.example.org\"?"},
        {L "list \"a b@x.y\" {}", "2: list: ", "has a character that is none of"},
        {L "socket = \"inet:127.0.0.1:8894\"", "2: socket: ", "as in \"inet:8894@127.0.0.1\""},
        {L "socket = \"inet:localhost:8894\"", "2: socket: ", "has its host first"},
        {L "socket = \"inet6:::1:8894\"", "2: socket: ", "has its host first"},
        {L "socket = \"inet:8894@127.0.0.1:8894\"", "2: socket: ", "the port before the \"@\""},
        {L "socket = \"inet6:8894@::1:x\"", "2: socket: ", "has a wrong host"},
        {L "socket = \"inet:8894@::1\"", "2: socket: ", "expected \"inet6:PORT@HOST\""},
        {LIST("archived_at = {\"https://x.example/{hash}\"}"),
         "3: archived_at: ", "has the unknown variable {hash} (expected {list_id}, {list_label},"},
        {LIST("help = {\"mailto:{x}@y\"}"), "3: help: ", "{address_local} or {address_domain})"},
        {LIST("help = {\"https://x.example/a b\"}"), "3: help: ", "expected \"%20\""},
        {LIST("post = false"), "3: post: \"false\"", "expected \"NO\""},
        {LIST("post = {\"no\", \"off\"}"), "3: post: \"off\"", "expected \"NO\""},
        {LIST("help = [\"mailto:a@b.example\"]"), "3: help: there is a \"[\" here",
         "\"{\" and \"}\""},
        {LIST("help = [ \"mailto:a@b.example\" ]"), "3: help: there is a \"[\" here", NULL},
        {LIST("description = \xE2\x80\x9Cx\xE2\x80\x9D"),
         "3: description: this is a typographic quote", NULL},
        {LIST("description = x\xE2\x80\x99"), "3: description: this is a typographic quote", NULL},
        {L "include(\"x\")", "2: a parenthesis is outside quotes", NULL},
        {L "user = x(y)", "2: user: a parenthesis is outside quotes", NULL},
        {L "user = x\"y\"", "2: user: a quote is in the middle of a text", NULL},
        {"lists = {lists.d/*.conf}", "1: lists: a \"*\" is outside", NULL},
        {L "user = a+b", "2: user: a \"+\" is outside", NULL},
    };
    (void)state;
    check_rows(rows, CHECK_COUNT(rows), true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_thirty),
        cmocka_unit_test(test_habits),
        cmocka_unit_test(test_newcomers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
