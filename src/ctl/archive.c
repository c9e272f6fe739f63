/* archive - see archive.h */
#include "ctl/archive.h"

#include "ctl/tool.h"
#include "system/monotonic.h"
#include "text/arena.h"
#include "text/memory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- lines ---- */

static char block[128 * 1024]; /* of the file that is read */

#define FROM_BYTES 1024 /* kept of a "From " line */

struct reader {
    int fd;
    size_t begin, end; /* of what was read and not returned */
    struct span line;  /* with its end; or a part of a line that does not fit into the block */
    uint64_t offset, number; /* of the line; numbers begin with 1 */
    bool is_end;             /* there is no line */
    bool is_part;            /* a further part of a line */
    bool is_empty;
    bool is_from;    /* it begins with "From " after an empty line, or is the first */
    bool has_failed; /* errno has the reason */
};

static bool begins_with(const struct reader *r, const char *text)
{
    size_t n = strlen(text);
    return r->line.n >= n && memcmp(r->line.p, text, n) == 0;
}

/* Moves to the next line, or part of one. */
static void next_line(struct reader *r)
{
    bool is_start = r->line.n == 0 || r->line.p[r->line.n - 1] == '\n';
    bool follows_empty = r->is_empty;
    size_t n = 0;
    ssize_t more = 1;
    char *end;
    r->offset += r->line.n;
    r->number += is_start;
    while ((end = memchr(block + r->begin + n, '\n', r->end - r->begin - n)) == NULL && more > 0) {
        n = r->end - r->begin;
        memmove(block, block + r->begin, n);
        more = n < sizeof block ? read(r->fd, block + n, sizeof block - n) : 0;
        r->has_failed = more < 0;
        r->begin = 0;
        r->end = n + (more > 0 ? (size_t)more : 0);
    }
    n = (end != NULL ? (size_t)(end + 1 - block) : r->end) - r->begin;
    r->line = span_of(block + r->begin, n);
    r->begin += n;
    r->is_end = n == 0;
    r->is_part = !is_start && n > 0;
    r->is_empty = is_start && n > 0 && r->line.p[n - 1] == '\n' &&
                  (n == 1 || (n == 2 && r->line.p[0] == '\r'));
    r->is_from = follows_empty && begins_with(r, "From ");
}

/* ---- messages ---- */

struct archive {
    const struct archive_visitor *visitor;
    struct reader reader;
    struct strbuf header; /* of one message */
    struct strbuf from;   /* its "From " line */
    uint64_t messages;    /* of all archives so far */
    size_t number, count; /* of the archives */
    int64_t begin;        /* monotonic_now() */
    /* About this archive: */
    bool is_stopped;      /* the visitor wants no more */
    int status;           /* EX_OK, or of its last fault */
    uint64_t unreadable;  /* files of a folder */
    struct arena names;   /* of a Maildir */
    uint64_t done, total; /* bytes of an mbox, or files; total 0: not known */
};

/* Reads from this line to an empty one or the end; of a lone message no more than is kept. */
static void read_header(struct archive *a, bool is_lone)
{
    struct reader *r = &a->reader;
    size_t rest = ARCHIVE_HEADER_OCTETS;
    strbuf_reset(&a->header);
    for (; !r->is_end && !r->is_empty && (rest > 0 || !is_lone); next_line(r)) {
        strbuf_add_span(&a->header, span_sub(r->line, 0, rest));
        rest = ARCHIVE_HEADER_OCTETS - a->header.len;
    }
}

static void visit(struct archive *a, struct archive_message *m)
{
    char percent[32] = "";
    if (++a->messages % 64 == 0) {
        if (a->total > 0)
            snprintf(percent, sizeof percent, "%d %%, ", (int)(a->done * 100 / a->total));
        show_progress("%zu of %zu: %" PRIu64 " messages, %s%.0f/s", a->number, a->count,
                      a->messages, percent,
                      (double)a->messages * 1000 / (double)(monotonic_now() - a->begin));
    }
    m->header = strbuf_span(&a->header);
    a->is_stopped = !a->visitor->message(a->visitor->context, m);
}

/* ---- mbox ----
 *
 * RFC 4155; "mboxo" and "mboxrd": a line that begins with "From " begins a message if it is the
 * first one or follows an empty line.  Content-Length, by which "mboxcl" skips bodies, is ignored:
 * it is wrong in every file that was edited. */

static void visit_mbox(struct archive *a, int fd, const char *name)
{
    struct reader *r = &a->reader;
    struct archive_message m = {.file = span_cstr(name)};
    struct stat st;
    *r = (struct reader){.fd = fd, .is_empty = true};
    a->total = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) ? (uint64_t)st.st_size : 0;
    do
        next_line(r);
    while (r->is_empty);
    m.has_offset = r->is_from;
    m.is_lone = !r->is_end && !r->is_from;
    r->is_empty = r->number > 1; /* an empty line ends the header of a lone message */
    if (m.is_lone && !a->visitor->takes_messages) {
        report_error("%s: not an mbox (expected a line that begins with \"From \")", name);
        a->status = EX_DATAERR;
        return;
    }
    while (!r->is_end && !a->is_stopped) {
        m.offset = a->done = r->offset;
        m.line = r->number;
        strbuf_reset(&a->from);
        strbuf_add_span(&a->from, span_sub(r->line, 0, m.is_lone ? 0 : FROM_BYTES));
        m.mbox_line = strbuf_span(&a->from);
        /* ">From ": the "From " line of an older mailbox. */
        for (bool skips = !m.is_lone; skips || begins_with(r, ">From ") || r->is_part;
             skips = false) {
            m.line += !r->is_part;
            next_line(r);
        }
        read_header(a, m.is_lone);
        m.is_cut = r->is_end && !m.is_lone;
        if (!r->has_failed)
            visit(a, &m);
        while (!r->is_end && !a->is_stopped && (m.is_lone || !r->is_from))
            next_line(r);
    }
    if (r->has_failed) {
        report_error("%s: %s", name, strerror(errno));
        a->status = EX_OSERR;
    }
}

/* ---- Maildir ----
 *
 * A message is in cur or in new, as UNIQUE or UNIQUE:INFO.  A mail program moves it from new to cur
 * and renames it when a flag changes; UNIQUE stays (https://cr.yp.to/proto/maildir.html).  Two
 * files of one UNIQUE are one message.  Messages that are gone when their turn comes are looked up
 * by UNIQUE in a second list of names, at the end. */

/* Paths of files or folders, sorted by the unique parts of their names. */
struct paths {
    const char **items; /* of the arena `names` */
    size_t count, capacity;
};

static int compare_unique(const void *a, const void *b)
{
    const char *const *left = a, *const *right = b;
    const char *one = strrchr(*left, '/') + 1, *other = strrchr(*right, '/') + 1;
    size_t n = strcspn(one, ":"), m = strcspn(other, ":");
    int result = memcmp(one, other, n < m ? n : m);
    return result != 0 ? result : (n > m) - (n < m);
}

#define LINK_FAULT "a symbolic link is not followed"

/* Opens without waiting, and no link. */
#define OPEN_SAFELY (O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)

/* Adds the entries of a folder whose names begin with a dot, or all other entries. Returns false if
 * the folder does not exist. */
static bool list_folder(struct archive *a, struct paths *paths, const char *path,
                        const char *folder, bool dotted)
{
    struct strbuf whole = STRBUF_INIT, item = STRBUF_INIT;
    strbuf_addf(&whole, "%s%s", path, folder);
    int fd = open(strbuf_str(&whole), OPEN_SAFELY | O_DIRECTORY);
    DIR *directory = fd < 0 ? NULL : fdopendir(fd);
    const struct dirent *entry;
    while (directory != NULL && (errno = 0, entry = readdir(directory)) != NULL) {
        const char *name = entry->d_name;
        if ((name[0] == '.') != dotted || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
            continue;
        strbuf_addf(&item, "%s/%s", strbuf_str(&whole), name);
        paths->items = array_grow(paths->items, paths->count, &paths->capacity, sizeof name);
        paths->items[paths->count++] = strbuf_keep(&item, &a->names);
    }
    int error = errno;
    if (error != 0 && error != ENOENT) {
        struct stat st;
        bool is_link = lstat(strbuf_str(&whole), &st) == 0 && S_ISLNK(st.st_mode);
        report_error("%s: %s", strbuf_str(&whole), is_link ? LINK_FAULT : strerror(error));
        a->status = EX_OSERR;
    }
    if (directory != NULL)
        closedir(directory);
    if (paths->count > 0)
        qsort(paths->items, paths->count, sizeof *paths->items, compare_unique);
    strbuf_free(&whole);
    return error != ENOENT;
}

/* Visits the message in a file. Returns false if the file is gone. */
static bool visit_file(struct archive *a, const char *path)
{
    struct archive_message m = {.file = span_cstr(path), .line = 1};
    struct stat st;
    a->done++;
    if (lstat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISLNK(st.st_mode))
        return true; /* a folder; or a FIFO or device, whose opening may have effects */
    int fd = open(path, OPEN_SAFELY);
    if (fd < 0 && errno == ENOENT)
        return false;
    a->reader = (struct reader){.fd = fd, .has_failed = fd < 0};
    if (fd >= 0) {
        next_line(&a->reader);
        read_header(a, true);
    }
    if (!a->reader.has_failed)
        visit(a, &m);
    else if (a->unreadable++ == 0)
        report_error("%s: %s", path, errno == ELOOP ? LINK_FAULT : strerror(errno));
    if (fd >= 0)
        close(fd);
    return true;
}

/* Visits the messages of the list; if `wanted` is not NULL, the messages that are in both. Leaves
 * in the list the messages that are gone. */
static void visit_list(struct archive *a, struct paths *list, const struct paths *wanted)
{
    size_t gone = 0, end;
    for (size_t i = 0; i < list->count && !a->is_stopped; i = end) {
        const char *path = list->items[i];
        bool is_done = wanted != NULL && bsearch(&path, wanted->items, wanted->count, sizeof path,
                                                 compare_unique) == NULL;
        for (end = i; end < list->count && compare_unique(&path, &list->items[end]) == 0; end++)
            is_done = is_done || visit_file(a, list->items[end]);
        if (!is_done)
            list->items[gone++] = path;
    }
    list->count = gone;
}

/* Visits new and cur of a folder. Returns false if it has neither. */
static bool visit_messages(struct archive *a, const char *path)
{
    struct paths list = {.count = 0}, again = {.count = 0};
    /* Mail moves from new to cur: listed in this order, it is not missed. */
    bool has_new = list_folder(a, &list, path, "/new", false);
    bool is_found = list_folder(a, &list, path, "/cur", false) || has_new;
    a->unreadable = a->done = 0;
    a->total = list.count;
    visit_list(a, &list, NULL);
    if (list.count > 0) {
        (void)list_folder(a, &again, path, "/new", false);
        (void)list_folder(a, &again, path, "/cur", false);
        visit_list(a, &again, &list);
    }
    if (a->unreadable > 0)
        a->status = EX_OSERR;
    if (a->unreadable > 1)
        report_error("%s: %" PRIu64 " files could not be read", path, a->unreadable);
    free(list.items);
    free(again.items);
    return is_found;
}

/* Visits a Maildir, then its folders by name (Maildir++: ".NAME"). */
static void visit_maildir(struct archive *a, const char *path)
{
    struct paths folders = {.count = 0};
    struct stat st;
    if (!visit_messages(a, path)) {
        report_error("%s: not a Maildir (expected cur and new in it)", path);
        a->status = EX_DATAERR;
        return;
    }
    (void)list_folder(a, &folders, path, "", true);
    for (size_t i = 0; i < folders.count && !a->is_stopped; i++)
        if (lstat(folders.items[i], &st) == 0 && S_ISDIR(st.st_mode))
            (void)visit_messages(a, folders.items[i]);
    free(folders.items);
}

/* ---- the archives ---- */

int archive_visit(char *const *paths, size_t count, const struct archive_visitor *visitor)
{
    struct archive a = {.visitor = visitor, .count = count, .begin = monotonic_now()};
    int result = EX_OK;
    arena_init(&a.names, 0);
    while (a.number < count) {
        const char *path = paths[a.number++], *name;
        struct stat st;
        int fd = open_input(path, &name);
        a.status = fd < 0 ? EX_OSERR : EX_OK;
        a.is_stopped = false;
        if (fd >= 0 && fstat(fd, &st) == 0 && S_ISDIR(st.st_mode))
            visit_maildir(&a, name);
        else if (fd >= 0)
            visit_mbox(&a, fd, name);
        if (fd >= 0)
            close(fd);
        if (a.status == EX_OK && visitor->end != NULL)
            a.status = visitor->end(visitor->context, name);
        arena_reset(&a.names);
        result = result == EX_OK ? a.status : result;
    }
    hide_progress();
    arena_free(&a.names);
    strbuf_free(&a.from);
    strbuf_free(&a.header);
    return result;
}

struct first {
    struct strbuf *header; /* NULL: it is read */
    bool *has_more;
};

static bool take_first(void *context, const struct archive_message *m)
{
    struct first *first = context;
    if (first->header == NULL) {
        *first->has_more = true;
        return false;
    }
    strbuf_add_span(first->header, m->header);
    first->header = NULL;
    return first->has_more != NULL && !m->is_lone; /* only to see whether a second one follows */
}

int archive_first(char *path, struct strbuf *header, bool *has_more)
{
    struct first first = {.header = header, .has_more = has_more};
    const struct archive_visitor visitor = {
        .context = &first, .takes_messages = true, .message = take_first};
    int status = archive_visit(&path, 1, &visitor);
    return first.header == NULL ? EX_OK : status;
}
