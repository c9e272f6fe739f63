/*
 * memory - memory that the process no longer needs
 *
 * free() keeps memory for the next malloc(), so that a process stays at its largest size.  Any
 * thread.
 */
#ifndef MLMILTER_SYSTEM_MEMORY_H
#define MLMILTER_SYSTEM_MEMORY_H

/* Returns empty pages to the system. It reads all free memory (100,000 lists: some milliseconds),
 * so call it after much was freed. */
void memory_give_back(void);

#endif
