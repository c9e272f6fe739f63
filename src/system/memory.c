/* memory - glibc's malloc_trim(); elsewhere the C library decides. */
#include <config.h>

#include "system/memory.h"

#ifdef HAVE_MALLOC_TRIM
#include <malloc.h>
#endif

void memory_give_back(void)
{
#ifdef HAVE_MALLOC_TRIM
    malloc_trim(0);
#endif
}
