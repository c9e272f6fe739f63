/*
 * heap - the memory of malloc()
 */
#ifndef MLMILTER_SYSTEM_HEAP_H
#define MLMILTER_SYSTEM_HEAP_H

/* Gives free memory back to the system, where the C library keeps it: else the process stays at its
 * largest size. Any thread. */
void heap_trim(void);

#endif
