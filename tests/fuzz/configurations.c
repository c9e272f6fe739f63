/* configurations - see configurations.h */
#include "configurations.h"

#include "fuzz.h"

#include "config/load.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Below "lists = {}"; "@KEY@" is the name of a key file. */
static const char *const texts[] = {
    /* 0: each way of finding a list, and little else */
    "list \"announce.example.org\" { address = \"announce@example.org\"\n"
    "  description = \"Announcements\" archive = {\"https://example.org/announce/\"}\n"
    "  help = {\"mailto:announce-request@example.org?subject=help\"}\n"
    "  unsubscribe = {\"mailto:announce-leave@example.org\", \"https://example.org/leave\"}\n"
    "  archived_at = {\"{archive}/{message_id_hash}\"}\n"
    "  command_addresses = {\"announce-request@example.org\"} }\n"
    "list \"club.example.org\" { select = \"recipient\" address = \"club@example.org\"\n"
    "  post = {\"mailto:club@example.org (Members only)\"} }\n"
    "list \"major.example.org\" { select = \"sender\" address = \"major@example.org\" }\n",

    /* 1: everything that can be stamped; nobody is trusted but one address */
    "trusted = {\"192.0.2.0/24\", \"daemon:lists\"}\n"
    "store = \"sqlite:numbers.db\"\n"
    "token_key_file = \"@KEY@\"\n"
    "token \"short\" { digest = \"sha256\" of = \"{message_id}{date}{from}{to}{subject}\"\n"
    "  encoding = \"base64url\" padding = true }\n"
    "token \"keyed\" { digest = \"sha1\" of = \"{list_id}{message_id}\" }\n"
    "defaults { sequence = true list_id_hash = true alt_message_id = true\n"
    "  address = \"{list_label}@{list_namespace}\" description = \"The \\\"{list_label}\\\" "
    "list\"\n"
    "  archive = {\"https://{address_domain}/{list_label}/\"}\n"
    "  owner = {\"mailto:{address_local}-owner@{address_domain}\"} post = {\"NO\"}\n"
    "  archived_at = {\"{archive}/{message_id}\", \"{archive}?q={message_id:20}\",\n"
    "    \"https://a.example/{year:4}/{month:2}/{day}/{month_name}/{month_abbr}/{sequence:9}\",\n"
    "    \"https://a.example/{list_id_hash}#{message_id:3}\", \"mid:{message_id}\",\n"
    "    \"https://a.example/{short}?{keyed:9}\", \"https://a.example/%{message_id_hash}\",\n"
    "    \"https://a.example/{message_id:9}.a/\", \"x:{message_id:1}{month_abbr}\"} }\n"
    "list \"one.example.org\" { reused_message_id = \"omit\" }\n"
    "list \"two.example.org\" { select = \"recipient\" on_store_failure = \"omit\" }\n"
    "list \"three.example.org\" { select = \"sender\" sequence_from = \"envelope-sender\" }\n"
    "list \"four.example.org\" { select = \"recipient\" reused_message_id = \"reject\"\n"
    "  honor_no_archive = false archived_at_requires = \"well-formed\" }\n",

    /* 2: policies */
    "list \"add.example.org\" { address = \"add@example.org\"\n"
    "  duplicate_message_id = \"delete\" list_id_hash = true }\n"
    "list \"reject.example.org\" { address = \"reject@example.org\" select = \"recipient\"\n"
    "  missing_message_id = \"reject\" duplicate_message_id = \"reject\" crosspost = \"first\" }\n"
    "list \"reject2.example.org\" { address = \"reject2@example.org\"\n"
    "  missing_message_id = \"reject\" duplicate_message_id = \"reject\" }\n"
    "list \"ignore.example.org\" { address = \"ignore@example.org\" select = \"recipient\"\n"
    "  missing_message_id = \"ignore\" duplicate_message_id = \"delete\" list_id_hash = true\n"
    "  message_id_hash = false alt_message_id = true }\n"
    "list \"senders.example.org\" { select = \"sender\" senders = {\"s1@example.org\",\n"
    "  \"owner-s@example.org\"} list_id_hash = true }\n",

    /* 3: keep */
    "store = \"sqlite:numbers.db\"\n"
    "defaults { archive = {\"https://k.example/\"} archived_at = "
    "{\"{archive}/{message_id_hash}\"}\n"
    "  unsubscribe = {\"https://k.example/u\"} help = {\"https://k.example/h\"}\n"
    "  address = \"{list_label}@{list_namespace}\" sequence = true list_id_hash = true\n"
    "  keep = {\"Archived-At\", \"List-Unsubscribe\", \"List-Unsubscribe-Post\", \"List-Help\",\n"
    "    \"X-List-Sequence\", \"X-List-ID-Hash\", \"Message-ID-Hash\", \"X-Archived-At\",\n"
    "    \"List-Archive\"} }\n"
    "list \"keeps.example.org\" { }\n"
    "list \"keeps2.example.org\" { select = \"recipient\" unsubscribe_one_click = false }\n"
    "list \"keeps3.example.org\" { unsubscribe_one_click = false\n"
    "  keep = {\"List-Id\", \"List-Post\", \"X-Alt-Message-ID\"} }\n",

    /* 4: nested below lists of others */
    "defaults { address = \"{list_label}@{list_namespace}\"\n"
    "  parents = {\"far.example.net\", \"top.example.net\"}\n"
    "  help = {\"mailto:h@example.org\"} post = {\"mailto:{address}\"}\n"
    "  archived_at = {\"https://n.example/{message_id_hash}\"} }\n"
    "list \"sub.example.org\" { select = \"recipient\" }\n"
    "list \"own.example.org\" { select = \"recipient\" replace_post = true\n"
    "  archive = {\"https://own.example/\"} parent_sources = {\"192.0.2.0/24\", \"2001:db8::/32\"} "
    "}\n"
    "list \"man.example.org\" { replace_post = true }\n"
    "list \"man2.example.org\" { keep = {\"List-Post\", \"List-Archive\", \"Archived-At\"} }\n"
    "list \"sent.example.org\" { select = \"sender\" list_id_hash = true }\n",

    /* 5: the recipient in List-Unsubscribe, a key */
    "trusted = {\"authenticated\", \"local\"}\n"
    "token_key_file = \"@KEY@\"\n"
    "defaults { address = \"{list_label}@{list_namespace}\" unsubscribe_one_click = true }\n"
    "list \"click.example.org\" { unsubscribe = {\"mailto:leave@example.org (By mail)\",\n"
    "    \"https://u.example/{recipient}?t={recipient_token}\"} }\n"
    "list \"click2.example.org\" { select = \"sender\"\n"
    "  unsubscribe = {\"https://u.example/?{recipient}\", "
    "\"https://u.example/%40{recipient:2}{recipient}\",\n"
    "    \"leave:{recipient:2}\"} }\n"
    "list \"club.example.org\" { select = \"recipient\" unsubscribe_one_click = false }\n",

    /* 6: addresses and ids that are easily mistaken for each other, dry_run */
    "dry_run = true\n"
    "trusted = {\"0.0.0.0/0\", \"::/0\", \"local\"}\n"
    "list \"dev.example.org\" { address = \"dev@example.org\" }\n"
    "list \"dev-announce.example.org\" { address = \"dev-announce@example.org\" }\n"
    "list \"a.dev.example.org\" { select = \"sender\" address = \"dev-a@example.org\" }\n"
    "list \"b.dev.example.org\" { select = \"sender\" address = \"owner-dev@example.org\"\n"
    "  senders = {\"owner-dev-announce@example.org\"} }\n"
    "list \"c.dev.example.org\" { select = \"recipient\" address = \"dev-c@example.org\"\n"
    "  crosspost = \"defer\" command_addresses = {\"dev-request@example.org\"} }\n"
    "list \"d.dev.example.org\" { select = \"recipient\" address = \"dev-d@example.org\" }\n",

    /* 7: many names for one mailbox, and what stands below it */
    "trusted = {\"192.0.2.0/24\"}\n"
    "recipient_delimiter = \"+-\"\n"
    "defaults { aliases = {\"{address_local}@localhost\"} owner = {\"mailto:{address_local}-owner@"
    "{address_domain}\"} }\n"
    "list \"team.example.org\" { select = \"recipient\" address = \"team@example.org\"\n"
    "  aliases = {\"\\\"te am\\\"@example.org\", \"team\"}\n"
    "  private_recipients = \"defer\" oversigned = \"spare\" }\n"
    "list \"crew.example.org\" { select = \"recipient\" address = \"crew@example.org\" }\n"
    "list \"dev.example.org\" { address = \"dev@example.org\" parents = {\"far.example.net\"}\n"
    "  help = {\"mailto:dev%2Bhelp@example.org\"} missing_message_id = \"reject\"\n"
    "  command_addresses = {\"dev-request@example.org\", \"from:dev-bounces@example.org\",\n"
    "    \"always:dev-owner@example.org\"} }\n"
    "list \"dev.example.net\" { select = \"sender\" address = \"dev@example.net\"\n"
    "  aliases = {\"dev-a@example.org\"} keep = {\"List-Unsubscribe\"} }\n",
};

#define COUNT (sizeof texts / sizeof texts[0])

static struct settings *settings[COUNT];

/* Appends the name of a file with a key that nobody else may read. */
static void make_key(struct strbuf *name)
{
    const char *folder = getenv("TMPDIR");
    static const char key[] =
        "# keys of a test\n0123456789abcdef0123456789abcdef\nfedcba9876543210fedcba9876543210\n";
    strbuf_addf(name, "%s/mlmilter-fuzz-XXXXXX", folder != NULL ? folder : "/tmp");
    int fd = mkstemp(name->data);
    fuzz_require(fd >= 0 && write(fd, key, sizeof key - 1) == (ssize_t)sizeof key - 1,
                 "a key file can be written");
    close(fd);
}

/* Reads a configuration; the key is read at once, so its file is gone again. */
static void load(unsigned n)
{
    struct diagnostics diagnostics;
    struct strbuf text = STRBUF_INIT, name = STRBUF_INIT;
    const char *key = strstr(texts[n], "@KEY@");
    make_key(&name);
    strbuf_add_str(&text, "lists = {}\n");
    if (key != NULL)
        strbuf_addf(&text, "%.*s%s%s", (int)(key - texts[n]), texts[n], name.data, key + 5);
    else
        strbuf_add_str(&text, texts[n]);
    diagnostics_init(&diagnostics);
    settings[n] = settings_load(
        &(struct settings_request){.path = "/nowhere/fuzz.conf", .text = strbuf_span(&text)},
        &diagnostics);
    unlink(name.data);
    strbuf_reset(&text);
    for (size_t i = 0; settings[n] == NULL && i < diagnostics.count; i++)
        diagnostics_format(&diagnostics, i, &text);
    fuzz_require_text(settings[n] != NULL, "a right configuration", strbuf_span(&text));
    diagnostics_free(&diagnostics);
    strbuf_free(&text);
    strbuf_free(&name);
}

struct settings *fuzz_settings(unsigned n)
{
    n %= COUNT;
    if (settings[n] == NULL)
        load(n);
    return settings[n];
}
