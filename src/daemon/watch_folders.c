/* Folders that are watched: who looks one up, compares them, or has no more need of them. */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "daemon/watch_folders.h"

#include <stdlib.h>
#include <string.h>

void watch_folders_free(struct watch_folders *folders)
{
    arena_free(&folders->arena);
    free(folders->names);
    memset(folders, 0, sizeof *folders);
}

#ifdef HAVE_SYS_INOTIFY_H

#include <sys/inotify.h>

/* The first row of a folder with at least this number. */
static size_t lower_bound(const struct watch_folders *folders, int folder)
{
    size_t low = 0;
    size_t high = folders->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (folders->names[middle].folder < folder)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const struct watch_name *watch_folders_lookup(const struct watch_folders *folders, int folder,
                                              const char *name)
{
    for (size_t i = lower_bound(folders, folder);
         i < folders->count && folders->names[i].folder == folder; i++)
        if (name == NULL ||
            (!folders->names[i].is_firm && watched_fits(folders->names[i].component, name)))
            return &folders->names[i];
    return NULL;
}

static bool is_same(const struct watch_name *a, const struct watch_name *b)
{
    return a->folder == b->folder && strcmp(a->component, b->component) == 0 &&
           a->is_firm == b->is_firm && a->is_file == b->is_file;
}

bool watch_folders_differ(const struct watch_folders *folders, const struct watch_folders *others)
{
    if (folders->moved || folders->count != others->count)
        return true;
    for (size_t i = 0; i < folders->count; i++)
        if (!is_same(&folders->names[i], &others->names[i]))
            return true;
    return false;
}

void watch_folders_drop(const struct watch_folders *folders, const struct watch_folders *others,
                        int inotify)
{
    int last = -1;

    for (size_t i = 0; i < folders->count; i++) {
        int folder = folders->names[i].folder;

        if (folder != last && watch_folders_lookup(others, folder, NULL) == NULL)
            (void)inotify_rm_watch(inotify, folder); /* a folder that went has no watch any more */
        last = folder;
    }
}

#endif
