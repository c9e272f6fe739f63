/*
 * key_file - reads the file of token_key_file (RULINGS 17, 88); see main_file.h
 *
 *   file = [ byte-order-mark ] *( key / "#" comment / "" )
 *
 * A line has one key: all bytes before its LF or CRLF.  A key does not begin with blanks and "#".
 */
#include "config/main_file.h"
#include "config/read/files.h"

#include <errno.h>
#include <openssl/crypto.h>
#include <stdlib.h>

/* Fewer bytes are an error in the first key, and a hint in a later one, which only verifies: RFC
 * 2104 3 discourages short keys. */
#define KEY_BYTES_FEW 16

/* Sets *key to the next key, without the end of its line. Returns false if there is none. */
static bool next_key(struct span *rest, struct span *key)
{
    while (rest->n > 0) {
        *key = span_take_line(rest);
        if (key->n > 0 && key->p[0] != '#')
            return true;
    }
    return false;
}

/* Returns what is wrong with a key, or REMARK_NONE. */
static enum remark key_fault(struct span key, bool is_first)
{
    struct span trimmed = span_trim(key);
    if (trimmed.n > 0 && trimmed.p[0] == '#')
        return ERROR_KEY_FILE_BLANK;
    return is_first && key.n < KEY_BYTES_FEW ? ERROR_KEY_FILE_SHORT : REMARK_NONE;
}

/* Adds the keys, and sets *has_short if a later one is short. Returns what is wrong, or
 * REMARK_NONE. */
static enum remark take_keys(struct settings *s, const struct file_text *file,
                             enum key_reading reading, bool *has_short)
{
    struct span rest = span_of(file->text, file->length), key;
    enum remark fault = REMARK_NONE;
    size_t lines = 1;
    if (reading == KEYS_NEEDED && (file->mode & (S_IRWXO | S_IWGRP | S_IXGRP)) != 0)
        return ERROR_KEY_FILE_OPEN;
    if (span_starts_nocase(rest, span_cstr("\xEF\xBB\xBF"))) /* a byte order mark */
        rest = span_sub(rest, 3, rest.n);
    for (size_t i = 0; i < rest.n; i++)
        lines += rest.p[i] == '\n';
    struct span *keys = arena_calloc(&s->arena, lines, sizeof *keys);
    s->recipient_keys = keys;
    while (fault == REMARK_NONE && next_key(&rest, &key)) {
        fault = key_fault(key, s->recipient_key_count == 0);
        *has_short |= key.n < KEY_BYTES_FEW;
        keys[s->recipient_key_count++] = arena_dup(&s->arena, key);
        settings_add_text(s, "", key);
    }
    return fault == REMARK_NONE && s->recipient_key_count == 0 ? ERROR_KEY_FILE_EMPTY : fault;
}

void key_file_read(struct settings *s, enum key_reading reading, struct place place,
                   struct span value, struct diagnostics *diagnostics)
{
    static const struct file_rules rules = {
        .bytes_max = (size_t)64 * 1024,
        .too_large = "is too large (expected one key a line, at most 64 KiB)"};
    struct file_text file;
    bool has_short = false;
    enum remark fault = read_file(s->recipient_keys_path, &rules, &file)
                            ? take_keys(s, &file, reading, &has_short)
                        : file.error != 0 ? ERROR_KEY_FILE
                                          : ERROR_KEY_FILE_FORM;
    if (fault != REMARK_NONE && reading == KEYS_IF_READABLE &&
        (file.error == ENOENT || file.error == EACCES || file.error == EPERM)) {
        struct strbuf why = STRBUF_INIT; /* the daemon may run as another user */
        strbuf_addf(&why, "%s: %s", s->recipient_keys_path, file.fault);
        s->recipient_keys_fault = strbuf_keep(&why, &s->arena);
    } else if (fault != REMARK_NONE) {
        say(diagnostics, SEVERITY_ERROR, place, value, fault, WITH(file.fault));
    } else if (has_short) {
        say(diagnostics, SEVERITY_HINT, place, value, HINT_SHORT_KEY, NULL);
    }
    if (file.text != NULL)
        OPENSSL_cleanse(file.text, file.length);
    free(file.text);
}
