/* The messages of a Maildir: the files in cur and new (https://cr.yp.to/proto/maildir.html). */
#include "ctl/archive.h"

#include "ctl/report.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sysexits.h>
#include <unistd.h>

#define BLOCK_OCTETS ((size_t)16 * 1024)

static const char *const folder_names[] = {"cur", "new"};

#define FOLDERS (sizeof folder_names / sizeof folder_names[0])

struct maildir {
    const char *path;
    const struct archive_visitor *visitor;
    int folders[FOLDERS]; /* descriptors; -1: it is not there */

    /* Per file the number of its folder, its name and a NUL. */
    struct strbuf names;
    const char **order; /* places of the names, sorted */
    size_t count;

    struct strbuf text; /* of one header */
    struct strbuf file; /* its path */
    size_t unreadable;
};

static int system_error(const struct maildir *m, const char *name)
{
    report_error("%s/%s: %s", m->path, name, strerror(errno));
    return EX_OSERR;
}

static int open_folders(struct maildir *m, int fd)
{
    size_t open_count = 0;

    for (size_t i = 0; i < FOLDERS; i++) {
        m->folders[i] = openat(fd, folder_names[i], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (m->folders[i] < 0 && errno != ENOENT && errno != ENOTDIR)
            return system_error(m, folder_names[i]);
        open_count += m->folders[i] >= 0;
    }
    if (open_count > 0)
        return EX_OK;
    report_error("%s: not a Maildir (expected cur and new in it)", m->path);
    return EX_DATAERR;
}

/* readdir tells an error from the end by errno only. */
static int add_names_of(struct maildir *m, DIR *directory, size_t folder)
{
    const struct dirent *entry;

    for (;;) {
        errno = 0;
        entry = readdir(directory);
        if (entry == NULL)
            return errno == 0 ? EX_OK : system_error(m, folder_names[folder]);
        if (entry->d_name[0] == '.')
            continue;
        strbuf_add_char(&m->names, (char)folder);
        strbuf_add(&m->names, entry->d_name, strlen(entry->d_name) + 1);
        m->count++;
        if (!m->visitor->go_on(m->visitor->context, 0, 0))
            return ARCHIVE_STOPPED;
    }
}

static int add_names(struct maildir *m, size_t folder)
{
    int fd;
    DIR *directory;
    int status;

    if (m->folders[folder] < 0)
        return EX_OK;
    fd = dup(m->folders[folder]);
    directory = fd < 0 ? NULL : fdopendir(fd);
    if (directory == NULL) {
        status = system_error(m, folder_names[folder]);
        if (fd >= 0)
            close(fd);
        return status;
    }
    status = add_names_of(m, directory, folder);
    closedir(directory);
    return status;
}

/* By name, whatever the folder: reading a message moves it from new to cur. */
static int compare_names(const void *a, const void *b)
{
    const char *const *left = a;
    const char *const *right = b;

    return strcmp(*left + 1, *right + 1);
}

static int sort_names(struct maildir *m)
{
    const char *name = m->names.data;

    if (strbuf_failed(&m->names))
        return report_no_memory();
    m->order = calloc(m->count + 1, sizeof *m->order);
    if (m->order == NULL)
        return report_no_memory();
    for (size_t i = 0; i < m->count; i++) {
        m->order[i] = name;
        name += 1 + strlen(name + 1) + 1;
    }
    qsort(m->order, m->count, sizeof *m->order, compare_names);
    return EX_OK;
}

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

/* 0: m->text is set; 1: no message (a folder, a FIFO); -1 with errno. A FIFO must not stop us. */
static int read_file(struct maildir *m, int folder, const char *name)
{
    int fd = openat(folder, name, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    struct stat st;
    int result = -1;
    int saved;

    strbuf_reset(&m->text);
    if (fd < 0)
        return -1;
    if (fstat(fd, &st) == 0)
        result = S_ISREG(st.st_mode) ? read_header(fd, &m->text) : 1;
    saved = errno;
    close(fd);
    errno = saved;
    return result;
}

static int say_unreadable(struct maildir *m)
{
    if (m->unreadable++ == 0)
        report_error("%s: %s", strbuf_str(&m->file), strerror(errno));
    return EX_OK;
}

static int visit_file(struct maildir *m, const char *entry)
{
    int folder = entry[0];
    const char *name = entry + 1;
    struct archive_message message = {.has_offset = false};
    int result;

    strbuf_reset(&m->file);
    strbuf_addf(&m->file, "%s/%s/%s", m->path, folder_names[folder], name);
    if (strbuf_failed(&m->file))
        return report_no_memory();
    result = read_file(m, m->folders[folder], name);
    if (result != 0)
        return result < 0 ? say_unreadable(m) : EX_OK;
    message.header = span_sub(strbuf_span(&m->text), 0, ARCHIVE_HEADER_OCTETS);
    message.file = strbuf_span(&m->file);
    return m->visitor->message(m->visitor->context, &message);
}

static int visit_files(struct maildir *m)
{
    int status = EX_OK;

    for (size_t i = 0; i < m->count && status == EX_OK; i++) {
        if (m->visitor->go_on(m->visitor->context, i, m->count))
            status = visit_file(m, m->order[i]);
        else
            status = ARCHIVE_STOPPED;
    }
    if (m->unreadable > 1)
        report_error("%s: %zu files could not be read", m->path, m->unreadable);
    return status == EX_OK && m->unreadable > 0 ? EX_OSERR : status;
}

int maildir_each(int fd, const char *path, const struct archive_visitor *visitor)
{
    struct maildir m = {
        .path = path,
        .visitor = visitor,
        .folders = {-1, -1},
        .names = STRBUF_INIT,
        .text = STRBUF_INIT,
        .file = STRBUF_INIT,
    };
    int status = open_folders(&m, fd);

    for (size_t i = 0; i < FOLDERS && status == EX_OK; i++)
        status = add_names(&m, i);
    if (status == EX_OK)
        status = sort_names(&m);
    if (status == EX_OK)
        status = visit_files(&m);
    for (size_t i = 0; i < FOLDERS; i++)
        if (m.folders[i] >= 0)
            close(m.folders[i]);
    free(m.order);
    strbuf_free(&m.names);
    strbuf_free(&m.text);
    strbuf_free(&m.file);
    return status;
}
