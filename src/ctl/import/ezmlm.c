/*
 * import of ezmlm and ezmlm-idx: a list is a folder with the address in outlocal and outhost
 * (ezmlm(5))
 *
 * A file that is there means "yes".  Its letters in `flags` or `config` are the same once more, and
 * not read.
 */
#include "ctl/import/kinds.h"
#include "ctl/import/source.h"

static void print_list(struct import *import, const struct folder *folder)
{
    struct span local = span_of("", 0), host = local, id = local;
    struct section section;
    bool has_local = folder_read(import, folder, "outlocal", &local);
    if (!folder_read(import, folder, "outhost", &host) || !has_local) {
        import_left_out(import, "%s: left out: its address is not in outlocal and outhost",
                        folder->path);
        return;
    }
    folder_read(import, folder, "listid", &id);
    section_begin(&section, import, folder->path);
    section_address(&section, take_line(&local), take_line(&host));
    section_claim(&section, "-return-");
    section_claim(&section, "-help");
    section_claim(&section, "-owner");
    if (!section_list_id(&section, take_line(&id)))
        section_comment(&section, "description: not known");
    if (folder_has(import, folder, "modpost")) {
        bool is_closed = folder_has(import, folder, "modpostonly");
        section_comment(&section, "post: modpost%s", is_closed ? ", modpostonly" : "");
        section_set(&section, "post", is_closed ? IMPORT_POST_NO : IMPORT_POST_MODERATED);
    }
    if (!folder_has(import, folder, "public")) {
        section_comment(&section, "subscribe, unsubscribe: by the moderators (no file public)");
        section_set(&section, "subscribe", "{}");
        section_set(&section, "unsubscribe", "{}");
    }
    section_comment(
        &section, "archive: not known%s",
        folder_has(import, folder, "archived") ? "" : "; ezmlm keeps none (no file archived)");
    section_end(&section);
}

static bool read_folder(struct import *import, const struct folder *folder)
{
    if (!folder_has(import, folder, "outlocal") && !folder_has(import, folder, "outhost") &&
        !folder_has(import, folder, "editor"))
        return false;
    print_list(import, folder);
    return true;
}

const struct import_kind import_ezmlm = {"ezmlm", "ezmlm", read_folder, NULL};
