/*
 * parents - the lists above others, when all lists are known (AT-05, LI-11)
 */
#ifndef MLMILTER_CONFIG_LISTS_PARENTS_H
#define MLMILTER_CONFIG_LISTS_PARENTS_H

#include "config/lists/build.h"

/* Leaves out the parents that a file with bounds names itself and that are lists of ours outside of
 * them, and says so (RULINGS 14): a list that was not there when the file was read may be there
 * now. */
void list_builder_drop_parents(struct list_builder *b);

#endif
