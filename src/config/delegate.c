/* delegate - see main_file.h */
#include "config/main_file.h"

#include "config/read/files.h"
#include "mail/rfc5322.h"
#include "spec/iri.h"
#include "system/paths.h"
#include "text/ascii.h"
#include "text/memory.h"
#include "text/number.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* domain = [ "*." ] dot-atom-text        international labels as UTF-8 or as A-labels
 *
 * Reads a domain into the arena. Returns what is wrong with it. */
static struct fault read_domain(struct span text, struct arena *arena, struct domain *out)
{
    out->is_below = span_starts_nocase(text, span_cstr("*."));
    struct span name = span_sub(text, out->is_below ? 2 : 0, text.n);
    const char *detail = domain_to_ascii(name, arena, &name);
    out->name = arena_dup(arena, name);
    if (detail != NULL)
        return (struct fault){ERROR_DOMAIN, detail};
    /* "*" is a character of atoms. */
    bool is_right = rfc5322_is_dot_atom(name) && name.n <= 253 && span_find(name, '*') == name.n;
    return (struct fault){is_right ? REMARK_NONE : ERROR_DELEGATED_DOMAIN, NULL};
}

static struct domains read_domains(const struct sources *from, struct arena *arena,
                                   struct diagnostics *d)
{
    struct span title = from->sections[FROM_SECTION]->title;
    struct value value = value_needed(d, from, KEY_DOMAINS, "domains = {\"DOMAIN\", \"*.DOMAIN\"}");
    struct domain *domains = arena_calloc(arena, value.count, sizeof *domains);
    for (size_t i = 0; i < value.count; i++) {
        struct fault fault = read_domain(value.entries[i].text, arena, &domains[i]);
        if (fault.remark != REMARK_NONE)
            say_entry(d, from, &value.entries[i], fault.remark, fault.detail);
    }
    return (struct domains){arena_strdup(arena, title), domains, value.count,
                            value_bool(from, KEY_VIRTUAL)};
}

static void read_patterns(struct delegate *delegate, struct arena *arena, struct diagnostics *d)
{
    const char *file = delegate->from.sections[FROM_SECTION]->file;
    struct value value =
        value_needed(d, &delegate->from, KEY_FILES, "files = {\"/FOLDER/*.conf\"}");
    delegate->files = value;
    delegate->patterns = arena_calloc(arena, value.count, sizeof *delegate->patterns);
    delegate->folders = arena_calloc(arena, value.count, sizeof *delegate->folders);
    for (size_t i = 0; i < value.count; i++) {
        struct span text = value.entries[i].text, folder = path_folder(text);
        struct strbuf path = STRBUF_INIT;
        strbuf_add_span(&path, path_base(file, text));
        strbuf_add_span(&path, span_sub(folder, 0, folder.n > 1 ? folder.n - 1 : folder.n));
        if (path.len == 0)
            strbuf_add_char(&path, '.');
        delegate->folders[i] = strbuf_keep(&path, arena);
        delegate->patterns[i] = path_pattern(file, text, arena);
    }
}

static enum remark name_fault(struct span name)
{
    bool is_right = name.n > 0;
    for (size_t i = 0; i < name.n; i++)
        is_right = is_right && (ascii_is_alpha(name.p[i]) || ascii_is_digit(name.p[i]) ||
                                strchr("-_.", name.p[i]) != NULL);
    return is_right ? REMARK_NONE : ERROR_DELEGATE_NAME;
}

struct delegate *delegates_read(const struct parsed *main, struct arena *arena,
                                struct diagnostics *diagnostics)
{
    struct delegate *first = NULL, **next = &first;
    for (size_t i = 0; i < main->count; i++) {
        const struct section *section = &main->sections[i];
        uint64_t lists_max = 0;
        if (section->kind != KEY_DELEGATE)
            continue;
        struct delegate *delegate = *next = arena_calloc(arena, 1, sizeof *delegate);
        next = &delegate->next;
        delegate->from.sections[FROM_SECTION] = section;
        title_check(main->sections, section, name_fault(section->title), diagnostics);
        read_patterns(delegate, arena, diagnostics);
        delegate->domains = read_domains(&delegate->from, arena, diagnostics);
        (void)number_parse(value_entry(&delegate->from, KEY_LISTS_MAX).text, SIZE_MAX, &lists_max);
        delegate->lists_max = (size_t)lists_max;
    }
    return first;
}

const struct delegate *delegates_match(const struct delegate *delegates, const char *path,
                                       struct arena *scratch)
{
    struct stat file, other;
    if (stat(path, &file) != 0)
        return NULL;
    for (; delegates != NULL; delegates = delegates->next)
        for (size_t k = 0; k < delegates->files.count; k++) {
            struct found_files found = find_files(delegates->patterns[k], scratch);
            for (size_t n = 0; n < found.count; n++)
                if (stat(found.paths[n], &other) == 0 && file.st_dev == other.st_dev &&
                    file.st_ino == other.st_ino)
                    return delegates;
        }
    return NULL;
}

/* 10,000 lists that set every key are about 6 MB; 10,000 that take the defaults, 0.5 MB. */
static const struct file_rules rules = {.bytes_max = (size_t)1024 * 1024,
                                        .too_large = "is too large (expected at most 1 MiB)",
                                        .is_foreign = true};

#define DELEGATE_FILES_MAX 10000 /* of one delegate */
/* The size of all its files, and the memory that their lists take; last good versions
 * count, too (RULINGS 98, 117). */
#define DELEGATE_MIB_MAX   16
#define DELEGATE_BYTES_MAX ((size_t)DELEGATE_MIB_MAX * 1024 * 1024)
#define FILES_REPORTED     25 /* wrong files of a delegate; of others, their number */

static const char too_many[] =
    "its delegate has too many files (expected at most " NUMBER_TEXT(DELEGATE_FILES_MAX) ")";
static const char too_large[] = "the files of its delegate are too large "
                                "(expected at most " NUMBER_TEXT(DELEGATE_MIB_MAX) " MiB in all)";

/* The use of new texts, or of last good ones: their bytes, and the memory of their lists. */
struct budget {
    size_t bytes, memory;
};

struct reader {
    struct list_builder *builder;
    struct settings *settings;
    const struct settings *previous; /* or NULL */
    struct diagnostics *diagnostics;
    struct arena scratch; /* for the values of a text */
    /* of the delegate that is read */
    const struct delegate *delegate;
    size_t files, lists, wrong;
    struct budget fresh, kept;
};

/* Adds the fault of a file as a whole. */
static void add_fault(struct diagnostics *found, const char *path, const char *fault)
{
    say(found, SEVERITY_ERROR, place_of(path, 0, NULL), NO_TEXT, ERROR_FILE, WITH(fault, ""));
}

/* Reports the first error that was found for a file. It may be in the `defaults`. */
static void report_found(struct reader *r, const struct diagnostics *found, const char *path,
                         const char *outcome)
{
    const struct diagnostic *first = &found->items[0];
    for (size_t i = 1; i < found->count; i++)
        if (found->items[i].line < first->line)
            first = &found->items[i];
    bool is_elsewhere = strcmp(first->file, path) != 0;
    struct strbuf of_file = STRBUF_INIT;
    strbuf_addf(&of_file, "%s%s%s", is_elsewhere ? path : "", is_elsewhere ? ": " : "", outcome);
    if (r->wrong++ < FILES_REPORTED)
        say_again(r->diagnostics, first, strbuf_str(&of_file));
    strbuf_free(&of_file);
}

/* Builds the lists of a text in *own. Returns the memory that they take. */
static size_t build_lists(struct reader *r, const struct parsed *parsed, struct list_index *own,
                          const struct budget *budget, struct diagnostics *found)
{
    struct list_builder *b = r->builder;
    const size_t before = r->settings->arena.used, most = r->delegate->lists_max - r->lists;
    size_t memory = 0;
    struct shown lists_max;
    list_index_init(own, r->settings->index.ways[LIST_BY_ID].seed);
    own->others = &r->settings->index;
    b->index = own;
    b->diagnostics = found;
    b->hints = budget == &r->fresh ? r->diagnostics : found;
    b->bounds = &r->delegate->domains;
    if (parsed->count > most) /* RULINGS 87 */
        say(found, SEVERITY_ERROR, key_place(&parsed->sections[most], KEY_LIST), NO_TEXT,
            ERROR_DELEGATED_LISTS, WITH(shown_number(r->delegate->lists_max, &lists_max)));
    for (size_t i = 0; i < parsed->count && found->errors == 0; i++) {
        list_builder_add(b, &parsed->sections[i]);
        memory = r->settings->arena.used - before + list_index_bytes(own);
        if (found->errors == 0 && memory > DELEGATE_BYTES_MAX - budget->memory)
            say(found, SEVERITY_ERROR, key_place(&parsed->sections[i], KEY_LIST), NO_TEXT,
                ERROR_DELEGATED_MEMORY, WITH(NUMBER_TEXT(DELEGATE_MIB_MAX)));
    }
    return memory;
}

static void keep_text(struct settings *s, const char *path, struct span text)
{
    s->delegated =
        array_grow(s->delegated, s->delegated_count, &s->delegated_capacity, sizeof *s->delegated);
    s->delegated[s->delegated_count++] = (struct delegated_file){path, arena_dup(&s->arena, text)};
    settings_add_text(s, path, text);
}

/* Reads the text of a file into an index of its own. If it is good, adds its lists to the settings,
 * which keep the text and borrow the path. Returns false with what is wrong in *found. */
static bool try_text(struct reader *r, const char *path, struct span text, struct budget *budget,
                     struct diagnostics *found)
{
    struct settings *s = r->settings;
    const struct arena before = s->arena;
    struct list_index own;
    if (text.n > DELEGATE_BYTES_MAX - budget->bytes) {
        add_fault(found, path, too_large);
        return false;
    }
    budget->bytes += text.n;
    arena_reset(&r->scratch);
    const struct parsed parsed = parse(path, text, false, &r->scratch, found);
    size_t memory = build_lists(r, &parsed, &own, budget, found);
    if (found->errors == 0) {
        budget->memory += memory;
        r->lists += own.count;
        list_index_join(&s->index, &own);
        keep_text(s, path, text);
    } else {
        arena_rewind(&s->arena, &before);
    }
    list_index_free(&own);
    return found->errors == 0;
}

static int by_path(const void *a, const void *b)
{
    const struct delegated_file *first = a, *second = b;
    return strcmp(first->path, second->path);
}

/* Tries the last good text of a file. Returns false if there is none, or if it is wrong now, which
 * is reported on demand. */
static bool try_previous(struct reader *r, const char *path, bool reports)
{
    const struct delegated_file wanted = {.path = path}, *file = NULL;
    struct diagnostics found;
    diagnostics_init(&found);
    if (r->previous != NULL && r->previous->delegated_count > 0)
        file = bsearch(&wanted, r->previous->delegated, r->previous->delegated_count, sizeof wanted,
                       by_path);
    bool is_good = file != NULL && try_text(r, arena_strdup(&r->settings->arena, span_cstr(path)),
                                            file->text, &r->kept, &found);
    if (reports && !is_good)
        report_found(r, &found, path, "its lists are disabled");
    diagnostics_free(&found);
    return is_good;
}

/* Reads a file; if that fails, tries its last good text. */
static void read_path(struct reader *r, const char *path)
{
    struct file_text file = {.text = NULL};
    struct diagnostics found;
    const char *fault = r->files == DELEGATE_FILES_MAX ? too_many : NULL;
    if (fault == NULL && !read_file(path, &rules, &file))
        fault = file.fault;
    if (file.error == ENOENT || file.error == ENOTDIR)
        return;
    r->files += fault != too_many;
    diagnostics_init(&found);
    if (fault != NULL)
        add_fault(&found, path, fault);
    if (fault != NULL || !try_text(r, path, span_of(file.text, file.length), &r->fresh, &found))
        report_found(r, &found, path,
                     try_previous(r, path, false) ? "its last good version stays in force"
                                                  : "its lists are disabled");
    diagnostics_free(&found);
    free(file.text);
}

/* Tries the last good texts of a pattern's files, as its folder cannot be read. */
static void keep_folder(struct reader *r, size_t number, const char *fault)
{
    const char *outcome = "no list below it is in force";
    const char *const *patterns = r->delegate->patterns;
    const struct entry *entry = &r->delegate->files.entries[number];
    for (size_t i = 0; r->previous != NULL && i < r->previous->delegated_count; i++) {
        const char *path = r->previous->delegated[i].path;
        if (path_fits(patterns + number, 1, path) && !path_fits(patterns, number, path) &&
            try_previous(r, path, true))
            outcome = "the last good versions of its files stay in force";
    }
    if (r->wrong++ < FILES_REPORTED)
        say(r->diagnostics, SEVERITY_DELEGATED, entry_place(&r->delegate->from, entry), entry->text,
            ERROR_DELEGATED_FOLDER, WITH(r->delegate->folders[number], fault, outcome));
}

static void read_pattern(struct reader *r, size_t number)
{
    const struct delegate *delegate = r->delegate;
    const struct entry *entry = &delegate->files.entries[number];
    struct found_files found = {.count = 0};
    const char *fault = NULL;
    int folder = path_open_real(delegate->folders[number], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    settings_watch(r->settings, delegate->patterns[number]);
    if (folder < 0 && (errno == ENOENT || errno == ENOTDIR)) {
        say(r->diagnostics, SEVERITY_HINT, entry_place(&delegate->from, entry), entry->text,
            HINT_NO_FILE, NULL);
        return;
    }
    if (folder < 0) {
        fault = open_fault(errno);
    } else {
        close(folder);
        found = find_files(delegate->patterns[number], &r->settings->arena);
        if (found.is_unknown) /* some files would be missing by chance */
            fault = "its names cannot be read";
    }
    if (fault != NULL)
        keep_folder(r, number, fault);
    for (size_t i = 0; fault == NULL && i < found.count; i++)
        if (!path_fits(delegate->patterns, number, found.paths[i]))
            read_path(r, found.paths[i]);
}

static void read_delegate(struct reader *r, const struct delegate *delegate)
{
    const struct section *section = delegate->from.sections[FROM_SECTION];
    struct shown more;
    r->delegate = delegate;
    r->files = r->lists = r->wrong = 0;
    r->fresh = r->kept = (struct budget){0, 0};
    r->diagnostics->delegate = delegate->domains.owner;
    for (size_t i = 0; i < delegate->files.count; i++)
        read_pattern(r, i);
    if (r->wrong > FILES_REPORTED)
        say(r->diagnostics, SEVERITY_DELEGATED, key_place(section, KEY_DELEGATE), section->title,
            ERROR_DELEGATED_MORE, WITH(shown_number(r->wrong - FILES_REPORTED, &more)));
    r->settings->delegated_wrong += r->wrong;
}

void delegated_read(const struct delegate *delegates, struct list_builder *builder,
                    struct settings *settings, const struct settings *previous,
                    struct diagnostics *diagnostics)
{
    struct reader r = {
        .builder = builder, .settings = settings, .previous = previous, .diagnostics = diagnostics};
    arena_init(&r.scratch, 16384);
    for (; delegates != NULL; delegates = delegates->next)
        read_delegate(&r, delegates);
    diagnostics->delegate = NULL;
    builder->index = &settings->index;
    builder->diagnostics = diagnostics;
    list_builder_drop_parents(builder);
    if (settings->delegated_count > 0)
        qsort(settings->delegated, settings->delegated_count, sizeof *settings->delegated, by_path);
    arena_free(&r.scratch);
}
