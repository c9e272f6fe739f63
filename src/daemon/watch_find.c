/* The way from the root to each file, folder by folder.  Linux only. */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "daemon/watch_folders.h"

#ifdef HAVE_SYS_INOTIFY_H

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#define LINKS_MAX 40 /* as Linux follows at most */

/* A file that is written in place counts when it is closed, so that a half is not taken for the
 * whole. IN_ATTRIB: it may have become readable. */
#define ITS_FATE   (IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR)
#define WITH_NAMES (ITS_FATE | IN_ATTRIB | IN_CREATE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE)
#define WITH_FILES (WITH_NAMES | IN_CLOSE_WRITE)

struct finding {
    struct watch_folders *folders;
    int inotify;
    struct strbuf *faults;
    bool no_room;   /* has been told */
    size_t below;   /* folders of a delegate's pattern */
    size_t entries; /* names looked at for it */
};

/* What is left of a path. */
struct way {
    const char *folder; /* where it has come to, with a slash behind it, or empty */
    const char *followed;
    const char *below;
    unsigned links;
    bool is_below; /* no link is followed any more */
};

static int walk(struct finding *f, struct way way);

static const char *join(struct finding *f, const char *folder, const char *name, const char *end)
{
    struct strbuf path = STRBUF_INIT;
    const char *kept = NULL;

    strbuf_add_str(&path, folder);
    strbuf_add_str(&path, name);
    strbuf_add_str(&path, end);
    if (!strbuf_failed(&path))
        kept = arena_strdup(&f->folders->arena, strbuf_span(&path));
    strbuf_free(&path);
    return kept;
}

/* ---- one folder ---- */

static bool has_ended(const struct way *way)
{
    return way->followed[strspn(way->followed, "/")] == '\0' &&
           way->below[strspn(way->below, "/")] == '\0';
}

static int remember(struct watch_folders *folders, struct watch_name name)
{
    if (folders->count == folders->capacity) {
        size_t capacity = folders->capacity == 0 ? 32 : folders->capacity * 2;
        struct watch_name *names = realloc(folders->names, capacity * sizeof *names);

        if (names == NULL)
            return -1;
        folders->names = names;
        folders->capacity = capacity;
    }
    folders->names[folders->count++] = name;
    return 0;
}

/* A folder on the way that cannot be looked into still tells when it goes itself: its own parent is
 * watched. */
static void complain(struct finding *f, const char *folder, bool has_files, int error)
{
    if (error == ENOSPC) {
        if (!f->no_room)
            strbuf_addf(f->faults,
                        "%s: there are no more watches for this user (see the sysctl "
                        "fs.inotify.max_user_watches): changes there need a SIGHUP\n",
                        folder);
        f->no_room = true;
    } else if (has_files && error != ENOENT && error != ENOTDIR) {
        strbuf_addf(f->faults, "%s: %s: changes there need a SIGHUP\n", folder, strerror(error));
    }
}

/* Watches for more than may be needed: what goes by before the next folder is watched would be
 * lost. *row: where it is told; 0 or -1. */
static int watch_one(struct finding *f, const struct way *way, struct span component, size_t *row)
{
    const char *folder = way->folder[0] != '\0' ? way->folder : ".";
    struct watch_name name = {.path = folder, .is_file = has_ended(way)};

    *row = SIZE_MAX;
    name.folder = inotify_add_watch(f->inotify, folder, WITH_FILES);
    if (name.folder < 0) {
        complain(f, folder, name.is_file || watched_is_wild(component), errno);
        return 0;
    }
    *row = f->folders->count;
    name.component = arena_strdup(&f->folders->arena, component);
    return name.component == NULL ? -1 : remember(f->folders, name);
}

/* ---- names: 1, it is there; 0, it is not; -1, memory is out ---- */

/* A link is as if what it holds stood in its place. */
static int follow(struct finding *f, struct way way, const char *link)
{
    char target[PATH_MAX];
    ssize_t n = readlink(link, target, sizeof target);
    const char *escaped;

    if (n < 0 || (size_t)n == sizeof target || ++way.links > LINKS_MAX)
        return 0;
    escaped = watched_escape(&f->folders->arena, span_of(target, (size_t)n), span_of("/", 1));
    if (escaped == NULL)
        return -1;
    way.followed = join(f, escaped, way.followed, "");
    if (target[0] == '/')
        way.folder = "/";
    return way.followed == NULL ? -1 : walk(f, way);
}

/* The name in way.folder; the rest of the way is behind it. *is_firm: it is a folder that cannot
 * go unnoticed. */
static int enter(struct finding *f, struct way way, const char *name, bool *is_firm)
{
    const char *path = join(f, way.folder, name, "");
    struct stat status;
    int next;

    if (path == NULL)
        return -1;
    if (lstat(path, &status) != 0)
        return 0;
    if (S_ISLNK(status.st_mode))
        return way.is_below || follow(f, way, path) >= 0 ? 1 : -1;
    if (!S_ISDIR(status.st_mode) || has_ended(&way))
        return 1;
    if (way.is_below && ++f->below > WATCH_FOLDERS_MAX)
        return 1;
    way.folder = join(f, path, "/", "");
    next = way.folder == NULL ? -1 : walk(f, way);
    *is_firm = next > 0;
    return next < 0 ? -1 : 1;
}

/* At the end of a way only links lead further. */
static bool leads_on(const struct way *way, const struct dirent *entry)
{
    if (!has_ended(way))
        return entry->d_type != DT_REG;
    return !way->is_below && (entry->d_type == DT_LNK || entry->d_type == DT_UNKNOWN);
}

static int enter_all(struct finding *f, const struct way *way, const char *component)
{
    DIR *folder = opendir(way->folder[0] != '\0' ? way->folder : ".");
    const struct dirent *entry;
    bool ignored;
    int found = 0;

    if (folder == NULL)
        return 0;
    while (found >= 0 && (entry = readdir(folder)) != NULL) {
        if (way->is_below && ++f->entries > WATCH_ENTRIES_MAX)
            break;
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
            !watched_fits(component, entry->d_name))
            continue;
        found = 1;
        if (leads_on(way, entry) && enter(f, *way, entry->d_name, &ignored) < 0)
            found = -1;
    }
    closedir(folder);
    return found;
}

/* The next component in way.folder; 0 also when that cannot be watched. */
static int step(struct finding *f, struct way way, struct span component)
{
    char name[NAME_MAX + 1];
    bool is_firm = false;
    size_t row;
    int found = 0;

    if (watch_one(f, &way, component, &row) != 0)
        return -1;
    if (watched_is_wild(component)) {
        const char *kept = arena_strdup(&f->folders->arena, component);

        found = kept == NULL ? -1 : enter_all(f, &way, kept);
    } else if (component.n < sizeof name) {
        watched_name(component, name);
        found = enter(f, way, name, &is_firm);
    }
    if (row == SIZE_MAX)
        return found < 0 ? -1 : 0;
    f->folders->names[row].is_firm = is_firm;
    return found;
}

static int walk(struct finding *f, struct way way)
{
    struct span component;

    for (;;) {
        way.is_below = !watched_next(&way.followed, &component);
        if (way.is_below && !watched_next(&way.below, &component))
            return 1;
        if (component.n == 2 && memcmp(component.p, "..", 2) == 0) {
            way.folder = join(f, way.folder, "../", "");
            if (way.folder == NULL)
                return -1;
        } else if (component.n != 1 || component.p[0] != '.')
            return step(f, way, component);
    }
}

/* ---- all ---- */

static int by_folder(const void *a, const void *b)
{
    const struct watch_name *first = a;
    const struct watch_name *second = b;

    if (first->folder != second->folder)
        return first->folder < second->folder ? -1 : 1;
    return strcmp(first->component, second->component);
}

/* Of two equal rows the one that knows more: what is firm is so for every way through it. */
static int by_folder_and_need(const void *a, const void *b)
{
    const struct watch_name *first = a;
    const struct watch_name *second = b;
    int order = by_folder(a, b);

    if (order == 0)
        order = (int)second->is_firm - (int)first->is_firm;
    return order != 0 ? order : (int)second->is_file - (int)first->is_file;
}

static void sort(struct watch_folders *folders)
{
    size_t kept = 0;

    if (folders->count == 0)
        return;
    qsort(folders->names, folders->count, sizeof *folders->names, by_folder_and_need);
    for (size_t i = 1; i < folders->count; i++)
        if (by_folder(&folders->names[kept], &folders->names[i]) != 0)
            folders->names[++kept] = folders->names[i];
    folders->count = kept + 1;
}

/* Now that all that matters in each folder is known, no more is watched for. */
static void narrow(struct watch_folders *folders, int inotify)
{
    for (size_t i = 0; i < folders->count;) {
        const struct watch_name *name = &folders->names[i];
        uint32_t mask = ITS_FATE;

        for (; i < folders->count && folders->names[i].folder == name->folder; i++)
            if (!folders->names[i].is_firm)
                mask |= folders->names[i].is_file ? WITH_FILES : WITH_NAMES;
        if (mask != WITH_FILES && inotify_add_watch(inotify, name->path, mask) != name->folder)
            folders->moved = true;
    }
}

static void complain_limits(struct finding *f, const struct watched_path *path)
{
    if (f->below > WATCH_FOLDERS_MAX || f->entries > WATCH_ENTRIES_MAX)
        strbuf_addf(f->faults,
                    "%s: too many folders or names below it for the pattern %s: changes in the "
                    "others need a SIGHUP\n",
                    path->followed, path->below);
}

static bool is_among(const struct watched_path *path, const struct watched_path *others)
{
    for (; others != NULL; others = others->next)
        if (strcmp(path->followed, others->followed) == 0 &&
            strcmp(path->below, others->below) == 0)
            return true;
    return false;
}

/* Those that are not among the others, so that nothing is told twice. */
static int walk_all(struct finding *f, const struct watched_path *paths,
                    const struct watched_path *others)
{
    for (const struct watched_path *path = paths; path != NULL; path = path->next) {
        const char *begin = path->followed[0] != '\0' ? path->followed : path->below;
        const struct way way = {
            .folder = begin[0] == '/' ? "/" : "", .followed = path->followed, .below = path->below};

        if (is_among(path, others))
            continue;
        f->below = f->entries = 0;
        if (walk(f, way) < 0)
            return -1;
        complain_limits(f, path);
    }
    return 0;
}

int watch_folders_find(struct watch_folders *folders, int inotify, const struct watched_path *paths,
                       const struct watched_path *more, struct strbuf *faults)
{
    struct finding f = {.folders = folders, .inotify = inotify, .faults = faults};

    arena_init(&folders->arena, 0);
    if (walk_all(&f, paths, NULL) != 0 || walk_all(&f, more, paths) != 0)
        return -1;
    sort(folders);
    narrow(folders, inotify);
    return 0;
}

#endif
