/*
 * import of Sympa: a list is a folder with a file `config`, in the folder of its domain
 * (list_data/DOMAIN/LIST), or without one (list_data/LIST)
 *
 *   config    = paragraph *( 1*empty-line paragraph )
 *   paragraph = name [ value ] *( LF subname value )       "#" begins a comment line
 */
#include "ctl/import/kinds.h"
#include "ctl/import/source.h"
#include "text/ascii.h"

/* The settings that are asked for; empty: not there. */
struct config {
    struct span subject, status, send, subscribe, unsubscribe, host, process_archive;
};

static struct span *find_setting(struct config *config, struct span name)
{
    struct {
        const char *name;
        struct span *value;
    } rows[] = {
        {"subject", &config->subject},
        {"status", &config->status},
        {"send", &config->send},
        {"subscribe", &config->subscribe},
        {"unsubscribe", &config->unsubscribe},
        {"host", &config->host},
        {"process_archive", &config->process_archive},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (span_eq(name, span_cstr(rows[i].name)))
            return rows[i].value;
    return NULL;
}

static void read_config(struct config *config, struct span text)
{
    bool is_first = true; /* line of a paragraph */
    while (text.n > 0) {
        struct span line = take_line(&text);
        size_t end = 0;
        if (line.n > 0 && line.p[0] == '#')
            continue;
        while (end < line.n && !ascii_is_blank(line.p[end]))
            end++;
        struct span *value = is_first ? find_setting(config, span_sub(line, 0, end)) : NULL;
        if (value != NULL)
            *value = span_trim(span_sub(line, end, line.n));
        is_first = line.n == 0;
    }
}

/* The names of Sympa's own scenarios; "," in them is an old way to write "_". */
static void take_send(struct section *section, struct span send)
{
    static const struct {
        const char *begin;
        const char *post; /* NULL: what the preset says */
    } rows[] = {
        {"closed", IMPORT_POST_NO},
        {"newsletter", IMPORT_POST_NO},
        {"owner", IMPORT_POST_NO},
        {"editor", IMPORT_POST_MODERATED},
        {"privateandeditor", IMPORT_POST_MODERATED},
        {"privatekeyandeditor", IMPORT_POST_MODERATED},
        {"private", NULL},
        {"public", NULL},
        {"confidential", NULL},
    };
    if (send.n == 0)
        return;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (!span_starts_nocase(send, span_cstr(rows[i].begin)))
            continue;
        if (rows[i].post != NULL) {
            section_comment(section, "post: send %.*s", (int)send.n, send.p);
            section_set(section, "post", rows[i].post);
        }
        return;
    }
    section_comment(section, "post: not known, as \"send %.*s\" is none of Sympa's own",
                    (int)send.n, send.p);
}

static void take_membership(struct section *section, const struct config *config)
{
    static const char by_mail[] = "{\"mailto:{address_local}-unsubscribe@{address_domain}\"}";
    if (span_starts_nocase(config->subscribe, span_cstr("closed")))
        section_set(section, "subscribe", "{}");
    else
        section_comment(section, "subscribe, help: sympa@ of the host serves all its lists");
    section_set(section, "unsubscribe",
                span_starts_nocase(config->unsubscribe, span_cstr("closed")) ? "{}" : by_mail);
}

/* The domain, and where it is from if that is no matter of course. */
static struct span find_domain(const struct import *import, const struct folder *folder,
                               const struct config *config, const char **from)
{
    struct span above = folder_name_above(folder);
    bool is_domain = span_find(above, '.') < above.n;
    *from = NULL;
    if (folder->depth > 1 && is_domain)
        return above;
    if (import->domain.n > 0)
        return import->domain;
    *from = is_domain ? "the name of the folder above" : "host in config";
    return is_domain ? above : config->host;
}

static void print_list(struct import *import, const struct folder *folder, struct span text)
{
    struct config config = {.host = span_of(NULL, 0)};
    struct section section;
    const char *from;
    read_config(&config, text);
    if (config.status.n > 0 && !span_eq(config.status, span_cstr("open"))) {
        import_comment("%s: not printed, its status is %.*s", folder->path, (int)config.status.n,
                       config.status.p);
        return;
    }
    section_begin(&section, import, folder->path);
    struct span domain = find_domain(import, folder, &config, &from);
    section_address(&section, folder_name(folder), domain);
    section_claim(&section, "-request");
    if (from != NULL)
        section_comment(&section, "domain: %s", from);
    section_description(&section, config.subject);
    take_send(&section, config.send);
    take_membership(&section, &config);
    section_comment(&section, "archive: not known%s",
                    span_eq(config.process_archive, span_cstr("on"))
                        ? ", such as WWSYMPA_URL/arc/LIST"
                        : "; Sympa keeps none (process_archive)");
    section_end(&section);
}

static bool read_folder(struct import *import, const struct folder *folder)
{
    struct span text;
    if (!folder_has(import, folder, "config"))
        return false;
    if (folder_read(import, folder, "config", &text))
        print_list(import, folder, text);
    return true;
}

const struct import_kind import_sympa = {"sympa", "sympa", read_folder, NULL};
