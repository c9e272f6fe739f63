/*
 * values - what tests of templates have in common: an arena for each test, and values of variables
 */
#ifndef MLMILTER_TESTS_VALUES_H
#define MLMILTER_TESTS_VALUES_H

#include "spec/variables.h"
#include "text/arena.h"

static struct arena arena;

static int set_up(void **state)
{
    (void)state;
    arena_init(&arena, 0);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    arena_free(&arena);
    return 0;
}

static void set(struct variable_values *values, enum variable v, const char *text)
{
    values->set |= VAR_BIT(v);
    values->text[v] = span_cstr(text);
}

#endif
