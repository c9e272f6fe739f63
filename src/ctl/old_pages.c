/*
 * mlmilterctl map --from-pages: prints the permalink of each page of an old archive (RULINGS 124).
 *
 * tsv       PATH, the permalink; with a TAB between
 * nginx     "PATH" "permalink";  for a file that a `map` block of nginx includes
 * apache    PATH permalink       for httxt2dbm, and a RewriteMap
 * htaccess  Redirect 302 "PATH" "permalink"
 */
#include "ctl/old_month.h"
#include "ctl/old_page.h"
#include "ctl/permalink.h"
#include "ctl/tool.h"
#include "plan/message_values.h"
#include "spec/message_id.h"
#include "system/monotonic.h"
#include "text/ascii.h"
#include "text/memory.h"
#include "text/number.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PAGE_BYTES (64 * 1024) /* read of a page */
#define DEPTH_MAX  16          /* folders below FOLDER */

/* ---- the run ---- */

/* Reasons for no line, after those that are a page's id. */
enum {
    NO_VALUE = PAGE_ID_TWO + 1,
    UNWRITABLE,
    CONFLICT,
    LETTER_CASE,
    PASSED_OVER,
    UNREADABLE,
    REASONS
};

static const char *const reasons[REASONS] = {
    [PAGE_ID_ABSENT] = "no id of their own, and none in a monthly text that is certain",
    [PAGE_ID_MADE] = "the archiver made the id",
    [PAGE_ID_LOST] = "the id is empty, hidden or too long",
    [PAGE_ID_TWO] = "two ids",
    [NO_VALUE] = "no value for a variable of the permalink",
    [UNWRITABLE] = "path or permalink does not fit the format",
    [CONFLICT] = "one path with two permalinks",
    [LETTER_CASE] = "paths that differ in letter case only, which nginx takes for one",
    [PASSED_OVER] = "links, devices, or folders below the 16th",
    [UNREADABLE] = "cannot be read",
};

static const struct table_format formats[] = {
    {"tsv", "", "\t", "\n", "", SIZE_MAX, SIZE_MAX, false, false},
    {"nginx", "\"", "\" \"", "\";\n", "", 238, 4000, true, true},
    {"apache", "", " ", "\n", " ", 300, 700, false, false},
    {"htaccess", "Redirect 302 \"", "\" \"", "\"\n", "$", 4000, 4000, true, false},
};

struct entry {
    const char *path, *link;
};

struct pages_run {
    const struct table_format *format;
    const char *prefix;
    struct settings *settings; /* of --list, or NULL */
    const struct list *list;
    struct template to;
    bool wants_date;   /* a template has a part of the Date, which no page of Pipermail has */
    struct arena kept; /* of the table */
    struct arena of_page;
    struct entry *entries; /* the table */
    size_t count, capacity;
    struct strbuf path; /* of the folder or file that is read */
    size_t below;       /* where the part below FOLDER begins in it */
    char *block;        /* PAGE_BYTES */
    int64_t begin;      /* monotonic_now() */
    uint64_t pages, others, lines;
    uint64_t archivers[ARCHIVERS], sources[ID_BY_DATE + 1], guessed;
    uint64_t left_out[REASONS];
    const char *first[REASONS]; /* path of the first that was left out */
};

/* Counts what has no line. */
static void leave_out(struct pages_run *run, int reason, const char *path)
{
    if (run->left_out[reason]++ == 0)
        run->first[reason] = arena_strdup(&run->kept, span_cstr(path));
}

/* ---- permalinks ---- */

/* True if a page has the values of the template: not a number, other fields of the header, or a
 * Date byte for byte. */
static bool has_values(const struct pages_run *run, const struct template *t)
{
    const uint64_t unknown = VAR_BIT(VAR_LIST_ID_HASH) | VAR_BIT(VAR_SEQUENCE) | VARS_FIELDS;
    uint64_t needs = t->needs;
    for (size_t i = 0; i < TOKENS_MAX && (t->needs & VARS_TOKENS) != 0; i++)
        if ((t->needs & VAR_BIT(VAR_FIRST_TOKEN + i)) != 0)
            needs |= run->settings->tokens[i].of.needs;
    return (needs & unknown) == 0;
}

/* Appends the URL that a template gives for a page. Returns false if it gives none. */
static bool add_link(struct pages_run *run, const struct template *t, const struct old_page *page,
                     struct arena *arena, struct strbuf *link)
{
    struct header header;
    struct message_source source = {.header = &header,
                                    .id_text = page->id_text,
                                    .date_text = page->date_text,
                                    .list = run->list};
    enum variable missing;
    if (!has_values(run, t))
        return false;
    header_init(&header);
    if (run->list != NULL) {
        source.tokens = run->settings->tokens;
        source.token_count = run->settings->token_names.count;
    }
    return permalink_add(t, &source, (struct variable_values){0}, arena, link, &missing) ==
           PERMALINK_MADE;
}

/* Appends the permalink: of --to, or the first of the list's. Returns false if there is none. */
static bool add_permalink(struct pages_run *run, const struct old_page *page, struct arena *arena,
                          struct strbuf *link)
{
    if (run->list == NULL)
        return add_link(run, &run->to, page, arena, link);
    const struct list_text_array *texts = &run->list->texts->archived_at;
    if (run->list->archived_at_requires == ARCHIVED_AT_WELL_FORMED &&
        !message_id_is_well_formed(page->id_text))
        return false;
    for (size_t i = 0; i < texts->count; i++)
        if (!list_leaves_out(run->list, &texts->items[i]) &&
            add_link(run, &texts->items[i].text, page, arena, link))
            return true;
    return false;
}

/* Adds a page to the table, or counts why not. */
static void add_page(struct pages_run *run, const struct found_page *page, struct arena *arena)
{
    struct strbuf link = STRBUF_INIT;
    run->archivers[page->old.archiver]++;
    if (page->old.id != PAGE_ID_OWN && page->old.id != PAGE_ID_GUESSED) {
        leave_out(run, (int)page->old.id, page->path);
    } else if (!add_permalink(run, &page->old, arena, &link)) {
        leave_out(run, NO_VALUE, page->path);
    } else {
        run->sources[page->source]++;
        run->guessed += page->old.id == PAGE_ID_GUESSED;
        run->entries = array_grow(run->entries, run->count, &run->capacity, sizeof *run->entries);
        run->entries[run->count++] = (struct entry){arena_strdup(&run->kept, span_cstr(page->path)),
                                                    strbuf_keep(&link, &run->kept)};
    }
    strbuf_free(&link);
}

/* ---- folders ---- */

struct folder {
    int fd;
    struct arena arena; /* of names and pages */
    const char **names;
    size_t name_count, name_capacity;
    struct found_page *pages;
    size_t page_count, page_capacity;
    bool wants_text; /* a page has no id of its own, or no Date */
};

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Reads the names in an open folder, sorted. Returns false if that fails. */
static bool read_names(struct folder *f)
{
    int fd = dup(f->fd);
    DIR *directory = fd < 0 ? NULL : fdopendir(fd);
    const struct dirent *entry;
    while (directory != NULL && (errno = 0, entry = readdir(directory)) != NULL) {
        if (entry->d_name[0] == '.')
            continue;
        f->names = array_grow(f->names, f->name_count, &f->name_capacity, sizeof *f->names);
        f->names[f->name_count++] = arena_strdup(&f->arena, span_cstr(entry->d_name));
    }
    bool is_read = directory != NULL && errno == 0;
    if (directory != NULL)
        closedir(directory);
    else if (fd >= 0)
        close(fd);
    if (f->name_count > 0)
        qsort(f->names, f->name_count, sizeof *f->names, compare_names);
    return is_read;
}

/* True if a folder has parts of posts, which senders wrote: attachments/, att-0001/, msg00001/. */
static bool holds_attachments(struct span name)
{
    uint64_t number;
    return span_eq(name, span_cstr("attachments")) || span_starts_nocase(name, span_cstr("att-")) ||
           (span_starts_nocase(name, span_cstr("msg")) &&
            number_parse(span_sub(name, 3, name.n), UINT64_MAX, &number));
}

/* True if a file has the name of a page. */
static bool may_be_page(struct span name)
{
    static const char *const ends[] = {".html", ".htm", ".shtml", ".xhtml", ".php"};
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
        if (span_ends_nocase(name, span_cstr(ends[i])))
            return true;
    return false;
}

/* Returns the old path of the file that is read. */
static const char *old_path(struct pages_run *run, struct arena *arena)
{
    struct span below = span_sub(strbuf_span(&run->path), run->below, run->path.len);
    struct strbuf path = STRBUF_INIT;
    strbuf_add_str(&path, run->prefix);
    if (path.data[path.len - 1] == '/')
        strbuf_truncate(&path, path.len - 1);
    strbuf_add_span(&path, below);
    return strbuf_keep(&path, arena);
}

/* Reads a page. */
static void read_page(struct pages_run *run, struct folder *f, const char *name)
{
    struct found_page page = {.source = ID_OF_PAGE};
    size_t n = 0;
    ssize_t more = 1;
    int fd = openat(f->fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    while (fd >= 0 && more > 0 && n < PAGE_BYTES)
        n += (more = read(fd, run->block + n, PAGE_BYTES - n)) > 0 ? (size_t)more : 0;
    if (fd >= 0)
        close(fd);
    if (fd < 0 || more < 0) {
        leave_out(run, UNREADABLE, strbuf_str(&run->path));
        return;
    }
    arena_reset(&run->of_page);
    old_page_read(span_of(run->block, n), &run->of_page, &page.old);
    run->others += page.old.archiver == ARCHIVERS;
    if (page.old.archiver == ARCHIVERS)
        return;
    struct span *texts[] = {&page.old.id_text, &page.old.date_text, &page.old.arrival};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if (texts[i]->p != NULL)
            *texts[i] = arena_dup(&f->arena, *texts[i]);
    page.path = old_path(run, &f->arena);
    struct span digits = span_sub(span_cstr(name), 0, strcspn(name, "."));
    page.has_number = page.old.archiver == ARCHIVER_PIPERMAIL && digits.n >= 6 &&
                      strcmp(name + digits.n, ".html") == 0 &&
                      number_parse(digits, UINT64_MAX, &page.number);
    f->wants_text =
        f->wants_text || page.old.id == PAGE_ID_ABSENT || (run->wants_date && page.has_number);
    f->pages = array_grow(f->pages, f->page_count, &f->page_capacity, sizeof *f->pages);
    f->pages[f->page_count++] = page;
    if (++run->pages % 64 == 0)
        show_progress("%" PRIu64 " pages, %.0f/s", run->pages,
                      (double)run->pages * 1000 / (double)(monotonic_now() - run->begin + 1));
}

/* Reads a folder, then those in it. above: the open folder with this name, or -1 for FOLDER,
 * outside of which nothing is read. Returns false if it cannot be opened. */
static bool read_folder(struct pages_run *run, int above, const char *name, int depth)
{
    struct folder f = {.fd = openat(above < 0 ? AT_FDCWD : above, name,
                                    O_RDONLY | O_DIRECTORY | O_NONBLOCK | O_CLOEXEC |
                                        (above < 0 ? 0 : O_NOFOLLOW))};
    size_t length = run->path.len;
    if (f.fd < 0)
        return false;
    arena_init(&f.arena, 0);
    if (!read_names(&f))
        leave_out(run, UNREADABLE, strbuf_str(&run->path));
    for (size_t i = 0; i < f.name_count; i++) {
        struct stat st;
        struct span file = span_cstr(f.names[i]);
        strbuf_addf(&run->path, "/%s", f.names[i]);
        if (fstatat(f.fd, f.names[i], &st, AT_SYMLINK_NOFOLLOW) != 0)
            leave_out(run, UNREADABLE, strbuf_str(&run->path));
        else if (S_ISREG(st.st_mode) && may_be_page(file))
            read_page(run, &f, f.names[i]);
        else if (!S_ISREG(st.st_mode) && (!S_ISDIR(st.st_mode) || depth == DEPTH_MAX))
            leave_out(run, PASSED_OVER, strbuf_str(&run->path));
        else if (S_ISDIR(st.st_mode) && !holds_attachments(file) &&
                 !read_folder(run, f.fd, f.names[i], depth + 1))
            leave_out(run, UNREADABLE, strbuf_str(&run->path));
        strbuf_truncate(&run->path, length);
    }
    if (f.wants_text && above >= 0) {
        struct strbuf where = STRBUF_INIT;
        strbuf_add_span(&where, span_sub(strbuf_span(&run->path), 0, length - strlen(name) - 1));
        if (!old_month_read(above, strbuf_str(&where), name, f.pages, f.page_count, &f.arena))
            leave_out(run, UNREADABLE, strbuf_str(&run->path));
        strbuf_free(&where);
    }
    for (size_t i = 0; i < f.page_count; i++)
        add_page(run, &f.pages[i], &f.arena);
    close(f.fd);
    free(f.names);
    free(f.pages);
    arena_free(&f.arena);
    return true;
}

/* ---- the table ---- */

/* Orders paths without letter case, as nginx compares them. */
static int compare_folded(const char *a, const char *b)
{
    while (*a != '\0' && ascii_lower(*a) == ascii_lower(*b))
        a++, b++;
    return (unsigned char)ascii_lower(*a) - (unsigned char)ascii_lower(*b);
}

/* Orders entries by path without letter case, then by path, then by permalink. */
static int compare_entries(const void *a, const void *b)
{
    const struct entry *one = a, *other = b;
    int result = compare_folded(one->path, other->path);
    result = result != 0 ? result : strcmp(one->path, other->path);
    return result != 0 ? result : strcmp(one->link, other->link);
}

/* Prints the table: one line for each path. */
static void print_table(struct pages_run *run)
{
    struct strbuf line = STRBUF_INIT;
    size_t end;
    if (run->count > 0)
        qsort(run->entries, run->count, sizeof *run->entries, compare_entries);
    for (size_t i = 0; i < run->count; i = end) {
        const struct entry *first = &run->entries[i];
        bool is_one_link = true;
        size_t paths = 1;
        for (end = i + 1; end < run->count; end++) {
            const struct entry *other = &run->entries[end];
            bool is_other_path = strcmp(other[-1].path, other->path) != 0;
            if (is_other_path &&
                (!run->format->folds_case || compare_folded(first->path, other->path) != 0))
                break;
            paths += is_other_path;
            is_one_link = is_one_link && strcmp(first->link, other->link) == 0;
        }
        strbuf_reset(&line);
        if (!is_one_link) {
            leave_out(run, paths == 1 ? CONFLICT : LETTER_CASE, first->path);
            run->left_out[LETTER_CASE] += paths - 1;
        } else if (!table_add_line(run->format, first->path, first->link, &line)) {
            leave_out(run, UNWRITABLE, first->path);
        } else {
            run->lines++;
            print_more(strbuf_span(&line));
        }
    }
    strbuf_free(&line);
}

static void print_summary(const struct pages_run *run)
{
    report_error("%" PRIu64 " pages: %" PRIu64 " of Pipermail, %" PRIu64 " of MHonArc, %" PRIu64
                 " of Hypermail; %" PRIu64 " other files",
                 run->pages, run->archivers[ARCHIVER_PIPERMAIL], run->archivers[ARCHIVER_MHONARC],
                 run->archivers[ARCHIVER_HYPERMAIL], run->others);
    report_error("ids: %" PRIu64 " of the page (%" PRIu64 " with \"_at_\" for \"@\"), %" PRIu64
                 " by rank in the monthly text, %" PRIu64 " by date and address in it",
                 run->sources[ID_OF_PAGE], run->guessed, run->sources[ID_BY_RANK],
                 run->sources[ID_BY_DATE]);
    for (size_t i = 0; i < REASONS; i++)
        if (run->left_out[i] > 0)
            report_error("left out: %" PRIu64 " (%s), the first is %s", run->left_out[i],
                         reasons[i], run->first[i]);
    report_error("%" PRIu64 " lines", run->lines);
}

/* ---- the command ---- */

/* True if a template has a part of the Date. */
static bool needs_date(const struct template *t)
{
    return (t->needs & (VAR_BIT(VAR_SEQUENCE) - VAR_BIT(VAR_YEAR))) != 0;
}

static int read_options(struct pages_run *run, const struct options *o)
{
    const char *name = o->format != NULL ? o->format : "tsv";
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
        if (strcmp(name, formats[i].name) == 0)
            run->format = &formats[i];
    if (run->format == NULL)
        return usage_error(o, "--format %s: expected tsv, nginx, apache or htaccess", name);
    if (o->json || o->first != NULL)
        return usage_error(o, "--%s: expected without --from-pages", o->json ? "json" : "first");
    if (o->list != NULL && o->to != NULL)
        return usage_error(o, "map: expected --list or --to, not both");
    run->prefix = o->prefix != NULL ? o->prefix : "/";
    if (*run->prefix != '/')
        return usage_error(o, "--prefix %s: expected a path that begins with \"/\"", o->prefix);
    if (o->list == NULL) {
        const uint64_t allowed =
            VARS_MESSAGE & ~(VAR_BIT(VAR_LIST_ID_HASH) | VAR_BIT(VAR_SEQUENCE));
        int status =
            permalink_compile(o, true, allowed, NULL, span_of(NULL, 0), &run->kept, &run->to);
        run->wants_date = status == EX_OK && needs_date(&run->to);
        return status;
    }
    run->settings = load_settings(o, SETTINGS_ALL, KEYS_IF_READABLE);
    if (run->settings == NULL)
        return EX_CONFIG;
    run->list = find_list(run->settings, o->list);
    if (run->list == NULL)
        return EXIT_NO;
    for (size_t i = 0; i < run->list->texts->archived_at.count; i++)
        run->wants_date |= needs_date(&run->list->texts->archived_at.items[i].text);
    return EX_OK;
}

static int map_pages(const struct options *o)
{
    struct pages_run run = {.begin = monotonic_now()};
    struct strbuf none = STRBUF_INIT;
    arena_init(&run.kept, 64 * 1024);
    arena_init(&run.of_page, 0);
    int status = read_options(&run, o);
    if (status == EX_OK) {
        run.block = memory_new(1, PAGE_BYTES);
        for (size_t i = 0; i < o->argument_count; i++) {
            const char *name = o->arguments[i];
            strbuf_reset(&run.path);
            strbuf_add_str(&run.path, name);
            while (run.path.len > 1 && run.path.data[run.path.len - 1] == '/')
                strbuf_truncate(&run.path, run.path.len - 1);
            run.below = run.path.len;
            if (!read_folder(&run, -1, name, 0)) {
                report_error("%s: %s", name, strerror(errno));
                status = EX_OSERR;
            }
        }
        print_table(&run);
        if (status == EX_OK)
            status = run.left_out[UNREADABLE] > 0 ? EX_OSERR : run.lines == 0 ? EXIT_NO : EX_OK;
        status = print_and_free(&none, status);
        print_summary(&run);
    }
    settings_free(run.settings);
    free(run.block);
    free(run.entries);
    strbuf_free(&run.path);
    arena_free(&run.of_page);
    arena_free(&run.kept);
    return status;
}

int run_map(const struct options *o)
{
    return o->from_pages ? map_pages(o) : map_messages(o);
}
