/*
 * memory - memory, or the end of the program
 *
 * The functions return memory, or end the program if there is none: one line to the log, exit
 * status 71 (EX_OSERR).  systemd starts the daemon again, and the MTA sends the open messages
 * again. Inputs are bounded where they are read, so no message and no delegated file can use all
 * memory. Any thread.
 */
#ifndef MLMILTER_TEXT_MEMORY_H
#define MLMILTER_TEXT_MEMORY_H

#include <stddef.h>

/* Returns count * size bytes, zeroed, for free(). count or size may be 0. */
void *memory_new(size_t count, size_t size);

/* Resizes memory of malloc (NULL: none) to count * size bytes. Returns it, perhaps moved. */
void *memory_resize(void *memory, size_t count, size_t size);

/* Makes room for one more item after the first `count` of an array (NULL: a new one) of items of
 * `size` bytes. Returns the array, which may have moved, and sets *capacity; free() frees it. Room
 * doubles: n items copy O(n) bytes. */
void *array_grow(void *items, size_t count, size_t *capacity, size_t size);

/* Returns a copy of a C string, for free(). */
char *memory_copy(const char *text);

/* Logs that memory is exhausted and ends the program. */
_Noreturn void memory_exhausted(void);

/* Logs the error of a library without which nothing can go on, and ends the program. */
_Noreturn void library_failed(const char *library, const char *reason);

#endif
