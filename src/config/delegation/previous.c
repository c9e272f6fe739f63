/* previous - a list for the settings, a sorted array for a load. */
#include "config/delegation/previous.h"

#include "text/memory.h"

#include <stdlib.h>
#include <string.h>

void delegated_file_keep(const struct delegated_file **first, struct arena *arena, const char *path,
                         struct span text)
{
    struct delegated_file *file = arena_alloc(arena, sizeof *file);
    file->path = arena_strdup(arena, span_cstr(path));
    file->text = arena_dup(arena, text);
    file->next = *first;
    *first = file;
}

static int by_path(const void *a, const void *b)
{
    const struct previous_file *first = a;
    const struct previous_file *second = b;
    return strcmp(first->file->path, second->file->path);
}

void previous_files_init(struct previous_files *files, const struct delegated_file *first)
{
    size_t count = 0;
    *files = (struct previous_files){NULL, 0};
    for (const struct delegated_file *f = first; f != NULL; f = f->next)
        count++;
    files->items = memory_new(count, sizeof *files->items);
    for (const struct delegated_file *f = first; f != NULL; f = f->next)
        files->items[files->count++].file = f;
    qsort(files->items, count, sizeof *files->items, by_path);
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
    return bsearch(&key, files->items, files->count, sizeof key, by_path);
}
