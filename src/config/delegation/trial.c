/* trial - begin, build, and adopt or drop. */
#include "config/delegation/trial.h"

#include "config/report/say.h"
#include "config/syntax/sections.h"
#include "text/memory.h"

#include <stdlib.h>
#include <string.h>

static void visit_section(void *context, enum section_kind kind, struct raw_section *section)
{
    struct trial *trial = context;
    if (kind != SECTION_KIND_LIST)
        return;
    raw_section_check(section, &trial->found);
    list_builder_add(trial->builder, section);
}

void trial_init(struct trial *trial, struct list_builder *builder,
                const struct delegated_file **kept)
{
    *trial = (struct trial){.builder = builder, .kept = kept};
    diagnostics_init(&trial->found);
    trial->sections = sections_new(&trial->found, visit_section, trial);
}

void trial_free(struct trial *trial)
{
    sections_free(trial->sections);
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

static void adopt(struct trial *trial, const struct before *before, const char *path,
                  struct span text)
{
    struct list_builder *b = trial->builder;
    size_t count = b->index->count;
    delegated_file_keep(trial->kept, b->given.arena, path, text);
    list_index_take(before->builder.index, b->index);
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

static void build(struct trial *trial, const char *path, struct span text)
{
    struct statements statements;
    char *copy = memory_new(text.n, 1); /* it is changed */
    if (text.n > 0)
        memcpy(copy, text.p, text.n);
    if (statements_cut(&statements, path, copy, text.n, &trial->found) &&
        !has_too_many(trial, path, &statements))
        sections_of_list_file(trial->sections, &statements);
    statements_free(&statements);
    free(copy);
    list_builder_finish(trial->builder);
}

bool trial_take(struct trial *trial, const struct delegate *delegate, const char *path,
                struct span text)
{
    struct list_index index;
    struct hint_groups hints;
    struct before before;
    trial->delegate = delegate;
    diagnostics_free(&trial->found);
    begin(trial, &before, &index, &hints);
    build(trial, path, text);
    bool is_right = !diagnostics_has_errors(&trial->found);
    if (is_right)
        adopt(trial, &before, path, text);
    else
        drop(trial, &before);
    return is_right;
}
