/* trial - begin, build, and adopt or drop. */
#include "config/delegation/trial.h"

#include "config/report/say.h"
#include "config/syntax/sections.h"

#include <stdlib.h>
#include <string.h>

/* Octets that no trial gets: the rest of the load must not be what fails where memory is short. */
#define RESERVE ((size_t)1024 * 1024)

static int visit_section(void *context, enum section_kind kind, struct raw_section *section)
{
    struct trial *trial = context;
    if (kind != SECTION_KIND_LIST)
        return 0;
    raw_section_check(section, &trial->found);
    return list_builder_add(trial->builder, section);
}

int trial_init(struct trial *trial, struct list_builder *builder,
               const struct delegated_file **kept)
{
    *trial = (struct trial){.builder = builder, .kept = kept};
    diagnostics_init(&trial->found);
    trial->sections = sections_new(&trial->found, visit_section, trial);
    return trial->sections == NULL ? -1 : 0;
}

void trial_free(struct trial *trial)
{
    sections_free(trial->sections);
    trial->sections = NULL;
    diagnostics_free(&trial->found);
}

/* ---- a builder that enters lists into an index of their own ---- */

/* The builder as it was. */
struct before {
    struct list_builder builder;
    struct arena_mark mark;
};

static void begin(struct trial *trial, struct before *before, struct list_index *index,
                  struct hint_groups *hints)
{
    struct list_builder *b = trial->builder;
    before->builder = *b;
    before->mark = arena_mark(b->given.arena);
    list_index_init(index, b->index->ways[LIST_BY_ID].seed);
    hint_groups_init(hints);
    b->others = b->index;
    b->index = index;
    b->bounds = &trial->delegate->domains;
    b->diagnostics = &trial->found;
    b->hints = hints;
    b->finished = 0;
}

static void end(struct trial *trial, const struct before *before)
{
    struct list_builder *b = trial->builder;
    list_index_free(b->index);
    hint_groups_free(b->hints);
    b->index = before->builder.index;
    b->others = NULL;
    b->bounds = NULL;
    b->diagnostics = before->builder.diagnostics;
    b->hints = before->builder.hints;
    b->finished = before->builder.finished;
}

/* All that may fail for lack of memory. 0 or -1: then nothing has been adopted. */
static int adopt(struct trial *trial, const struct before *before, const char *path,
                 struct span text)
{
    struct list_builder *b = trial->builder;
    const struct delegated_file *kept = *trial->kept;
    if (delegated_file_keep(&kept, b->given.arena, path, text) != 0 ||
        list_index_take(before->builder.index, b->index) != DONE)
        return -1;
    *trial->kept = kept;
    return 0;
}

static void finish(struct trial *trial, const struct before *before)
{
    struct list_builder *b = trial->builder;
    size_t count = b->index->count;
    trial->lists += count;
    hint_groups_take(before->builder.hints, b->hints);
    end(trial, before);
    b->finished += count;
}

static void drop(struct trial *trial, const struct before *before)
{
    struct list_builder *b = trial->builder;
    end(trial, before);
    b->shared = before->builder.shared;
    b->origin_count = before->builder.origin_count;
    arena_rewind(b->given.arena, before->mark);
}

/* ---- */

/* RULINGS 87: told before any of them is built. */
static bool has_too_many(struct trial *trial, const char *path, const struct statements *statements)
{
    size_t most = trial->delegate->lists_max;
    int line = sections_list_line(statements, most - trial->lists);
    if (line == 0)
        return false;
    say(&trial->found, SEVERITY_ERROR, place_of(path, line, schema[KEY_LIST].name), NO_VALUE,
        "is one too many (expected at most %zu in all files of its delegate: lists_max)", most);
    return true;
}

/* 0 or -1 (memory). */
static int build(struct trial *trial, const char *path, struct span text)
{
    struct statements statements;
    char *copy = malloc(text.n + 1); /* it is changed */
    if (copy == NULL)
        return -1;
    if (text.n > 0)
        memcpy(copy, text.p, text.n);
    enum outcome outcome = statements_cut(&statements, path, copy, text.n, &trial->found);
    int result = outcome == NO_MEMORY ? -1 : 0;
    if (outcome == DONE && !has_too_many(trial, path, &statements))
        result = sections_of_list_file(trial->sections, &statements);
    statements_free(&statements);
    free(copy);
    if (result == 0)
        list_builder_finish(trial->builder);
    return result != 0 || trial->found.out_of_memory ? -1 : 0;
}

enum outcome trial_take(struct trial *trial, const struct delegate *delegate, const char *path,
                        struct span text)
{
    struct list_index index;
    struct hint_groups hints;
    struct before before;
    trial->delegate = delegate;
    diagnostics_free(&trial->found);
    begin(trial, &before, &index, &hints);
    char *volatile reserve = malloc(RESERVE); /* volatile: or it is left out */
    int result = reserve != NULL ? build(trial, path, text) : -1;
    if (hints.found.out_of_memory)
        result = -1;
    bool fine = result == 0 && !diagnostics_has_errors(&trial->found);
    if (fine)
        result = adopt(trial, &before, path, text);
    free(reserve);
    if (fine && result == 0) {
        finish(trial, &before);
        return DONE;
    }
    drop(trial, &before);
    if (result != 0) {
        diagnostics_free(&trial->found);
        say(&trial->found, SEVERITY_ERROR, place_of(path, 0, NULL), NO_VALUE,
            "needs more memory than there is");
    }
    return trial->found.out_of_memory ? NO_MEMORY : REFUSED;
}
