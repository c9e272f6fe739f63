/* key_file - opens, checks and reads a file of keys, and leaves no copy of it behind. */
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
#include <string.h>
#include <sys/stat.h>

struct reader {
    const struct key_file *file;
    enum key_reading reading;
    struct arena *arena;
    struct diagnostics *diagnostics;
    const char **why; /* see key_file_read */
};

static struct place place_in_main(const struct reader *r)
{
    return place_of(r->file->main_file, r->file->item.line, schema[r->file->key].name);
}

static enum key_file_result wrong(const struct reader *r, const char *fault)
{
    say(r->diagnostics, SEVERITY_ERROR, place_in_main(r), r->file->item.text, "%s", fault);
    return KEY_FILE_WRONG;
}

/* The next key, without the end of its line. false: there is none. */
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

/* How many keys there are. *fault: what looks like a comment and would be a key, or a first key
 * that can be guessed (RULINGS 88); *has_short: a later one can. */
static size_t look_at_keys(struct span text, const char **fault, bool *has_short)
{
    struct span key;
    size_t count = 0;
    *fault = NULL;
    *has_short = false;
    for (; *fault == NULL && next_key(&text, &key); count++) {
        struct span trimmed = span_trim(key);
        *has_short = *has_short || key.n < KEY_OCTETS_FEW;
        if (trimmed.n > 0 && trimmed.p[0] == '#')
            *fault = "has a line with blanks before a \"#\", which would be a key (expected the "
                     "\"#\" of a comment at the begin of its line)";
        else if (count == 0 && key.n < KEY_OCTETS_FEW)
            *fault = "has a first key of fewer than 16 bytes, which can be guessed (expected 32 "
                     "random bytes in Base 64, say)";
    }
    if (*fault == NULL && count == 0)
        *fault = "holds no key (expected one key a line; empty lines and lines that begin with "
                 "\"#\" do not count)";
    return count;
}

static struct span *copy_keys(const struct reader *r, struct span text, size_t count)
{
    struct span key;
    struct span *copies = arena_calloc(r->arena, count, sizeof *copies);
    for (size_t n = 0; next_key(&text, &key); n++)
        copies[n] = arena_dup(r->arena, key);
    return copies;
}

static struct span without_mark(struct span text)
{
    return span_starts_nocase(text, span_cstr("\xEF\xBB\xBF")) ? span_sub(text, 3, text.n) : text;
}

static enum key_file_result take_text(const struct reader *r, const struct file_text *file,
                                      struct span **keys, size_t *count)
{
    struct span text = without_mark(span_of(file->text, file->length));
    const char *fault;
    bool has_short;
    size_t n = look_at_keys(text, &fault, &has_short);
    if (r->reading == KEYS_NEEDED && (file->status.st_mode & (S_IRWXO | S_IWGRP | S_IXGRP)) != 0)
        fault = "is open to others (expected mode 0600, or 0640: its group may read it, and nobody "
                "else do anything)";
    if (fault != NULL)
        return wrong(r, fault);
    *keys = copy_keys(r, text, n);
    *count = n;
    if (has_short)
        say(r->diagnostics, SEVERITY_HINT, place_in_main(r), r->file->item.text,
            "holds a key of fewer than 16 bytes, which can be guessed, and which still verifies "
            "(expected that line to go)");
    return KEY_FILE_READ;
}

/* That this user may not read it says nothing about the daemon. */
static enum key_file_result refuse(const struct reader *r, const char *path,
                                   const struct file_text *file)
{
    bool no_error = file->error == ENOENT || file->error == EACCES || file->error == EPERM;
    struct strbuf text = STRBUF_INIT;
    if (file->error == 0)
        return wrong(r, file->fault);
    if (!no_error || r->reading != KEYS_IF_READABLE) {
        say(r->diagnostics, SEVERITY_ERROR, place_in_main(r), r->file->item.text,
            "cannot be read: %s", file->fault);
        return KEY_FILE_WRONG;
    }
    strbuf_addf(&text, "%s: %s", path, file->fault);
    *r->why = strbuf_keep(&text, r->arena);
    return KEY_FILE_UNREAD;
}

static enum key_file_result read_path(const struct reader *r, const char *path, struct span **keys,
                                      size_t *count)
{
    static const struct file_rules rules = {
        .octets_max = KEY_FILE_MAX,
        .too_large = "is too large (expected one key a line, at most 64 KiB)",
        .is_secret = true};
    struct file_text file;
    if (!read_file(AT_FDCWD, path, &rules, &file))
        return refuse(r, path, &file);
    enum key_file_result result = take_text(r, &file, keys, count);
    OPENSSL_cleanse(file.text, file.length);
    free(file.text);
    return result;
}

enum key_file_result key_file_read(const struct key_file *file, enum key_reading reading,
                                   struct arena *arena, struct diagnostics *diagnostics,
                                   struct span **keys, size_t *count, const char **why)
{
    const struct reader r = {file, reading, arena, diagnostics, why};
    struct strbuf path = STRBUF_INIT;
    *why = NULL;
    if (file->item.text.n == 0)
        return wrong(&r, "names no file (expected a path)");
    if (reading == KEYS_NOT_READ)
        return KEY_FILE_UNREAD;
    strbuf_add_span(&path, path_base(file->main_file, file->item.text));
    strbuf_add_span(&path, file->item.text);
    enum key_file_result result = read_path(&r, strbuf_str(&path), keys, count);
    strbuf_free(&path);
    return result;
}

void key_file_forget(struct span key)
{
    if (key.n > 0)
        OPENSSL_cleanse((void *)(uintptr_t)key.p, key.n);
}
