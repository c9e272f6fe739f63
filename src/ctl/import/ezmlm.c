/*
 * import of ezmlm and ezmlm-idx: a list is a folder with the address in outlocal and outhost
 * (ezmlm(5))
 *
 * A file that is there means "yes".  Its letters in `flags` or `config` are the same once more, and
 * not read.
 */
#include "ctl/import/kinds.h"
#include "ctl/import/source.h"

static int print_list(struct import *import, const struct folder *folder)
{
    struct span local = span_of("", 0), host = span_of("", 0), id = span_of("", 0);
    struct section section;
    int has_local = folder_read(import, folder, "outlocal", &local);
    int has_host = folder_read(import, folder, "outhost", &host);
    if (has_local < 0 || has_host < 0 || folder_read(import, folder, "listid", &id) < 0)
        return -1;
    if (has_local == 0 || has_host == 0) {
        import_left_out(import, "%s: left out: its address is not in outlocal and outhost",
                        folder->path);
        return 0;
    }
    section_begin(&section, import, folder->path);
    section_address(&section, take_line(&local), take_line(&host));
    section_claim(&section, "-return-");
    section_claim(&section, "-help");
    section_claim(&section, "-owner");
    if (!section_list_id(&section, take_line(&id)))
        section_comment(&section, "description: not known");
    if (folder_has(folder, "modpost")) {
        bool is_closed = folder_has(folder, "modpostonly");
        section_comment(&section, "post: modpost%s", is_closed ? ", modpostonly" : "");
        section_set(&section, "post", is_closed ? IMPORT_POST_NO : IMPORT_POST_MODERATED);
    }
    if (!folder_has(folder, "public")) {
        section_comment(&section, "subscribe, unsubscribe: by the moderators (no file public)");
        section_set(&section, "subscribe", "{}");
        section_set(&section, "unsubscribe", "{}");
    }
    section_comment(&section, "archive: not known%s",
                    folder_has(folder, "archived") ? "" : "; ezmlm keeps none (no file archived)");
    return section_end(&section);
}

static int read_folder(struct import *import, const struct folder *folder)
{
    if (!folder_has(folder, "outlocal") && !folder_has(folder, "outhost") &&
        !folder_has(folder, "editor"))
        return 0;
    return print_list(import, folder) < 0 ? -1 : 1;
}

const struct import_kind import_ezmlm = {"ezmlm", "ezmlm", read_folder, NULL};
