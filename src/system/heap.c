/* heap - see heap.h */
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
