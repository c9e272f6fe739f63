/*
 * The messages of a Maildir, which others may use meanwhile.
 *
 * A message is in cur or in new, as UNIQUE or UNIQUE:INFO.  A mail program moves it from new to cur
 * and renames it when a flag changes; UNIQUE stays (https://cr.yp.to/proto/maildir.html).  The
 * names are listed once; a message that has another name when it is opened is looked for in a
 * second list, by its unique part.
 */
#include "ctl/archive/archive.h"

#include "ctl/report.h"
#include "text/memory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sysexits.h>
#include <unistd.h>

#define BLOCK_OCTETS ((size_t)16 * 1024)

#define FOLDERS 2

/* Mail moves from new to cur: listed in this order, it is not missed on its way. */
static const char *const folder_names[FOLDERS] = {"new", "cur"};

struct maildir {
    const char *path;
    const struct archive_visitor *visitor;
    int folders[FOLDERS]; /* descriptors; -1: it is not there */

    struct strbuf names; /* for each message the number of its folder, its name and a NUL */
    const char **order;  /* places in `names`, by unique part, then by what is behind it */
    size_t count;

    struct strbuf unique; /* part of the name that we are at */
    bool is_second_list;  /* it was looked for by this part */
    dev_t device;         /* these two: the file that was read last */
    ino_t inode;

    struct strbuf text; /* of one header */
    struct strbuf file; /* its path */
    size_t unreadable;
};

static int folder_error(const struct maildir *m, size_t folder)
{
    report_error("%s/%s: %s", m->path, folder_names[folder], strerror(errno));
    return EX_OSERR;
}

/* ---- the list of names ---------------------------------------------------------------------- */

/* readdir tells an error from the end by errno only. at: how many messages were visited. */
static int add_names_of(struct maildir *m, DIR *directory, size_t folder, size_t at)
{
    const struct dirent *entry;
    for (;;) {
        errno = 0;
        entry = readdir(directory);
        if (entry == NULL)
            return errno == 0 ? EX_OK : folder_error(m, folder);
        if (entry->d_name[0] == '.')
            continue;
        strbuf_add_char(&m->names, (char)folder);
        strbuf_add(&m->names, entry->d_name, strlen(entry->d_name) + 1);
        if (!m->visitor->go_on(m->visitor->context, at, m->count))
            return ARCHIVE_STOPPED;
    }
}

static int add_names(struct maildir *m, size_t folder, size_t at)
{
    int fd = dup(m->folders[folder]);
    DIR *directory = fd < 0 ? NULL : fdopendir(fd);
    int status;
    if (directory == NULL) {
        status = folder_error(m, folder);
        if (fd >= 0)
            close(fd);
        return status;
    }
    rewinddir(directory); /* the copies of a descriptor share their place */
    status = add_names_of(m, directory, folder, at);
    closedir(directory);
    return status;
}

/* The order of octets, but that the end of a unique part comes before all others: messages with
 * the same part stand together. */
static int compare_names(const char *a, const char *b)
{
    while (*a == *b && *a != '\0') {
        a++;
        b++;
    }
    if (*a == ':' && *b != '\0')
        return -1;
    if (*b == ':' && *a != '\0')
        return 1;
    return (unsigned char)*a - (unsigned char)*b;
}

static int by_name(const void *a, const void *b)
{
    const char *const *left = a;
    const char *const *right = b;
    int result = compare_names(*left + 1, *right + 1);
    return result != 0 ? result : **left - **right;
}

static void set_order(struct maildir *m)
{
    struct span rest = strbuf_span(&m->names);
    size_t count = 0;
    for (size_t i = 0; i < rest.n; i += strlen(rest.p + i + 1) + 2)
        count++;
    m->order = memory_new(count, sizeof *m->order);
    for (size_t i = 0; i < rest.n; i += strlen(rest.p + i + 1) + 2)
        m->order[m->count++] = rest.p + i;
    qsort(m->order, m->count, sizeof *m->order, by_name);
}

/* Lists what is there now. *at becomes the place of the first message with the unique part that we
 * are at, or of the one behind it. */
static int list_names(struct maildir *m, size_t *at)
{
    int status = EX_OK;
    size_t high;
    strbuf_reset(&m->names);
    for (size_t i = 0; i < FOLDERS && status == EX_OK; i++)
        if (m->folders[i] >= 0)
            status = add_names(m, i, *at);
    free(m->order);
    m->order = NULL;
    m->count = 0;
    if (status == EX_OK)
        set_order(m);
    *at = 0;
    for (high = m->count; *at < high;) {
        size_t middle = *at + (high - *at) / 2;
        if (compare_names(m->order[middle] + 1, strbuf_str(&m->unique)) < 0)
            *at = middle + 1;
        else
            high = middle;
    }
    return status;
}

/* ---- a message ------------------------------------------------------------------------------ */

/* Is there an empty line in text that ends behind its octet `from`? */
static bool has_empty_line(struct span text, size_t from)
{
    size_t i = from;
    while ((i += span_find(span_sub(text, i, text.n), '\n')) < text.n) {
        size_t end = i > 0 && text.p[i - 1] == '\r' ? i - 1 : i;
        if (end == 0 || text.p[end - 1] == '\n')
            return true;
        i++;
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
        if (text->len >= ARCHIVE_HEADER_OCTETS || has_empty_line(strbuf_span(text), before))
            return 0;
    }
}

/* 0: m->text is set; 1: no message (a folder, a FIFO), or the one that was read last, under another
 * name; -1 with errno. */
static int read_file(struct maildir *m, int fd)
{
    struct stat st;
    strbuf_reset(&m->text);
    if (fstat(fd, &st) != 0)
        return -1;
    if (!S_ISREG(st.st_mode) || (st.st_dev == m->device && st.st_ino == m->inode))
        return 1;
    m->device = st.st_dev;
    m->inode = st.st_ino;
    return read_header(fd, &m->text);
}

/* Closes fd; -1: the file could not be opened, for the reason in errno. */
static int visit_file(struct maildir *m, const char *place, int fd)
{
    struct archive_message message = {.line = 1};
    int result = fd < 0 ? -1 : read_file(m, fd);
    int reason = errno;
    if (fd >= 0)
        close(fd);
    strbuf_reset(&m->file);
    strbuf_addf(&m->file, "%s/%s/%s", m->path, folder_names[(int)place[0]], place + 1);
    if (result < 0 && m->unreadable++ == 0)
        report_error("%s: %s", strbuf_str(&m->file), strerror(reason));
    if (result != 0)
        return EX_OK;
    message.header = span_sub(strbuf_span(&m->text), 0, ARCHIVE_HEADER_OCTETS);
    message.file = strbuf_span(&m->file);
    return m->visitor->message(m->visitor->context, &message);
}

/* *at becomes the next place: that of the same message, if it has moved. FIFOs must not stop us. */
static int visit_place(struct maildir *m, size_t *at)
{
    const char *place = m->order[*at];
    struct span name = span_cstr(place + 1);
    struct span unique = span_sub(name, 0, span_find(name, ':'));
    int fd = openat(m->folders[(int)place[0]], name.p, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    int reason = errno;
    if (!span_eq(strbuf_span(&m->unique), unique)) {
        strbuf_reset(&m->unique);
        strbuf_add_span(&m->unique, unique);
        m->is_second_list = false;
    }
    if (fd < 0 && reason == ENOENT && !m->is_second_list) {
        m->is_second_list = true;
        return list_names(m, at);
    }
    (*at)++;
    errno = reason;
    return visit_file(m, place, fd);
}

static int visit_all(struct maildir *m)
{
    size_t at = 0;
    int status = list_names(m, &at);
    while (status == EX_OK && at < m->count) {
        if (m->visitor->go_on(m->visitor->context, at, m->count))
            status = visit_place(m, &at);
        else
            status = ARCHIVE_STOPPED;
    }
    if (m->unreadable > 1)
        report_error("%s: %zu files could not be read", m->path, m->unreadable);
    return status == EX_OK && m->unreadable > 0 ? EX_OSERR : status;
}

static int open_folders(struct maildir *m, int fd)
{
    size_t open_count = 0;
    for (size_t i = 0; i < FOLDERS; i++) {
        m->folders[i] = openat(fd, folder_names[i], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (m->folders[i] < 0 && errno != ENOENT && errno != ENOTDIR)
            return folder_error(m, i);
        open_count += m->folders[i] >= 0;
    }
    if (open_count > 0)
        return EX_OK;
    report_error("%s: not a Maildir (expected cur and new in it)", m->path);
    return EX_DATAERR;
}

int maildir_each(int fd, const char *path, const struct archive_visitor *visitor)
{
    struct maildir m = {
        .path = path,
        .visitor = visitor,
        .folders = {-1, -1},
        .names = STRBUF_INIT,
        .unique = STRBUF_INIT,
        .text = STRBUF_INIT,
        .file = STRBUF_INIT,
    };
    int status = open_folders(&m, fd);
    if (status == EX_OK)
        status = visit_all(&m);
    for (size_t i = 0; i < FOLDERS; i++)
        if (m.folders[i] >= 0)
            close(m.folders[i]);
    free(m.order);
    strbuf_free(&m.names);
    strbuf_free(&m.unique);
    strbuf_free(&m.text);
    strbuf_free(&m.file);
    return status;
}

size_t maildir_folders(const char *path, char **name)
{
    DIR *directory = opendir(path);
    const struct dirent *entry;
    struct strbuf cur = STRBUF_INIT;
    size_t count = 0;
    *name = NULL;
    while (directory != NULL && (entry = readdir(directory)) != NULL) {
        if (entry->d_name[0] != '.' || strcmp(entry->d_name, ".") == 0 ||
            strcmp(entry->d_name, "..") == 0)
            continue;
        strbuf_reset(&cur);
        strbuf_addf(&cur, "%s/cur", entry->d_name);
        if (faccessat(dirfd(directory), strbuf_str(&cur), F_OK, 0) != 0)
            continue;
        if (count++ == 0)
            *name = memory_copy(entry->d_name);
    }
    if (directory != NULL)
        closedir(directory);
    strbuf_free(&cur);
    return count;
}
