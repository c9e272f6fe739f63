/* trial - a list file is read twice: what is wrong in it must leave no trace. */
#include "config/delegation/trial.h"

#include "config/delegation/delegate_report.h"
#include "config/report/say.h"
#include "config/syntax/config_scan.h"
#include "config/syntax/confuse_reader.h"

#include <stdlib.h>
#include <string.h>

static int visit_section(void *context, enum section_kind kind, struct raw_section *section)
{
    struct delegated_text *text = context;
    if (kind != SECTION_KIND_LIST)
        return 0;
    raw_section_check(section, &text->found);
    return list_builder_add(text->target, section);
}

int delegated_text_init(struct delegated_text *text, struct list_builder *in_force)
{
    text->in_force = in_force;
    text->target = NULL;
    text->lists = 0;
    diagnostics_init(&text->found);
    text->reader = confuse_reader_new(&text->found, visit_section, text);
    return text->reader == NULL ? -1 : 0;
}

void delegated_text_free(struct delegated_text *text)
{
    confuse_reader_free(text->reader);
    text->reader = NULL;
    diagnostics_free(&text->found);
}

struct diagnostics delegated_text_take_errors(struct delegated_text *text)
{
    struct diagnostics taken = text->found;
    diagnostics_init(&text->found);
    return taken;
}

/* RULINGS 87: told before any of them is built. */
static bool has_too_many(struct delegated_text *text, const char *path,
                         const struct config_scan *scan)
{
    size_t most = text->target->delegate->lists_max;
    if (scan->list_lines.count <= most - text->lists)
        return false;
    say(&text->found, SEVERITY_ERROR,
        place_of(path, scan->list_lines.lines[most - text->lists], "list"), NO_VALUE,
        "is one too many (expected at most %zu in all files of its delegate: lists_max)", most);
    return true;
}

/* Reads the text into a builder whose diagnostics are text->found. 0 or -1. */
static int build(struct delegated_text *text, struct list_builder *target, const char *path,
                 struct span content)
{
    struct config_scan scan;
    char *copy = malloc(content.n + 1); /* it is changed */
    if (copy == NULL)
        return -1;
    if (content.n > 0)
        memcpy(copy, content.p, content.n);
    text->target = target;
    int result = config_scan(&scan, SCAN_LIST_FILE, path, copy, content.n, &text->found);
    if (result == 0 && !has_too_many(text, path, &scan))
        result = confuse_read_lists(text->reader, path, &scan);
    config_scan_free(&scan);
    free(copy);
    if (result >= 0)
        list_builder_finish(target);
    return result < 0 || text->found.out_of_memory ? -1 : 0;
}

/* Octets that a trial does not get: what entering takes besides what the trial took, and has given
 * back by then. So it is the trial that fails where memory is short, which costs one file. The
 * index of those in force has five maps, which may double; the text is kept. */
static size_t reserve_for(const struct delegated_text *text, struct span content)
{
    const size_t of_the_rest = (size_t)4 * 1024 * 1024;
    const size_t of_a_list = (size_t)256;
    return of_the_rest + content.n + text->in_force->settings->index.count * of_a_list;
}

int delegated_text_try(struct delegated_text *text, const struct delegate *delegate,
                       const char *path, struct span content)
{
    struct settings settings = *text->in_force->settings;
    struct list_builder trial;
    arena_init(&settings.arena, 0);
    list_index_init(&settings.index, settings.index.by_id.seed);
    list_builder_trial(&trial, text->in_force, &settings, &text->found);
    trial.delegate = delegate;
    trial.origins_told = DELEGATE_FILE_ERRORS_TOLD;
    diagnostics_free(&text->found);
    struct arena reserve;
    arena_init(&reserve, 0);
    int result = -1;
    if (arena_alloc(&reserve, reserve_for(text, content)) != NULL)
        result = build(text, &trial, path, content);
    arena_free(&reserve);
    list_builder_free(&trial);
    list_index_free(&settings.index);
    arena_free(&settings.arena);
    if (result != 0) {
        diagnostics_free(&text->found);
        say(&text->found, SEVERITY_ERROR, place_of(path, 0, NULL), NO_VALUE,
            "needs more memory than there is");
        if (text->found.out_of_memory)
            return -1;
    }
    return diagnostics_has_errors(&text->found) ? 1 : 0;
}

int delegated_text_enter(struct delegated_text *text, const struct delegate *delegate,
                         const char *path, struct span content)
{
    struct list_builder *builder = text->in_force;
    struct diagnostics *diagnostics = builder->diagnostics;
    diagnostics_free(&text->found); /* has been told; there is nothing new to find */
    builder->delegate = delegate;
    builder->diagnostics = &text->found;
    size_t before = builder->settings->index.count;
    int result = build(text, builder, path, content);
    text->lists += builder->settings->index.count - before;
    builder->diagnostics = diagnostics;
    builder->delegate = NULL;
    return result;
}
