/* key_file - checks and reads a file of keys, and leaves no copy of it in memory. */
#include "config/files/key_file.h"

#include "config/files/find_files.h"
#include "config/files/read_file.h"
#include "config/report/say.h"
#include "text/strbuf.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/crypto.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>

/* Sets *key to the next key, without the end of its line. Returns false if there is none. */
static bool next_key(struct span *rest, struct span *key)
{
    while (rest->n > 0) {
        size_t end = span_find(*rest, '\n');
        *key = span_sub(*rest, 0, end);
        *rest = span_sub(*rest, end + 1, rest->n);
        if (key->n > 0 && key->p[key->n - 1] == '\r')
            key->n--;
        if (key->n > 0 && key->p[0] != '#')
            return true;
    }
    return false;
}

/* Counts the keys. Returns what is wrong with them, or NULL. */
static const char *count_keys(struct span text, size_t *count, bool *has_short)
{
    struct span key;
    for (*count = 0; next_key(&text, &key); ++*count) {
        struct span trimmed = span_trim(key);
        *has_short |= key.n < KEY_OCTETS_FEW;
        if (trimmed.n > 0 && trimmed.p[0] == '#')
            return "has a line with blanks before a \"#\", which would be a key (expected the "
                   "\"#\" of a comment at the begin of its line)";
        if (*count == 0 && *has_short)
            return "has a first key of fewer than 16 bytes, which can be guessed (expected 32 "
                   "random bytes in Base 64, say)";
    }
    return *count > 0 ? NULL
                      : "holds no key (expected one key a line; empty lines and lines that begin "
                        "with \"#\" do not count)";
}

/* Sets the keys, and *has_short if a later one is short. Returns what is wrong, or NULL. */
static const char *take_keys(const struct file_text *file, enum key_reading reading,
                             struct arena *arena, struct key_file *out, bool *has_short)
{
    struct span text = span_of(file->text, file->length), key;
    size_t count;
    if (span_starts_nocase(text, span_cstr("\xEF\xBB\xBF")))
        text = span_sub(text, 3, text.n);
    if (reading == KEYS_NEEDED && (file->status.st_mode & (S_IRWXO | S_IWGRP | S_IXGRP)) != 0)
        return "is open to others (expected mode 0600, or 0640: its group may read it, and nobody "
               "else do anything)";
    const char *fault = count_keys(text, &count, has_short);
    if (fault != NULL)
        return fault;
    struct span *keys = arena_calloc(arena, count, sizeof *keys);
    while (next_key(&text, &key))
        keys[out->count++] = arena_dup(arena, key);
    out->keys = keys;
    out->is_unread = false;
    return NULL;
}

struct key_file key_file_read(const char *main_file, const struct raw_item *item,
                              enum key_reading reading, struct arena *arena,
                              struct diagnostics *diagnostics)
{
    static const struct file_rules rules = {
        .octets_max = KEY_FILE_MAX,
        .too_large = "is too large (expected one key a line, at most 64 KiB)",
        .is_secret = true};
    struct place place = place_of(main_file, item->line, schema[KEY_TOKEN_KEY_FILE].name);
    struct key_file out = {.is_unread = true};
    struct file_text file = {.text = NULL};
    struct strbuf path = STRBUF_INIT;
    const char *fault = NULL;
    bool has_short = false;
    strbuf_add_span(&path, path_base(main_file, item->text));
    strbuf_add_span(&path, item->text);
    if (item->text.n == 0)
        fault = "names no file (expected a path)";
    else if (reading != KEYS_NOT_READ && read_file(AT_FDCWD, strbuf_str(&path), &rules, &file))
        fault = take_keys(&file, reading, arena, &out, &has_short);
    else if (file.fault != NULL && file.error == 0)
        fault = file.fault;
    else if (file.fault != NULL && reading == KEYS_IF_READABLE &&
             (file.error == ENOENT || file.error == EACCES || file.error == EPERM)) {
        strbuf_addf(&path, ": %s", file.fault); /* says nothing about the daemon */
        out.why = strbuf_keep(&path, arena);
    } else if (file.fault != NULL) {
        say(diagnostics, SEVERITY_ERROR, place, item->text, "cannot be read: %s", file.fault);
    }
    if (fault != NULL)
        say(diagnostics, SEVERITY_ERROR, place, item->text, "%s", fault);
    else if (has_short)
        say(diagnostics, SEVERITY_HINT, place, item->text,
            "holds a key of fewer than 16 bytes, which can be guessed, and which still verifies "
            "(expected that line to go)");
    if (file.text != NULL)
        OPENSSL_cleanse(file.text, file.length);
    free(file.text);
    strbuf_free(&path);
    return out;
}

void key_file_forget(struct span key)
{
    if (key.n > 0)
        OPENSSL_cleanse((void *)(uintptr_t)key.p, key.n);
}
