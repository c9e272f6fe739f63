/* heap - see heap.h */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "system/heap.h"

#ifdef HAVE_MALLOC_TRIM
#include <malloc.h>
#endif

void heap_trim(void)
{
#ifdef HAVE_MALLOC_TRIM
    malloc_trim(0);
#endif
}
