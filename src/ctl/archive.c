/* archive - see archive.h */
#include "ctl/archive.h"

#include "ctl/output.h"
#include "text/arena.h"
#include "text/memory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sysexits.h>
#include <unistd.h>

struct archive {
    const struct archive_visitor *visitor;
    struct strbuf header; /* of one message */
    bool is_stopped;      /* by the visitor */
};

static void visit(struct archive *a, struct archive_message *m)
{
    m->header = span_sub(strbuf_span(&a->header), 0, ARCHIVE_HEADER_OCTETS);
    if (a->visitor->progress != NULL)
        a->visitor->progress->messages++;
    a->is_stopped = !a->visitor->message(a->visitor->context, m);
}

/* ---- lines ---- */

#define BLOCK_OCTETS ((size_t)256 * 1024)

struct reader {
    int fd;
    char *block;
    size_t begin, end; /* what was read and not returned */
    uint64_t offset;   /* of the next line */
    bool has_failed;   /* errno says why */
};

/* Reads more, behind what is left. Returns false at the end. */
static bool fill(struct reader *r)
{
    memmove(r->block, r->block + r->begin, r->end - r->begin);
    r->end -= r->begin;
    r->begin = 0;
    ssize_t n = read(r->fd, r->block + r->end, BLOCK_OCTETS - r->end);
    r->has_failed = n < 0;
    r->end += n > 0 ? (size_t)n : 0;
    return n > 0;
}

/* Returns the next line with its end, or a part of a line that does not fit into a block; an empty
 * span at the end. */
static inline struct span next_line(struct reader *r)
{
    size_t searched = 0;
    for (;;) {
        const char *start = r->block + r->begin;
        const char *end = memchr(start + searched, '\n', r->end - r->begin - searched);
        size_t n = end != NULL ? (size_t)(end - start) + 1 : r->end - r->begin;
        searched = n;
        if (end != NULL || n == BLOCK_OCTETS || !fill(r)) {
            struct span line = span_of(r->block + r->begin, n);
            r->begin += n;
            r->offset += n;
            return line;
        }
    }
}

static inline bool is_empty_line(struct span line)
{
    return line.p[0] == '\n' || (line.n == 2 && line.p[0] == '\r' && line.p[1] == '\n');
}

static inline bool begins_with(struct span line, const char *text, size_t n)
{
    return line.n >= n && memcmp(line.p, text, n) == 0;
}

/* ---- mbox ----
 *
 * RFC 4155; "mboxo" and "mboxrd": a line that begins with "From " begins a message if it is the
 * first one or an empty line stands before it.  Content-Length, by which "mboxcl" skips bodies, is
 * ignored: it is wrong in every file that was edited. */

enum place { BEFORE_FIRST, IN_HEADER, IN_BODY };

struct mbox {
    struct archive *archive;
    const char *name;
    enum place place;
    uint64_t lines;  /* before this one */
    bool skips_line; /* the rest of a "From " line */
    struct archive_message message;
    int status;
};

static void end_header(struct mbox *m, bool at_end)
{
    m->place = IN_BODY;
    m->message.is_cut = at_end && !m->message.is_lone;
    visit(m->archive, &m->message);
}

static void begin_message(struct mbox *m, uint64_t offset, bool is_lone)
{
    strbuf_reset(&m->archive->header);
    m->message = (struct archive_message){.file = span_cstr(m->name),
                                          .has_offset = !is_lone,
                                          .offset = offset,
                                          .line = m->lines + 1 + !is_lone,
                                          .is_lone = is_lone};
    m->place = IN_HEADER;
}

/* Handles a line before the first message, which is not empty. Returns true if it is of a header.
 */
static bool begin_file(struct mbox *m, struct span line)
{
    if (!m->archive->visitor->takes_messages) {
        report_error("%s: not an mbox (expected a line that begins with \"From \"%s)", m->name,
                     begins_with(line, "\x1f\x8b", 2) ? ": zcat FILE | mlmilterctl map -" : "");
        m->status = EX_DATAERR;
        return false;
    }
    begin_message(m, 0, true);
    if (m->lines == 0)
        return true;
    end_header(m, false); /* an empty line before it all ends a header without fields */
    return false;
}

/* Handles one line of the file, or a further part of a long one. */
static inline void take_line(struct mbox *m, struct span line, uint64_t offset, bool is_start,
                             bool after_empty)
{
    struct strbuf *header = &m->archive->header;
    if (is_start && after_empty && !m->message.is_lone && begins_with(line, "From ", 5)) {
        begin_message(m, offset, false);
        m->skips_line = true;
        return;
    }
    m->skips_line = m->skips_line && !is_start;
    if (m->place == IN_BODY || m->skips_line ||
        (m->place == BEFORE_FIRST && (is_empty_line(line) || !begin_file(m, line))))
        return;
    if (is_start && is_empty_line(line)) {
        end_header(m, false);
    } else if (is_start && header->len == 0 && begins_with(line, ">From ", 6)) {
        m->message.line++; /* a quoted "From " line of an older mailbox above the fields */
        m->skips_line = true;
    } else {
        strbuf_add_span(header, span_sub(line, 0, ARCHIVE_HEADER_OCTETS - header->len));
        if (m->message.is_lone && header->len == ARCHIVE_HEADER_OCTETS)
            end_header(m, false);
    }
}

static int visit_mbox(struct archive *a, int fd, const char *name)
{
    struct mbox m = {.archive = a, .name = name};
    struct reader r = {.fd = fd, .block = memory_new(1, BLOCK_OCTETS)};
    struct progress *progress = a->visitor->progress;
    struct stat st;
    uint64_t size = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) ? (uint64_t)st.st_size : 0;
    bool is_start = true, after_empty = true;
    uint64_t offset = 0, shown = 0;
    struct span line;
    while (m.status == EX_OK && !a->is_stopped && (line = next_line(&r)).n > 0) {
        take_line(&m, line, offset, is_start, after_empty);
        after_empty = is_start && is_empty_line(line);
        is_start = line.p[line.n - 1] == '\n';
        m.lines += is_start;
        offset = r.offset;
        if (offset - shown >= BLOCK_OCTETS) {
            shown = offset;
            progress_update(progress, offset, size);
        }
    }
    if (r.has_failed) {
        report_error("%s: %s", name, strerror(errno));
        m.status = EX_OSERR;
    } else if (m.status == EX_OK && !a->is_stopped && m.place == IN_HEADER) {
        end_header(&m, true);
    }
    free(r.block);
    return m.status;
}

/* ---- Maildir ----
 *
 * A message is in cur or in new, as UNIQUE or UNIQUE:INFO.  A mail program moves it from new to cur
 * and renames it when a flag changes; UNIQUE stays (https://cr.yp.to/proto/maildir.html).  A
 * message that is gone when its turn comes is looked up by UNIQUE in a new list of names, which is
 * made at most once for a thousand names, and at the end. */

#define NAMES_PER_LOOK 1000

struct entry {
    struct span unique;
    const char *name; /* with its folder: "cur/UNIQUE:INFO" */
};

struct entries {
    struct arena arena;
    struct entry *items;
    size_t count, capacity;
};

struct maildir {
    struct archive *archive;
    const char *path;
    int fd;
    struct entries list;
    struct entries gone; /* their unique parts */
    uint64_t tried, next_look, unreadable;
};

static void free_entries(struct entries *e)
{
    free(e->items);
    arena_free(&e->arena);
    *e = (struct entries){.items = NULL};
}

static void add_entry(struct entries *e, struct span unique, const char *name)
{
    e->items = array_grow(e->items, e->count, &e->capacity, sizeof *e->items);
    e->items[e->count++] = (struct entry){unique, name};
}

static int compare_spans(struct span a, struct span b)
{
    int result = memcmp(a.p, b.p, a.n < b.n ? a.n : b.n);
    return result != 0 ? result : (a.n > b.n) - (a.n < b.n);
}

static int compare_entries(const void *a, const void *b)
{
    const struct entry *left = a, *right = b;
    int result = compare_spans(left->unique, right->unique);
    return result != 0 ? result : strcmp(left->name + 4, right->name + 4);
}

/* Opens a folder in another one. Returns NULL with errno. */
static DIR *open_folder(int fd, const char *name)
{
    int folder = openat(fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *directory = folder < 0 ? NULL : fdopendir(folder);
    int error = errno;
    if (directory == NULL && folder >= 0)
        close(folder);
    errno = error;
    return directory;
}

/* Adds the names of new or cur, if it is there. Returns EX_OK, or EX_OSERR after a message. */
static int list_folder(const struct maildir *m, const char *folder, struct entries *e)
{
    DIR *directory = open_folder(m->fd, folder);
    const struct dirent *entry;
    if (directory == NULL && errno == ENOENT)
        return EX_OK;
    while (directory != NULL && (errno = 0, entry = readdir(directory)) != NULL) {
        struct strbuf name = STRBUF_INIT;
        if (entry->d_name[0] == '.')
            continue;
        strbuf_addf(&name, "%s/%s", folder, entry->d_name);
        const char *kept = strbuf_keep(&name, &e->arena);
        struct span file = span_cstr(kept + 4);
        add_entry(e, span_sub(file, 0, span_find(file, ':')), kept);
    }
    int error = errno;
    if (directory != NULL)
        closedir(directory);
    if (error != 0)
        report_error("%s/%s: %s", m->path, folder, strerror(error));
    return error != 0 ? EX_OSERR : EX_OK;
}

/* Lists all messages anew, by their unique parts. Mail moves from new to cur: listed in this order,
 * it is not missed on its way. */
static int list_entries(struct maildir *m)
{
    struct entries list = {.items = NULL};
    arena_init(&list.arena, 0);
    int status = list_folder(m, "new", &list);
    if (status == EX_OK)
        status = list_folder(m, "cur", &list);
    if (list.count > 0)
        qsort(list.items, list.count, sizeof *list.items, compare_entries);
    free_entries(&m->list);
    m->list = list;
    return status;
}

/* Returns the place of the first entry with that unique part, or of the next one. */
static size_t find_entry(const struct entries *e, struct span unique)
{
    size_t low = 0, high = e->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare_spans(e->items[middle].unique, unique) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* True if the text from `from` on has an empty line. */
static bool has_empty_line(struct span text, size_t from)
{
    for (size_t i = from; (i += span_find(span_sub(text, i, text.n), '\n')) < text.n; i++) {
        size_t end = i > 0 && text.p[i - 1] == '\r' ? i - 1 : i;
        if (end == 0 || text.p[end - 1] == '\n')
            return true;
    }
    return false;
}

/* Reads until the header has ended. Returns 0, or -1 with errno. */
static int read_header(int fd, struct strbuf *text)
{
    char block[16384];
    for (;;) {
        size_t before = text->len;
        ssize_t n = read(fd, block, sizeof block);
        if (n <= 0)
            return (int)n;
        strbuf_add(text, block, (size_t)n);
        if (text->len >= ARCHIVE_HEADER_OCTETS || has_empty_line(strbuf_span(text), before))
            return 0;
    }
}

/* Reads the header of a regular file. Looks before it opens: the open of a device may do something.
 * Returns 1; 0 if it is a folder or the like; or -1 with errno. */
static int read_message(int folder, const char *name, struct strbuf *header)
{
    struct stat st;
    strbuf_reset(header);
    if (fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
        return -1;
    if (!S_ISREG(st.st_mode) && !S_ISLNK(st.st_mode))
        return 0;
    int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    int result = fd < 0 ? -1 : read_header(fd, header);
    int error = errno;
    if (fd >= 0)
        close(fd);
    errno = error;
    return result == 0 ? 1 : -1;
}

/* Visits a message. Returns false if it is gone. */
static bool visit_entry(struct maildir *m, const char *name)
{
    struct strbuf path = STRBUF_INIT;
    int result = read_message(m->fd, name, &m->archive->header);
    int error = errno;
    progress_update(m->archive->visitor->progress, ++m->tried, m->list.count);
    if (result < 0 && error == ENOENT)
        return false;
    strbuf_addf(&path, "%s/%s", m->path, name);
    struct archive_message message = {.line = 1, .file = strbuf_span(&path)};
    if (result > 0)
        visit(m->archive, &message);
    else if (result < 0 && m->unreadable++ == 0)
        report_error("%s: %s", strbuf_str(&path),
                     error == ELOOP ? "a symbolic link is not followed" : strerror(error));
    strbuf_free(&path);
    return true;
}

/* Handles a message that is gone. Returns the place to go on. */
static size_t look_again(struct maildir *m, size_t at, int *status)
{
    struct span unique = arena_dup(&m->gone.arena, m->list.items[at].unique);
    if (m->tried < m->next_look) {
        add_entry(&m->gone, unique, NULL);
        return at + 1;
    }
    m->next_look = m->tried + NAMES_PER_LOOK;
    *status = list_entries(m);
    return find_entry(&m->list, unique);
}

/* Visits those of the gone that have another name by now. */
static int visit_gone(struct maildir *m)
{
    int status = m->gone.count > 0 ? list_entries(m) : EX_OK;
    for (size_t i = 0; i < m->gone.count && status == EX_OK && !m->archive->is_stopped; i++) {
        size_t at = find_entry(&m->list, m->gone.items[i].unique);
        if (at < m->list.count && span_eq(m->list.items[at].unique, m->gone.items[i].unique))
            (void)visit_entry(m, m->list.items[at].name);
    }
    return status;
}

/* Visits new and cur of a folder. Two files with one unique part are one message. */
static int visit_messages(struct archive *a, int fd, const char *path)
{
    struct maildir m = {.archive = a, .path = path, .fd = fd};
    arena_init(&m.gone.arena, 0);
    arena_init(&m.list.arena, 0);
    int status = list_entries(&m);
    for (size_t at = 0; at < m.list.count && status == EX_OK && !a->is_stopped;) {
        const struct entry *entry = &m.list.items[at];
        bool is_last = at + 1 == m.list.count || !span_eq(entry[1].unique, entry->unique);
        if (visit_entry(&m, entry->name))
            while (++at < m.list.count && span_eq(m.list.items[at].unique, entry->unique))
                ;
        else
            at = is_last ? look_again(&m, at, &status) : at + 1;
    }
    if (status == EX_OK)
        status = visit_gone(&m);
    if (m.unreadable > 1)
        report_error("%s: %llu files could not be read", path, (unsigned long long)m.unreadable);
    free_entries(&m.list);
    free_entries(&m.gone);
    return status == EX_OK && m.unreadable > 0 ? EX_OSERR : status;
}

static bool has_entry(int fd, const char *name)
{
    struct stat st;
    return fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0;
}

/* Visits a folder if it is one of a Maildir. */
static int visit_folder(struct archive *a, int fd, const char *path, const char *name)
{
    int folder = openat(fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    int status = EX_OK;
    if (folder < 0 && (errno == ENOTDIR || errno == ELOOP)) /* a file, or a link */
        return EX_OK;
    if (folder < 0) {
        report_error("%s/%s: %s", path, name, strerror(errno));
        return EX_OSERR;
    }
    if (has_entry(folder, "cur")) {
        struct strbuf whole = STRBUF_INIT;
        strbuf_addf(&whole, "%s/%s", path, name);
        status = visit_messages(a, folder, strbuf_str(&whole));
        strbuf_free(&whole);
    }
    close(folder);
    return status;
}

/* Visits the folders of a Maildir (Maildir++: ".NAME" with cur in it), by name. */
static int visit_folders(struct archive *a, int fd, const char *path)
{
    struct entries folders = {.items = NULL};
    DIR *directory = open_folder(fd, ".");
    const struct dirent *entry;
    int result = EX_OK;
    arena_init(&folders.arena, 0);
    while (directory != NULL && (errno = 0, entry = readdir(directory)) != NULL)
        if (entry->d_name[0] == '.' && strcmp(entry->d_name, ".") != 0 &&
            strcmp(entry->d_name, "..") != 0) {
            const char *name = arena_strdup(&folders.arena, span_cstr(entry->d_name));
            add_entry(&folders, span_cstr(name), name);
        }
    if (errno != 0) {
        report_error("%s: %s", path, strerror(errno));
        result = EX_OSERR;
    }
    if (directory != NULL)
        closedir(directory);
    if (folders.count > 0)
        qsort(folders.items, folders.count, sizeof *folders.items, compare_entries);
    for (size_t i = 0; i < folders.count && !a->is_stopped; i++) {
        int status = visit_folder(a, fd, path, folders.items[i].name);
        result = result == EX_OK ? status : result;
    }
    free_entries(&folders);
    return result;
}

static int visit_maildir(struct archive *a, int fd, const char *path)
{
    if (!has_entry(fd, "cur") && !has_entry(fd, "new")) {
        report_error("%s: not a Maildir (expected cur and new in it)", path);
        return EX_DATAERR;
    }
    int status = visit_messages(a, fd, path);
    int folders = visit_folders(a, fd, path);
    return status == EX_OK ? folders : status;
}

/* ---- both ---- */

static int visit_archive(struct archive *a, const char *path, bool is_mbox)
{
    const char *name;
    struct stat st;
    int fd = open_input(path, &name);
    if (fd < 0)
        return EX_OSERR;
    bool is_folder = !is_mbox && fstat(fd, &st) == 0 && S_ISDIR(st.st_mode);
    int status = is_folder ? visit_maildir(a, fd, name) : visit_mbox(a, fd, name);
    close(fd);
    return status;
}

int archive_visit(char **paths, size_t count, const struct archive_visitor *visitor)
{
    struct archive a = {.visitor = visitor};
    int result = EX_OK;
    for (size_t i = 0; i < count && !a.is_stopped; i++) {
        progress_next_archive(visitor->progress);
        int status = visit_archive(&a, paths[i], false);
        if (status == EX_OK && visitor->end != NULL && !a.is_stopped)
            status = visitor->end(visitor->context, paths[i]);
        result = result == EX_OK ? status : result;
    }
    strbuf_free(&a.header);
    return result;
}

struct first {
    struct strbuf *header;
    bool *has_more;
    size_t count;
};

static bool take_first(void *context, const struct archive_message *m)
{
    struct first *first = context;
    if (first->count++ == 0)
        strbuf_add_span(first->header, m->header);
    else
        *first->has_more = true;
    return first->count == 1 && !m->is_lone && first->has_more != NULL;
}

int archive_first(const char *path, struct strbuf *header, bool *has_more)
{
    struct first first = {.header = header, .has_more = has_more};
    const struct archive_visitor visitor = {
        .context = &first, .takes_messages = true, .message = take_first};
    struct archive a = {.visitor = &visitor};
    int status = visit_archive(&a, path, true);
    strbuf_free(&a.header);
    return status;
}
