/* old_month - see old_month.h */
#include "ctl/old_month.h"

#include "ctl/archive.h"
#include "ctl/tool.h"
#include "mail/message.h"
#include "spec/message_id.h"
#include "text/memory.h"
#include "text/strmap.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sysexits.h>
#include <unistd.h>
#ifdef HAVE_ZLIB
#include <zlib.h>
#endif

/* ---- the text: as it is, packed by gzip, or packed twice ---- */

#define TEXT_MOST (256 * 1024 * 1024) /* bytes, unpacked */

#ifdef HAVE_ZLIB
/* Unpacks a file into a temporary one, which replaces it. Returns NULL, or the fault; errno is 0 if
 * it is the file's. */
static const char *unpack(int *fd)
{
    static char block[64 * 1024];
    int copy = dup(*fd), n = -1;
    gzFile packed = copy >= 0 ? gzdopen(copy, "rb") : NULL;
    FILE *out = tmpfile();
    const char *fault = NULL;
    while (packed != NULL && out != NULL && (n = gzread(packed, block, sizeof block)) > 0)
        if (fwrite(block, 1, (size_t)n, out) != (size_t)n || ftell(out) > TEXT_MOST)
            break;
    int code = Z_OK;
    if (packed != NULL)
        (void)gzerror(packed, &code);
    bool has_failed =
        packed == NULL || out == NULL || code == Z_ERRNO || ferror(out) || fflush(out) != 0;
    int error = has_failed ? errno : 0;
    if (error != 0)
        fault = strerror(error);
    else if (n > 0)
        fault = "is larger than 256 MiB";
    if (packed != NULL && (gzclose_r(packed) != Z_OK || n < 0) && fault == NULL)
        fault = "is packed, and damaged or cut off";
    close(*fd);
    *fd = fault == NULL ? dup(fileno(out)) : -1;
    if (out != NULL)
        fclose(out);
    errno = error;
    return fault;
}
#else
static const char *unpack(int *fd)
{
    (void)fd;
    errno = 0;
    return "is packed by gzip, and zlib is not built in";
}
#endif

/* Opens NAME.txt or NAME.txt.gz, a regular file in the folder, and sets *fd, -1 if there is none.
 * Appends its name. Returns NULL, or the fault; errno is 0 if it is the file's. */
static const char *open_text(int folder, const char *name, int *fd, struct strbuf *path)
{
    const char *fault = NULL;
    struct strbuf file = STRBUF_INIT;
    struct stat st = {.st_mode = 0};
    char magic[2];
    strbuf_addf(&file, "%s.txt", name);
    if (fstatat(folder, strbuf_str(&file), &st, AT_SYMLINK_NOFOLLOW) != 0) {
        strbuf_add_str(&file, ".gz");
        (void)fstatat(folder, strbuf_str(&file), &st, AT_SYMLINK_NOFOLLOW);
    }
    strbuf_add_span(path, strbuf_span(&file));
    *fd = S_ISREG(st.st_mode)
              ? openat(folder, strbuf_str(&file), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
              : -1;
    if (S_ISREG(st.st_mode) && *fd < 0)
        fault = strerror(errno);
    else if (st.st_size > TEXT_MOST)
        fault = "is larger than 256 MiB", errno = 0;
    for (int i = 0; i < 2 && fault == NULL && *fd >= 0 && pread(*fd, magic, 2, 0) == 2; i++)
        if (memcmp(magic, "\x1F\x8B", 2) == 0 && (fault = unpack(fd)) == NULL)
            (void)lseek(*fd, 0, SEEK_SET);
    strbuf_free(&file);
    return fault;
}

/* ---- its posts ---- */

struct post {
    struct span id_text, date_text; /* p NULL: none */
    struct span arrival;            /* as old_page.h has it */
    bool is_alone;                  /* no post of another id came from there at that second */
};

struct month {
    struct arena *arena;
    struct post *posts; /* owned */
    size_t count, capacity;
};

/* Takes a message of the text, as archive_visitor.message. */
static bool add_post(void *context, const struct archive_message *m)
{
    struct month *month = context;
    struct strbuf words = STRBUF_INIT;
    struct post post = {.is_alone = true};
    struct span id = message_first(m->header, FIELD_MESSAGE_ID, month->arena);
    struct span date = message_first(m->header, FIELD_DATE, month->arena);
    post.id_text = id.p != NULL ? arena_dup(month->arena, id) : id;
    post.date_text = date.p != NULL ? arena_dup(month->arena, date) : date;
    (void)old_page_add_words(&words, span_sub(m->mbox_line, 5, m->mbox_line.n), SIZE_MAX);
    post.arrival = arena_dup(month->arena, strbuf_span(&words));
    strbuf_free(&words);
    month->posts = array_grow(month->posts, month->count, &month->capacity, sizeof *month->posts);
    month->posts[month->count++] = post;
    return true;
}

/* True if both are there, and have one id. */
static bool ids_are_equal(struct span one, struct span other)
{
    return one.p != NULL && other.p != NULL &&
           span_eq(message_id_bare(one), message_id_bare(other));
}

/* Gives a page the id of a post, unless the archiver made it. */
static void set_page(struct found_page *page, const struct post *post, enum id_source source)
{
    if (post->id_text.p == NULL || message_id_bare(post->id_text).n == 0)
        return;
    bool is_made = old_page_id_is_made(message_id_bare(post->id_text));
    page->old.id = is_made ? PAGE_ID_MADE : PAGE_ID_OWN;
    page->old.id_text = post->id_text;
    page->old.date_text = post->date_text;
    page->source = source;
}

/* Returns the only post that came from the page's address at the page's time, or NULL. */
static const struct post *post_by_date(const struct strmap *by_date, const struct found_page *page)
{
    struct post *post = page->old.arrival.p != NULL ? strmap_get(by_date, page->old.arrival) : NULL;
    return post != NULL && post->is_alone ? post : NULL;
}

/* Returns where the date, the last five words, begins in the words of a From_ line:
 * " ann at a.example Tue Mar 1 10:00:00 2005" gives 17. */
static size_t place_of_date(struct span arrival)
{
    size_t at = arrival.n;
    for (int words = 5; words > 0 && at > 0;)
        words -= arrival.p[--at] == ' ';
    return at;
}

/* True if the page is no page of that post: another id, another post from its address at its time,
 * or neither address nor time of the post. */
static bool page_contradicts(const struct found_page *page, const struct post *post,
                             const struct strmap *by_date)
{
    struct span one = page->old.arrival, other = post->arrival;
    if (page->old.id == PAGE_ID_OWN)
        return !ids_are_equal(page->old.id_text, post->id_text);
    if (one.p == NULL || span_eq(one, other))
        return false;
    size_t date = place_of_date(one), other_date = place_of_date(other);
    bool agrees = span_eq(span_sub(one, 0, date), span_sub(other, 0, other_date)) ||
                  span_eq(span_sub(one, date, one.n), span_sub(other, other_date, other.n));
    return !agrees || strmap_get(by_date, one) != NULL;
}

/* Orders pages: with a number first, by their numbers. */
static int compare_pages(const void *a, const void *b)
{
    const struct found_page *one = a, *other = b;
    if (one->has_number != other->has_number)
        return one->has_number ? -1 : 1;
    return (one->number > other->number) - (one->number < other->number);
}

/* Gives each page without an id that of its post: by rank if the month has as many posts as pages
 * and no page contradicts, else by date and address. */
static void place_posts(struct month *month, struct found_page *pages, size_t count)
{
    struct strmap by_date;
    size_t numbered = 0;
    strmap_init(&by_date, 0);
    for (size_t i = 0; i < month->count; i++) {
        struct post *post = &month->posts[i];
        void *first;
        if (!strmap_put(&by_date, post->arrival, post, &first) &&
            !ids_are_equal(((struct post *)first)->id_text, post->id_text))
            ((struct post *)first)->is_alone = false;
    }
    qsort(pages, count, sizeof *pages, compare_pages);
    while (numbered < count && pages[numbered].has_number)
        numbered++;
    bool is_ranked = numbered == month->count;
    for (size_t i = 0; is_ranked && i < numbered; i++)
        is_ranked = !page_contradicts(&pages[i], &month->posts[i], &by_date) &&
                    (i == 0 || pages[i].number > pages[i - 1].number);
    for (size_t i = 0; i < numbered; i++) {
        const struct post *post = is_ranked ? &month->posts[i] : post_by_date(&by_date, &pages[i]);
        if (post == NULL)
            continue;
        if (pages[i].old.id == PAGE_ID_ABSENT)
            set_page(&pages[i], post, is_ranked ? ID_BY_RANK : ID_BY_DATE);
        else if (pages[i].old.id == PAGE_ID_OWN &&
                 ids_are_equal(pages[i].old.id_text, post->id_text))
            pages[i].old.date_text = post->date_text;
    }
    strmap_free(&by_date);
}

bool old_month_read(int above, const char *where, const char *name, struct found_page *pages,
                    size_t count, struct arena *arena)
{
    struct month month = {.arena = arena};
    const struct archive_visitor visitor = {.context = &month, .message = add_post};
    struct strbuf path = STRBUF_INIT;
    int fd, status = EX_OK;
    strbuf_addf(&path, "%s/", where);
    const char *fault = open_text(above, name, &fd, &path);
    if (fault != NULL) {
        status = errno != 0 ? EX_OSERR : EX_OK;
        report_error("%s: %s", strbuf_str(&path), fault);
    } else if (fd >= 0) {
        status = archive_visit_fd(fd, strbuf_str(&path), &visitor);
        if (status == EX_OK)
            place_posts(&month, pages, count);
    }
    if (fd >= 0)
        close(fd);
    strbuf_free(&path);
    free(month.posts);
    return status != EX_OSERR;
}
