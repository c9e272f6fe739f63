/* The configuration: never a crash; refused with an error that has a line, or taken with lists
 * whose fields can be sent (README, mlmilter.conf(5)). Input: a main file. */
#include "fuzz.h"

#include "config/load.h"
#include "mail/field_check.h"
#include "spec/list_id.h"
#include "spec/uri.h"
#include "text/ascii.h"

#include <string.h>

const char *const fuzz_grammar[] = {
    "S=%m%m%m%l%S|%m%l|%m%l%l%l|%b%m%l|%c\n%m%l",
    "b=\xEF\xBB\xBF|%*",
    "c=# %*|// x|/* x */|/*",
    "m=|lists = {}\n|%k = %t\n|trusted = {%t, %t}\n|defaults {%o%o%o}\n|store = "
    "\"sqlite:numbers.db\"\n|%d|%e",
    "d=delegate \"d\" { files = {%t} domains = {\"x.example\", %t} }\n",
    "e=token \"t\" { digest = \"sha1\" of = \"{message_id}%v\" encoding = %t }\n",
    "l=list \"%i\" {%o%o%o%o%o}\n|list \"%i\" {%o}%r|list \"%i\" { address = \"%i@%i\" %o%o%o}%r",
    "r=\n|\r\n|%*|}|",
    "i=a.b|team.example.org|%*.b|x|\xC3\xA4.example|%i.%i",
    "o= %k = %t| %h = {%u, %u}| archived_at = {%u}| keep = {\"List-Id\", %t}| %k = {%t}| sequence "
    "= true| select = %s|\n|,|%*",
    "h=help|owner|post|archive|unsubscribe|subscribe|command_addresses|aliases|senders|parents",
    "k=description|address|select|dry_run|crosspost|on_store_failure|sequence_from|list_id_hash|"
    "unsubscribe_one_click|oversigned|socket|user|syslog_facility|recipient_delimiter|%h|%*",
    "s=\"list-id\"|\"recipient\"|\"sender\"|\"mlmmj\"|recipient",
    "t=\"%i\"|true|false|\"%v%v\"|%s|\"\"|{}|\"%*\"|\"always:a@b\"|%%|\"first\"|\"spare\"",
    "u=\"https://%i%v\"|\"mailto:{address_local}-x@{address_domain}\"|\"mailto:a@b "
    "(x)\"|\"{archive}%v\"|\"NO\"|%t",
    "v={message_id_hash}|{message_id}|{sequence:5}|{list_label}|{address_local}|{address_domain}|{"
    "recipient}|{t}|{lf}|x|\\\"|\xC3\xA4|%*",
    NULL,
};

/* Files of this host are not read: names that are absolute or lead upwards, or may do so. */
static bool names_files(struct span text)
{
    for (size_t i = 0; i < text.n; i++) {
        char before = i > 0 ? text.p[i - 1] : '\n';
        char behind = i + 1 < text.n ? text.p[i + 1] : '\0';

        if (text.p[i] == '~' || (text.p[i] == '.' && behind == '.'))
            return true;
        /* Escapes that may stand for one of these characters. */
        if (text.p[i] == '\\' && behind != '\0' && strchr("0123456789x/~.\r\n", behind) != NULL)
            return true;
        if (text.p[i] == '/' && (strchr("\"'{=,", before) != NULL ||
                                 (ascii_is_blank(before) && behind != '/' && behind != '*')))
            return true;
    }
    return false;
}

static void check_diagnostics(const struct diagnostics *d, struct span text, bool loaded)
{
    struct strbuf line = STRBUF_INIT;
    int lines = 1;
    for (size_t i = 0; i < text.n; i++)
        lines += text.p[i] == '\n';
    fuzz_require(loaded == (d->errors == 0), "either settings or errors");
    for (size_t i = 0; i < d->count; i++) {
        const struct diagnostic *item = &d->items[i];

        strbuf_reset(&line);
        diagnostics_format(d, i, &line);
        fuzz_require_text(item->line >= 1 && item->line <= lines, "a line of the file",
                          strbuf_span(&line));
        fuzz_require_text(fuzz_is_text(strbuf_span(&line)) && *item->text != '\0',
                          "a message of one harmless line", strbuf_span(&line));
    }
    strbuf_free(&line);
}

/* Values are checked that need nothing of a message. */
static void check_field(const struct list *list, enum field_name name,
                        const struct variable_values *values, struct arena *arena)
{
    struct span spelling = span_cstr(field_name_text(name));
    for (size_t i = 0; name != FIELD_LIST_ID && i < list_items(list, name)->count; i++)
        if ((list_items(list, name)->items[i].text.needs & VARS_RECIPIENT) != 0)
            return;
    struct span value = span_cstr(list_field_value(list, name, values, arena));
    fuzz_require_text(value.n == 0 || field_check(spelling, value) == FIELD_FINE, "can be sent",
                      value);
}

static void check_list(const struct settings *settings, const struct list *list)
{
    struct variable_values values = {0};
    struct arena arena;
    arena_init(&arena, 0);
    list_variables(list, &values);
    list_set_archive(list, &arena, &values);
    struct span archive = values.text[VAR_ARCHIVE];
    fuzz_require_text(list_id_fault(list->id) == NULL, "a list id", list->id);
    fuzz_require_text(list_get(&settings->index, LIST_BY_ID, list->id) == list, "found by its id",
                      list->id);
    if (list->address.n > 0)
        fuzz_require_text(list_get(&settings->index, LIST_BY_ADDRESS, list->mailbox) == list,
                          "found by its address", list->address);
    for (int name = LIST_FIRST_FIELD; name <= LIST_LAST_FIELD; name++)
        check_field(list, (enum field_name)name, &values, &arena);
    fuzz_require_text(archive.n == 0 ||
                          (uri_fault(archive) == NULL &&
                           (uri_has_scheme(archive, "https") || uri_has_scheme(archive, "http"))),
                      "a URI of the web", archive);
    const struct list_text_array *texts = &list->texts->archived_at;
    for (size_t i = 0; i < texts->count; i++)
        fuzz_require(
            list_leaves_out(list, &texts->items[i]) ||
                (texts->items[i].text.needs & ~values.set & ~(VARS_MESSAGE | VARS_TOKENS)) == 0,
            "the list has the values");
    texts = list_items(list, FIELD_LIST_UNSUBSCRIBE);
    for (size_t i = 0; i < texts->count; i++)
        fuzz_require((texts->items[i].text.needs & ~values.set & ~VARS_RECIPIENT) == 0,
                     "the list has the values");
    arena_free(&arena);
}

void fuzz_input(struct span text)
{
    struct diagnostics diagnostics;
    struct settings *settings;
    if (names_files(text))
        return;
    diagnostics_init(&diagnostics);
    settings = settings_load(
        &(struct settings_request){.path = "/nowhere/fuzz.conf", .text = text, .with_hints = true},
        &diagnostics);
    check_diagnostics(&diagnostics, text, settings != NULL);
    for (size_t i = 0; settings != NULL && i < settings->index.count; i++)
        check_list(settings, settings->index.lists[i]);
    settings_free(settings);
    diagnostics_free(&diagnostics);
}
