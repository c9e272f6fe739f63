/*
 * replay - runs a fuzz target once with each input that is kept, and says so in TAP
 *
 *   fuzz_NAME [FILE]...          without files: all in tests/fuzz/corpus/NAME/
 *
 * For compilers without libFuzzer.  A target ends the program when something is wrong, so what is
 * about to be run is said before.
 */
#include "fuzz.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int fail(const char *what, const char *name)
{
    printf("Bail out! %s: %s\n", name, what);
    return 99;
}

/* Reads a file whole, into a block of exactly its size. */
static bool read_file(const char *path, uint8_t **data, size_t *size)
{
    FILE *file = fopen(path, "rb");
    long end;
    bool read = false;

    *data = NULL;
    if (file == NULL)
        return false;
    if (fseek(file, 0, SEEK_END) == 0 && (end = ftell(file)) >= 0 &&
        fseek(file, 0, SEEK_SET) == 0) {
        *size = (size_t)end;
        *data = malloc(*size > 0 ? *size : 1);
        read = *data != NULL && fread(*data, 1, *size, file) == *size;
    }
    fclose(file);
    return read;
}

static int replay(char **paths, size_t count)
{
    printf("1..%zu\n", count);
    for (size_t i = 0; i < count; i++) {
        const char *slash = strrchr(paths[i], '/');
        const char *name = slash != NULL ? slash + 1 : paths[i];
        uint8_t *data;
        size_t size;

        if (!read_file(paths[i], &data, &size)) {
            free(data);
            return fail("cannot be read", paths[i]);
        }
        printf("# %s, %zu octets\n", paths[i], size);
        fflush(stdout);
        LLVMFuzzerTestOneInput(data, size);
        free(data);
        printf("ok %zu - %s\n", i + 1, name);
    }
    return 0;
}

static int is_input(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static int replay_folder(const char *folder)
{
    struct dirent **entries;
    int count = scandir(folder, &entries, is_input, alphasort);
    char **paths;
    int result;

    if (count <= 0)
        return fail("no inputs", folder);
    paths = calloc((size_t)count, sizeof *paths);
    for (int i = 0; i < count; i++) {
        size_t n = strlen(folder) + strlen(entries[i]->d_name) + 2;

        if (paths == NULL || (paths[i] = malloc(n)) == NULL)
            return fail("out of memory", folder);
        snprintf(paths[i], n, "%s/%s", folder, entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
    result = replay(paths, (size_t)count);
    for (int i = 0; i < count; i++)
        free(paths[i]);
    free(paths);
    return result;
}

int main(int argc, char **argv)
{
    const char *slash = strrchr(argv[0], '/');
    const char *name = slash != NULL ? slash + 1 : argv[0];
    const char *top = getenv("TOP_SRCDIR");
    char folder[4096];

    if (argc > 1)
        return replay(argv + 1, (size_t)argc - 1);
    if (top == NULL || strncmp(name, "fuzz_", 5) != 0)
        return fail("no files are named, and TOP_SRCDIR is not set", name);
    snprintf(folder, sizeof folder, "%s/tests/fuzz/corpus/%s", top, name + 5);
    return replay_folder(folder);
}
