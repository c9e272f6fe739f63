/* previous - a sorted array. */
#include "config/delegation/previous.h"

#include <stdlib.h>
#include <string.h>

static int by_path(const void *a, const void *b)
{
    const struct previous_file *first = a;
    const struct previous_file *second = b;
    return strcmp(first->file->path, second->file->path);
}

int previous_files_init(struct previous_files *files, const struct settings *previous)
{
    size_t count = 0;
    *files = (struct previous_files){NULL, 0};
    const struct delegated_file *first = previous != NULL ? previous->delegated : NULL;
    for (const struct delegated_file *f = first; f != NULL; f = f->next)
        count++;
    if (count == 0)
        return 0;
    files->items = calloc(count, sizeof *files->items);
    if (files->items == NULL)
        return -1;
    for (const struct delegated_file *f = first; f != NULL; f = f->next)
        files->items[files->count++].file = f;
    qsort(files->items, count, sizeof *files->items, by_path);
    return 0;
}

void previous_files_free(struct previous_files *files)
{
    free(files->items);
    *files = (struct previous_files){NULL, 0};
}

/* The number of paths before this text in byte order. */
static size_t lower_bound(const struct previous_files *files, const char *text)
{
    size_t low = 0;
    size_t high = files->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (strcmp(files->items[middle].file->path, text) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct previous_file *previous_files_find(struct previous_files *files, const char *path)
{
    size_t at = lower_bound(files, path);
    if (at == files->count || strcmp(files->items[at].file->path, path) != 0)
        return NULL;
    return &files->items[at];
}

struct previous_file *previous_files_below(struct previous_files *files, const char *folder,
                                           struct previous_file **end)
{
    size_t n = strlen(folder);
    size_t first = n > 0 ? lower_bound(files, folder) : 0;
    size_t at = first;
    while (at < files->count && strncmp(files->items[at].file->path, folder, n) == 0)
        at++;
    *end = files->items != NULL ? files->items + at : NULL;
    return files->items != NULL ? files->items + first : NULL;
}
