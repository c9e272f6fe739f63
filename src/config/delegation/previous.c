/* previous - a list for the settings, a sorted array for a load. */
#include "config/delegation/previous.h"

#include <stdlib.h>
#include <string.h>

int delegated_file_keep(const struct delegated_file **first, struct arena *arena, const char *path,
                        struct span text)
{
    struct delegated_file *file = arena_calloc(arena, 1, sizeof *file);
    if (file == NULL)
        return -1;
    file->path = arena_strdup(arena, span_cstr(path));
    file->text = arena_dup(arena, text);
    file->next = *first;
    if (file->path == NULL || file->text.p == NULL)
        return -1;
    *first = file;
    return 0;
}

static int by_path(const void *a, const void *b)
{
    const struct previous_file *first = a;
    const struct previous_file *second = b;
    return strcmp(first->file->path, second->file->path);
}

int previous_files_init(struct previous_files *files, const struct delegated_file *first)
{
    size_t count = 0;
    *files = (struct previous_files){NULL, 0};
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

struct previous_file *previous_files_find(const struct previous_files *files, const char *path)
{
    const struct delegated_file named = {.path = path};
    const struct previous_file key = {.file = &named};
    if (files->count == 0)
        return NULL;
    return bsearch(&key, files->items, files->count, sizeof key, by_path);
}
