/* read_file - one open, one fstat and one read for most files. */
#include "config/files/read_file.h"

#include "text/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/crypto.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LINK "is a symbolic link, and none is followed here (expected the file itself)"

/* O_NONBLOCK: opening a FIFO without a writer would wait for ever. */
#define FLAGS (O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)

static bool refuse(struct file_text *out, const char *fault)
{
    out->fault = fault;
    return false;
}

static bool refuse_call(const struct file_rules *rules, struct file_text *out)
{
    out->error = errno;
    return refuse(out, errno == ELOOP && rules->is_foreign ? LINK : strerror(errno));
}

/* NULL: it may be read. */
static const char *status_fault(const struct file_rules *rules, const struct stat *status)
{
    if (!S_ISREG(status->st_mode))
        return "is not a regular file";
    /* Its other name may be one that its owner must not read. */
    if (rules->is_foreign && status->st_nlink > 1)
        return "has a second name (expected a file without hard links)";
    if (status->st_size < 0 || (uintmax_t)status->st_size > rules->octets_max)
        return rules->too_large;
    return NULL;
}

/* Reads to the end, which may not be where fstat saw it. Where it is, one read has shown that: a
 * regular file gives less than is asked for at its end only. */
static bool read_text(int file, const struct file_rules *rules, struct file_text *out)
{
    size_t expected = (size_t)out->status.st_size;
    size_t room = rules->is_secret ? rules->octets_max : expected; /* a resize leaves copies */
    out->text = memory_resize(NULL, ++room + 1, 1);                /* one more, to see the end */
    for (;;) {
        if (out->length > rules->octets_max)
            return refuse(out, rules->too_large);
        if (out->length == room) {
            room *= 2;
            out->text = memory_resize(out->text, room + 1, 1);
        }
        ssize_t got = read(file, out->text + out->length, room - out->length);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return refuse_call(rules, out);
        out->length += (size_t)got;
        if (got == 0 || out->length == expected)
            return true;
    }
}

static bool read_open(int file, const struct file_rules *rules, struct file_text *out)
{
    if (fstat(file, &out->status) != 0)
        return refuse_call(rules, out);
    const char *fault = status_fault(rules, &out->status);
    return fault != NULL ? refuse(out, fault) : read_text(file, rules, out);
}

bool read_file(int folder, const char *name, const struct file_rules *rules, struct file_text *out)
{
    *out = (struct file_text){.text = NULL};
    int file =
        rules->is_foreign ? openat(folder, name, FLAGS | O_NOFOLLOW) : openat(folder, name, FLAGS);
    if (file < 0)
        return refuse_call(rules, out);
    bool is_read = read_open(file, rules, out);
    close(file);
    if (!is_read) {
        if (rules->is_secret && out->text != NULL)
            OPENSSL_cleanse(out->text, out->length);
        free(out->text);
        out->text = NULL;
    }
    return is_read;
}
