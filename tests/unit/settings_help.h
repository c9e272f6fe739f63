/*
 * settings_help - a configuration that uses about everything, and what was made of it as one text
 *
 * For tests that let a load fail in one place: it must fail, or give the same.
 */
#ifndef MLMILTER_TESTS_SETTINGS_HELP_H
#define MLMILTER_TESTS_SETTINGS_HELP_H

/* Before any other header: what is built in. */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "delegation_help.h"

/* A domain with an international name, where there are any. */
#ifdef HAVE_LIBIDN2
#define BUCHER                                                                                     \
    "b\xC3\xBC"                                                                                    \
    "cher.example"
#else
#define BUCHER "xn--bcher-kva.example"
#endif
#ifdef HAVE_SYS_INOTIFY_H
#define WATCH "watch = true\n"
#else
#define WATCH ""
#endif

#define RICH_MAIN                                                                                  \
    "lists = {\"own/*.conf\", \"more.conf\"}\n"                                                    \
    "socket = \"unix:run/sock\"\nsocket_group = \"mail\"\npid_file = \"run/pid\"\n"                \
    "store = \"sqlite:numbers.db\"\nmetrics = \"run/metrics\"\n" WATCH                             \
    "token_key_file = \"keys\"\n"                                                                  \
    "trusted = {\"127.0.0.0/8\", \"2001:db8::/32\", \"local\", \"daemon:outbound\"}\n"             \
    "token \"all\" { digest = \"sha256\" of = \"{message_id}{list_id}\" encoding = \"base32\""     \
    " padding = false }\n"                                                                         \
    "defaults { archived_at = {\"{archive}/{all}/{sequence}\"} sequence = true"                    \
    " reused_message_id = \"omit\" parents = {\"top.example.org\"} }\n"                            \
    "list \"top.example.org\" { description = \"B\xC3\xBC"                                         \
    "cher\" address = \"top@example.org\""                                                         \
    " help = {\"mailto:{address_local}-help@{address_domain}\", \"https://x.example/h (so)\"}"     \
    " archive = {\"https://x.example/top\"} keep = {\"List-Post\"}"                                \
    " unsubscribe = {\"https://x.example/?{recipient}{recipient_token} (here)\"}"                  \
    " unsubscribe_one_click = true command_addresses = {\"from:{address_local}-r@example.org\","   \
    " \"top-confirm@" BUCHER "\"} }\n" ALICE BOB                                                   \
    "delegate carl { files = {\"c/z*.conf\"} domains = {\"" BUCHER "\"} }\n"

#define RICH_OWN                                                                                   \
    "list \"low.example.org\" { address = \"low@" BUCHER "\""                                      \
    " parents = {\"top.example.org\", \"f.example.net\"} parent_sources = {\"192.0.2.0/24\"}"      \
    " select = \"sender\" senders = {\"low-bounces@" BUCHER "\"} }\n"                              \
    "list \"lower.example.org\" { address = \"low.er@example.org\" archive = {\"https://y.z/\"}"   \
    " parents = {\"low.example.org\", \"topp.example.org\"} select = \"recipient\" }\n"

static inline void write_rich(void)
{
    write_file("m.conf", RICH_MAIN);
    write_file("keys", "0123456789abcdef\n# more\nfedcba9876543210\n");
    assert_int_equal(chmod(path_of("keys"), 0600), 0);
    write_file("own/x.conf", RICH_OWN);
    write_file("more.conf", "list \"more.example.org\" { address = \"more@example.org\" }\n");
    write_file("a/a.conf",
               "list \"a.alice.example\" { address = \"a@alice.example\" "
               "manager = \"mailman3\" parents = {\"b.bob.example\", \"up.far.example\"} }\n"
               "list \"deep.alice.example\" { parents = {\"a.alice.example\"} }\n"
               "list \"deeper.alice.example\" { parents = {\"depp.alice.example\", "
               "\"topp.example.org\", \"deep.alice.example\"} }\n");
    assert_int_equal(mkdir(path_of("c"), 0755), 0);
    write_file("c/z.conf", "list \"n.xn--bcher-kva.example\" { address = "
                           "\"n@" BUCHER "\" parents = {\"low.example.net\", "
                           "\"o.xn--bcher-kva.example\"} }\n");
    write_file("a/wrong.conf", "list \"w.alice.example\" { }\n");
    write_file("b/b.conf", "list \"b.bob.example\" { archive = {\"https://b.example/\"} }\n"
                           "list \"c.bob.example\" { parents = {\"b.bob.example\"} }\n");
}

static inline void describe_list(const struct list *list, struct strbuf *out)
{
    struct variable_values values = values_of_list(list);
    strbuf_addf(out, "%.*s|%.*s|%.*s", (int)list->id.n, list->id.p, (int)list->address.n,
                list->address.p, (int)values.text[VAR_ARCHIVE].n, values.text[VAR_ARCHIVE].p);
    for (int name = LIST_FIRST_FIELD; name <= LIST_LAST_FIELD; name++) {
        strbuf_add_char(out, '|');
        strbuf_add_span(out, field_of(list, (enum field_name)name));
    }
    strbuf_addf(out, "|%zu %zu %u %d %d %d", list_items(list, FIELD_LIST_UNSUBSCRIBE)->count,
                archived_at_count(list), list->command_address_count, list->one_click,
                list->numbered, list->asks_store);
    for (size_t i = 0; list->nesting != NULL && i < list->nesting->parent_count; i++)
        strbuf_addf(out, " %.*s", (int)list->nesting->parents[i].n, list->nesting->parents[i].p);
    strbuf_add_char(out, '\n');
}

/* All that a caller can see of them, more or less. */
static inline void describe(const struct settings *s, struct strbuf *out)
{
    strbuf_reset(out);
    strbuf_addf(out, "%s %s %s %s %s %d %zu %zu %zu\n", s->socket, s->user, s->socket_group,
                s->pid_file, s->store, s->watch, s->recipient_key_count, s->token_names.count,
                s->delegated_wrong);
    for (size_t i = 0; i < s->recipient_key_count; i++)
        strbuf_add_span(out, s->recipient_keys[i]);
    for (size_t i = 0; i < s->index.count; i++)
        describe_list(s->index.lists[i], out);
    for (const struct delegated_file *f = s->delegated; f != NULL; f = f->next)
        strbuf_addf(out, "%s %zu\n", f->path, f->text.n);
}

#endif
