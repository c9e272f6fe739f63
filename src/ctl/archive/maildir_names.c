/* Lists of the files in cur and new: see maildir_names.h. */
#include "ctl/archive/maildir_names.h"

#include "ctl/report.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sysexits.h>
#include <time.h>
#include <unistd.h>

/* A folder that changed later than this may change while it is read. Times of files are coarse: 4
 * milliseconds are usual, 2 seconds are the coarsest (FAT). */
#define QUIET_SECONDS 2

/* How often a folder that changes is read for one list. */
#define MOST_READINGS 3

/* Mail moves from new to cur: read in this order, it is not missed on its way. */
static const char *const folder_names[MAILDIR_FOLDERS] = {"new", "cur"};

void maildir_names_init(struct maildir_names *n, const char *path,
                        const struct archive_visitor *visitor)
{
    memset(n, 0, sizeof *n);
    n->path = path;
    n->visitor = visitor;
    for (size_t i = 0; i < MAILDIR_FOLDERS; i++)
        n->folders[i] = -1;
    strbuf_init(&n->text);
}

void maildir_names_free(struct maildir_names *n)
{
    for (size_t i = 0; i < MAILDIR_FOLDERS; i++)
        if (n->folders[i] >= 0)
            close(n->folders[i]);
    free(n->order);
    strbuf_free(&n->text);
}

static int system_error(const struct maildir_names *n, size_t folder)
{
    report_error("%s/%s: %s", n->path, folder_names[folder], strerror(errno));
    return EX_OSERR;
}

int maildir_names_open(struct maildir_names *n, int fd)
{
    size_t open_count = 0;

    for (size_t i = 0; i < MAILDIR_FOLDERS; i++) {
        n->folders[i] = openat(fd, folder_names[i], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (n->folders[i] < 0 && errno != ENOENT && errno != ENOTDIR)
            return system_error(n, i);
        open_count += n->folders[i] >= 0;
    }
    if (open_count > 0)
        return EX_OK;
    report_error("%s: not a Maildir (expected cur and new in it)", n->path);
    return EX_DATAERR;
}

/* ---- reading the folders -------------------------------------------------------------------- */

/* readdir tells an error from the end by errno only. */
static int add_names_of(struct maildir_names *n, DIR *directory, size_t folder, size_t at)
{
    const struct dirent *entry;
    size_t total = n->count; /* of the list before */

    for (;;) {
        errno = 0;
        entry = readdir(directory);
        if (entry == NULL)
            return errno == 0 ? EX_OK : system_error(n, folder);
        if (entry->d_name[0] == '.')
            continue;
        strbuf_add_char(&n->text, (char)folder);
        strbuf_add(&n->text, entry->d_name, strlen(entry->d_name) + 1);
        if (!n->visitor->go_on(n->visitor->context, at, total))
            return ARCHIVE_STOPPED;
    }
}

static int add_names(struct maildir_names *n, size_t folder, size_t at)
{
    int fd;
    DIR *directory;
    int status;

    if (n->folders[folder] < 0)
        return EX_OK;
    fd = dup(n->folders[folder]);
    directory = fd < 0 ? NULL : fdopendir(fd);
    if (directory == NULL) {
        status = system_error(n, folder);
        if (fd >= 0)
            close(fd);
        return status;
    }
    rewinddir(directory); /* the copies of a descriptor share their place */
    status = add_names_of(n, directory, folder, at);
    closedir(directory);
    return status;
}

/* Had the folders been left alone for a while before `begun`, and until now? */
static bool are_quiet(const struct maildir_names *n, const struct timespec *begun)
{
    for (size_t i = 0; i < MAILDIR_FOLDERS; i++) {
        struct stat st;

        if (n->folders[i] < 0)
            continue;
        if (fstat(n->folders[i], &st) != 0 || begun->tv_sec - st.st_mtim.tv_sec <= QUIET_SECONDS)
            return false;
    }
    return true;
}

/* A file that is renamed while its folder is read may be left out by readdir: of what others change
 * just now, the names of some readings are put together. What is left out then was renamed during
 * each of them. (With 24,000 renames a second among 10,000 files on ext4, one reading left out up
 * to 3 messages, three readings none.) */
static int read_folders(struct maildir_names *n, size_t at)
{
    int status = EX_OK;

    strbuf_reset(&n->text);
    for (int reading = 0; reading < MOST_READINGS; reading++) {
        struct timespec begun;
        bool has_clock = clock_gettime(CLOCK_REALTIME, &begun) == 0;

        for (size_t i = 0; i < MAILDIR_FOLDERS && status == EX_OK; i++)
            status = add_names(n, i, at);
        if (status != EX_OK || (has_clock && are_quiet(n, &begun)))
            break;
    }
    return status;
}

/* ---- the order ------------------------------------------------------------------------------ */

static int rank(char c)
{
    return c == '\0' ? 0 : c == ':' ? 1 : 2 + (unsigned char)c;
}

/* The order of octets, but ":" comes before all others, so that equal unique parts stand together,
 * and in octet order. */
static int compare_text(const char *a, const char *b)
{
    while (*a == *b && *a != '\0') {
        a++;
        b++;
    }
    return rank(*a) - rank(*b);
}

/* By name, then by folder. */
static int compare_places(const void *a, const void *b)
{
    const char *const *left = a;
    const char *const *right = b;
    int result = compare_text(*left + 1, *right + 1);

    return result != 0 ? result : **left - **right;
}

static void drop_repeated(struct maildir_names *n)
{
    size_t kept = 0;

    for (size_t i = 0; i < n->count; i++)
        if (kept == 0 || compare_places(&n->order[kept - 1], &n->order[i]) != 0)
            n->order[kept++] = n->order[i];
    n->count = kept;
}

/* n->order and n->count become those of n->text. */
static int set_order(struct maildir_names *n)
{
    struct span rest = strbuf_span(&n->text);
    size_t count = 0;

    for (size_t i = 0; i < rest.n; i += 1 + strlen(rest.p + i + 1) + 1)
        count++;
    n->order = calloc(count + 1, sizeof *n->order);
    if (n->order == NULL)
        return report_no_memory();
    for (size_t i = 0; i < rest.n; i += 1 + strlen(rest.p + i + 1) + 1)
        n->order[n->count++] = rest.p + i;
    qsort(n->order, n->count, sizeof *n->order, compare_places);
    drop_repeated(n);
    return EX_OK;
}

int maildir_names_list(struct maildir_names *n, size_t at)
{
    int status = read_folders(n, at);

    if (status == EX_OK && strbuf_failed(&n->text))
        status = report_no_memory();
    free(n->order);
    n->order = NULL;
    n->count = 0;
    return status == EX_OK ? set_order(n) : status;
}

size_t maildir_names_find(const struct maildir_names *n, const char *unique)
{
    size_t low = 0;
    size_t high = n->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (compare_text(maildir_names_name(n->order[middle]), unique) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* ---- a place -------------------------------------------------------------------------------- */

int maildir_names_folder(const struct maildir_names *n, const char *place)
{
    return n->folders[(int)place[0]];
}

const char *maildir_names_folder_name(const char *place)
{
    return folder_names[(int)place[0]];
}

const char *maildir_names_name(const char *place)
{
    return place + 1;
}

struct span maildir_names_unique(const char *place)
{
    struct span name = span_cstr(maildir_names_name(place));

    return span_sub(name, 0, span_find(name, ':'));
}
