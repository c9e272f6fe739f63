/* key_file - opens, checks and reads a file of keys, and leaves no copy of it behind. */
#include "config/files/key_file.h"

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
#include <unistd.h>

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

static enum key_file_result wrong_system(const struct reader *r, int error)
{
    char fault[200] = "cannot be read: ";
    size_t length = strlen(fault);
    strncpy(fault + length, strerror(error), sizeof fault - length - 1);
    return wrong(r, fault);
}

/* 0, or -1: memory. *path is for the caller to free. */
static int resolve(const struct reader *r, struct strbuf *path)
{
    struct span text = r->file->item.text;
    strbuf_add_span(path, config_file_base(r->file->main_file, text));
    strbuf_add_span(path, text);
    return strbuf_failed(path) ? -1 : 0;
}

static const char *status_fault(const struct reader *r, const struct stat *status)
{
    if (!S_ISREG(status->st_mode))
        return "is not a regular file";
    if (status->st_size < 0 || (uintmax_t)status->st_size > KEY_FILE_MAX)
        return "is too large (expected one key a line, at most 64 KiB)";
    if (r->reading == KEYS_NEEDED && (status->st_mode & (S_IRWXO | S_IWGRP | S_IXGRP)) != 0)
        return "is open to others (expected mode 0600, or 0640: its group may read it, and nobody "
               "else do anything)";
    return NULL;
}

/* Reads at most `room` octets; the octets read, or -1. */
static ssize_t read_all(int file, char *text, size_t room)
{
    size_t n = 0;
    while (n < room) {
        ssize_t got = read(file, text + n, room - n);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -1;
        if (got == 0)
            break;
        n += (size_t)got;
    }
    return (ssize_t)n;
}

/* The next line without its end. false: there is no further one. */
static bool next_line(struct span *rest, struct span *line)
{
    if (rest->n == 0)
        return false;
    size_t end = span_find(*rest, '\n');
    *line = span_sub(*rest, 0, end);
    *rest = span_sub(*rest, end + 1, rest->n);
    if (line->n > 0 && line->p[line->n - 1] == '\r')
        line->n--;
    return true;
}

static bool is_key(struct span line)
{
    return line.n > 0 && line.p[0] != '#';
}

static size_t count_keys(struct span text)
{
    struct span line;
    size_t count = 0;
    while (next_line(&text, &line))
        count += is_key(line) ? 1 : 0;
    return count;
}

/* RULINGS 88: what looks like a comment and would be a key, and a first key that can be guessed. */
static const char *keys_fault(struct span text)
{
    struct span line;
    bool is_first = true;
    while (next_line(&text, &line)) {
        if (!is_key(line))
            continue;
        size_t blanks = 0;
        while (blanks < line.n && (line.p[blanks] == ' ' || line.p[blanks] == '\t'))
            blanks++;
        if (blanks < line.n && line.p[blanks] == '#')
            return "has a line with blanks before a \"#\", which would be a key (expected the "
                   "\"#\" of a comment at the begin of its line)";
        if (is_first && line.n < KEY_OCTETS_FEW)
            return "has a first key of fewer than 16 octets, which can be guessed (expected 32 "
                   "random octets in Base 64, say)";
        is_first = false;
    }
    return is_first ? "holds no key (expected one key a line; empty lines and lines that begin "
                      "with \"#\" do not count)"
                    : NULL;
}

static bool has_short_key(struct span text)
{
    struct span line;
    while (next_line(&text, &line))
        if (is_key(line) && line.n < KEY_OCTETS_FEW)
            return true;
    return false;
}

static enum key_file_result take_keys(const struct reader *r, struct span text, struct span **keys,
                                      size_t *count)
{
    struct span line;
    size_t n = count_keys(text);
    const char *fault = keys_fault(text);
    if (fault != NULL)
        return wrong(r, fault);
    struct span *taken = arena_calloc(r->arena, n, sizeof *taken);
    if (taken == NULL)
        return KEY_FILE_NO_MEMORY;
    n = 0;
    while (next_line(&text, &line)) {
        if (!is_key(line))
            continue;
        taken[n] = arena_dup(r->arena, line);
        if (taken[n].p == NULL) {
            while (n-- > 0)
                key_file_forget(taken[n]);
            return KEY_FILE_NO_MEMORY;
        }
        n++;
    }
    *keys = taken;
    *count = n;
    return KEY_FILE_READ;
}

static struct span without_mark(struct span text)
{
    return span_starts_nocase(text, span_cstr("\xEF\xBB\xBF")) ? span_sub(text, 3, text.n) : text;
}

static enum key_file_result read_text(const struct reader *r, int file, struct span **keys,
                                      size_t *count)
{
    const size_t room = KEY_FILE_MAX + 1;
    char *text = calloc(1, room); /* all of it is overwritten at the end */
    if (text == NULL)
        return KEY_FILE_NO_MEMORY;
    ssize_t n = read_all(file, text, room);
    enum key_file_result result;
    if (n < 0)
        result = wrong_system(r, errno);
    else if ((size_t)n == room)
        result = wrong(r, "is too large (expected one key a line, at most 64 KiB)");
    else
        result = take_keys(r, without_mark(span_of(text, (size_t)n)), keys, count);
    if (result == KEY_FILE_READ && has_short_key(without_mark(span_of(text, (size_t)n))))
        say(r->diagnostics, SEVERITY_HINT, place_in_main(r), r->file->item.text,
            "holds a key of fewer than 16 octets, which can be guessed, and which "
            "still verifies (expected that line to go)");
    OPENSSL_cleanse(text, room);
    free(text);
    return result;
}

/* That this user may not read it says nothing about the daemon. */
static enum key_file_result unread(const struct reader *r, const char *path, int error)
{
    struct strbuf text = STRBUF_INIT;
    strbuf_addf(&text, "%s: %s", path, strerror(error));
    *r->why = strbuf_keep(&text, r->arena);
    return *r->why == NULL ? KEY_FILE_NO_MEMORY : KEY_FILE_UNREAD;
}

static enum key_file_result read_path(const struct reader *r, const char *path, struct span **keys,
                                      size_t *count)
{
    struct stat status;
    /* O_NONBLOCK: opening a FIFO without a writer would wait for ever. */
    int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    if (file < 0) {
        bool no_error = errno == ENOENT || errno == EACCES || errno == EPERM;
        if (no_error && r->reading == KEYS_IF_READABLE)
            return unread(r, path, errno);
        return wrong_system(r, errno);
    }
    enum key_file_result result;
    if (fstat(file, &status) != 0) {
        result = wrong_system(r, errno);
    } else {
        const char *fault = status_fault(r, &status);
        result = fault == NULL ? read_text(r, file, keys, count) : wrong(r, fault);
    }
    close(file);
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
    enum key_file_result result = KEY_FILE_NO_MEMORY;
    if (resolve(&r, &path) == 0)
        result = read_path(&r, strbuf_str(&path), keys, count);
    strbuf_free(&path);
    return result;
}

void key_file_forget(struct span key)
{
    if (key.n > 0)
        OPENSSL_cleanse((void *)(uintptr_t)key.p, key.n);
}
