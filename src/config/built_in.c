/* built_in - see built_in.h */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "config/built_in.h"

#ifdef HAVE_SQLITE
#define SQLITE "SQLite: yes"
#else
#define SQLITE "SQLite: no"
#endif
#ifdef HAVE_LIBPQ
#define POSTGRESQL "PostgreSQL: yes"
#else
#define POSTGRESQL "PostgreSQL: no"
#endif
#ifdef HAVE_LIBIDN2
#define IDN "libidn2: yes"
#else
#define IDN "libidn2: no"
#endif

const char *built_in_features(void)
{
    return SQLITE ", " POSTGRESQL ", " IDN;
}
