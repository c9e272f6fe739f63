/*
 * import of mlmmj: a list is a folder with control/, where each file is a setting (TUNABLES)
 *
 * A file that is there means "yes"; of one with a value the first line counts, of listaddress and
 * customheaders each.
 */
#include "ctl/import/kinds.h"
#include "ctl/import/source.h"
#include "mail/address.h"

#include <stdbool.h>
#include <string.h>
#include <unistd.h>

static void take_addresses(struct section *section, struct span lines)
{
    struct span address = take_line(&lines);
    section_address(section, address_local(address), address_domain(address));
    while (lines.n > 0) {
        address = take_line(&lines);
        if (address.n > 0)
            section_alias(section, address);
    }
}

/* mlmmj writes no List-Id of its own. */
static void take_headers(struct section *section, struct span lines)
{
    static const char name[] = "List-Id:";
    while (lines.n > 0) {
        struct span line = take_line(&lines);
        if (span_starts_nocase(line, span_cstr(name)) &&
            section_list_id(section, span_sub(line, sizeof name - 1, line.n)))
            return;
    }
    section_comment(section, "description: not known");
    section_comment(section, "control/customheaders has no List-Id; with one, leave select out");
    section_set(section, "select", "\"sender\"");
}

/* Who may post (TUNABLES); NULL: what the preset says. */
static const char *post_policy(struct section *section, const struct folder *control)
{
    bool others_wait = folder_has(section->import, control, "modnonsubposts");
    if (folder_has(section->import, control, "modonlypost")) {
        section_comment(section, "post: control/modonlypost%s",
                        others_wait ? "" : ", no other may");
        return others_wait ? IMPORT_POST_MODERATED : IMPORT_POST_NO;
    }
    return folder_has(section->import, control, "moderated") ? IMPORT_POST_MODERATED : NULL;
}

/* What a delimiter other than the preset's "+" changes: with "-" its addresses are written out,
 * with another they are not known, nor is mlmmj's number found (sequence_from). */
static const struct {
    const char *key;
    const char *minus;
    const char *other;
} delimited[] = {
    {"help", "{\"mailto:{address_local}-help@{address_domain}\"}", "{}"},
    {"subscribe", "{\"mailto:{address_local}-subscribe@{address_domain}\"}", "{}"},
    {"unsubscribe", "{\"mailto:{address_local}-unsubscribe@{address_domain}\"}", "{}"},
    {"owner", "{\"mailto:{address_local}-owner@{address_domain}\"}", "{}"},
    {"command_addresses",
     "{\"from:{address_local}-help@{address_domain}\",\n"
     "                       \"from:{address_local}-owner@{address_domain}\"}",
     "{}"},
    {"sequence_from", NULL, "\"store\""},
};

static void take_policies(struct section *section, const struct folder *control,
                          struct span delimiter)
{
    bool is_plus = delimiter.n == 0 || span_eq(delimiter, span_cstr("+"));
    bool is_minus = span_eq(delimiter, span_cstr("-"));
    bool leaving_is_closed = folder_has(section->import, control, "closedlist");
    bool joining_is_closed =
        leaving_is_closed || folder_has(section->import, control, "closedlistsub");
    const char *post = post_policy(section, control);
    if (post != NULL)
        section_set(section, "post", post);
    if (joining_is_closed)
        section_comment(section, "control/closedlist%s", leaving_is_closed ? "" : "sub");
    if (!is_plus)
        section_comment(
            section, "control/delimiter is \"%.*s\": recipient_delimiter needs it, too%s",
            (int)delimiter.n, delimiter.p, is_minus ? " (\"+-\")" : "; addresses: not known");
    for (size_t i = 0; i < sizeof delimited / sizeof delimited[0]; i++) {
        const char *value = is_minus ? delimited[i].minus : is_plus ? NULL : delimited[i].other;
        if ((joining_is_closed && strcmp(delimited[i].key, "subscribe") == 0) ||
            (leaving_is_closed && strcmp(delimited[i].key, "unsubscribe") == 0))
            value = "{}";
        if (value != NULL)
            section_set(section, delimited[i].key, value);
    }
    if (is_plus || is_minus) {
        section_claim(section, is_plus ? "+help" : "-help");
        section_claim(section, is_plus ? "+owner" : "-owner");
    }
}

static void print_list(struct import *import, const struct folder *list,
                       const struct folder *control)
{
    struct span addresses = span_of("", 0), headers = addresses, delimiter = addresses;
    struct section section;
    folder_read(import, control, "listaddress", &addresses);
    if (span_find(addresses, '@') >= span_find(addresses, '\n')) {
        import_left_out(import, "%s: left out: no address in control/listaddress", list->path);
        return;
    }
    folder_read(import, control, "customheaders", &headers);
    folder_read(import, control, "delimiter", &delimiter);
    section_begin(&section, import, list->path);
    take_addresses(&section, addresses);
    take_headers(&section, headers);
    take_policies(&section, control, take_line(&delimiter));
    section_comment(
        &section, "archive: not known%s",
        folder_has(import, control, "noarchive") ? "; mlmmj keeps none (control/noarchive)" : "");
    section_end(&section);
}

static bool read_folder(struct import *import, const struct folder *folder)
{
    struct strbuf path = STRBUF_INIT;
    struct folder control;
    bool is_list = folder_open(import, folder, "control", &path, &control);
    if (is_list) {
        print_list(import, folder, &control);
        close(control.fd);
    }
    strbuf_free(&path);
    return is_list;
}

const struct import_kind import_mlmmj = {"mlmmj", "mlmmj", read_folder, NULL};
