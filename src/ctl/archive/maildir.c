/* The messages of a Maildir, under whatever names they have by now: see maildir_names.h. */
#include "ctl/archive/archive.h"
#include "ctl/archive/maildir_names.h"
#include "ctl/report.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sysexits.h>
#include <unistd.h>

#define BLOCK_OCTETS ((size_t)16 * 1024)

/* So that it ends when somebody renames all the time. One list finds all that were renamed since
 * the one before. */
#define MOST_LISTS 1000

struct file_id {
    dev_t device;
    ino_t number;
};

struct maildir {
    const struct archive_visitor *visitor;
    struct maildir_names names;
    size_t lists; /* made so far */

    /* The unique part at which we are, and the file_ids of those of its files that were read. One
     * file in a usual Maildir: two names are one message that was renamed, or two messages. */
    struct strbuf unique;
    struct strbuf seen;

    struct strbuf text; /* of one header */
    struct strbuf file; /* its path */
    size_t unreadable;
};

/* Does an empty line begin with text? */
static bool begins_empty(struct span text)
{
    return span_find(text, '\n') == 0 || (span_find(text, '\r') == 0 && span_find(text, '\n') == 1);
}

/* Is there an empty line in text, behind its octet `from`? */
static bool has_empty_line(struct span text, size_t from)
{
    struct span rest = span_sub(text, from, text.n);

    if (from == 0 && begins_empty(rest))
        return true;
    while (rest.n > 0) {
        rest = span_sub(rest, span_find(rest, '\n') + 1, rest.n);
        if (rest.n > 0 && begins_empty(span_sub(rest, 0, 2)))
            return true;
    }
    return false;
}

/* Reads on until the header has ended. 0, or -1 with errno. */
static int read_header(int fd, struct strbuf *text)
{
    char block[BLOCK_OCTETS];

    for (;;) {
        size_t before = text->len;
        ssize_t n = read(fd, block, sizeof block);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return (int)n;
        strbuf_add(text, block, (size_t)n);
        if (strbuf_failed(text)) {
            errno = ENOMEM;
            return -1;
        }
        /* The empty line may have been cut in two. */
        if (text->len >= ARCHIVE_HEADER_OCTETS ||
            has_empty_line(strbuf_span(text), before < 3 ? 0 : before - 3))
            return 0;
    }
}

/* 0: it is a new one; 1: it was read before, under another name; -1 with errno. */
static int see_file(struct maildir *m, const struct stat *st)
{
    struct file_id id;

    for (size_t at = 0; at < m->seen.len; at += sizeof id) {
        memcpy(&id, m->seen.data + at, sizeof id);
        if (id.device == st->st_dev && id.number == st->st_ino)
            return 1;
    }
    memset(&id, 0, sizeof id);
    id.device = st->st_dev;
    id.number = st->st_ino;
    strbuf_add(&m->seen, (const char *)&id, sizeof id);
    if (!strbuf_failed(&m->seen))
        return 0;
    errno = ENOMEM;
    return -1;
}

/* 0: m->text is set; 1: no message (a folder, a FIFO), or not for the first time; -1 with errno. */
static int read_file(struct maildir *m, int fd)
{
    struct stat st;
    int result;

    strbuf_reset(&m->text);
    if (fstat(fd, &st) != 0)
        return -1;
    if (!S_ISREG(st.st_mode))
        return 1;
    result = see_file(m, &st);
    return result == 0 ? read_header(fd, &m->text) : result;
}

static int say_unreadable(struct maildir *m)
{
    if (m->unreadable++ == 0)
        report_error("%s: %s", strbuf_str(&m->file), strerror(errno));
    return EX_OK;
}

/* Closes fd; -1: the file could not be opened, for the reason in errno. */
static int visit_file(struct maildir *m, const char *place, int fd)
{
    struct archive_message message = {.has_offset = false};
    int result = fd < 0 ? -1 : read_file(m, fd);
    int saved = errno;

    if (fd >= 0)
        close(fd);
    strbuf_reset(&m->file);
    strbuf_addf(&m->file, "%s/%s/%s", m->names.path, maildir_names_folder_name(place),
                maildir_names_name(place));
    if (strbuf_failed(&m->file))
        return report_no_memory();
    errno = saved;
    if (result != 0)
        return result < 0 ? say_unreadable(m) : EX_OK;
    message.header = span_sub(strbuf_span(&m->text), 0, ARCHIVE_HEADER_OCTETS);
    message.file = strbuf_span(&m->file);
    return m->visitor->message(m->visitor->context, &message);
}

/* Is there no file of this name any more? A symbolic link to nowhere is one. */
static bool is_gone(int folder, const char *name)
{
    struct stat st;
    bool is_link = fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(st.st_mode);

    errno = ENOENT;
    return !is_link;
}

static int set_unique(struct maildir *m, struct span unique)
{
    if (span_eq(strbuf_span(&m->unique), unique))
        return EX_OK;
    strbuf_reset(&m->unique);
    strbuf_reset(&m->seen);
    strbuf_add_span(&m->unique, unique);
    return strbuf_failed(&m->unique) ? report_no_memory() : EX_OK;
}

/* *at becomes the place from where to go on. */
static int list_names(struct maildir *m, size_t *at)
{
    int status = maildir_names_list(&m->names, *at);

    m->lists++;
    *at = maildir_names_find(&m->names, strbuf_str(&m->unique));
    return status;
}

/* *at becomes the next one: the same message once more, if it has moved. FIFOs must not stop us. */
static int visit_place(struct maildir *m, size_t *at)
{
    const char *place = m->names.order[*at];
    const char *name = maildir_names_name(place);
    int folder = maildir_names_folder(&m->names, place);
    int status = set_unique(m, maildir_names_unique(place));
    int fd;

    if (status != EX_OK)
        return status;
    fd = openat(folder, name, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0 && errno == ENOENT && m->lists < MOST_LISTS && is_gone(folder, name))
        return list_names(m, at);
    (*at)++;
    return visit_file(m, place, fd);
}

static int visit_files(struct maildir *m)
{
    size_t at = 0;
    int status = list_names(m, &at);

    while (status == EX_OK && at < m->names.count) {
        if (m->visitor->go_on(m->visitor->context, at, m->names.count))
            status = visit_place(m, &at);
        else
            status = ARCHIVE_STOPPED;
    }
    if (m->unreadable > 1)
        report_error("%s: %zu files could not be read", m->names.path, m->unreadable);
    return status == EX_OK && m->unreadable > 0 ? EX_OSERR : status;
}

int maildir_each(int fd, const char *path, const struct archive_visitor *visitor)
{
    struct maildir m = {
        .visitor = visitor,
        .unique = STRBUF_INIT,
        .seen = STRBUF_INIT,
        .text = STRBUF_INIT,
        .file = STRBUF_INIT,
    };
    int status;

    maildir_names_init(&m.names, path, visitor);
    status = maildir_names_open(&m.names, fd);
    if (status == EX_OK)
        status = visit_files(&m);
    maildir_names_free(&m.names);
    strbuf_free(&m.unique);
    strbuf_free(&m.seen);
    strbuf_free(&m.text);
    strbuf_free(&m.file);
    return status;
}
