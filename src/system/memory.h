/*
 * memory - memory that the process does not need any more
 *
 * free() keeps what it gets for the next malloc(), so that a process stays as large as it once
 * was.  Any thread.  small: the one call that not every C library has.
 */
#ifndef MLMILTER_SYSTEM_MEMORY_H
#define MLMILTER_SYSTEM_MEMORY_H

/* Gives all pages back to the system in which nothing lives. To be called when much was freed: it
 * looks through all free memory (of 100,000 lists: some milliseconds). */
void memory_give_back(void);

#endif
