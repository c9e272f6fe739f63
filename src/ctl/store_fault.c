/* Can the store be written? See store_fault.h. */
#include "ctl/store_fault.h"

#include "config/store_kinds.h"
#include "system/path_fault.h"

#include <errno.h>
#include <unistd.h>

bool store_is_unwritable(const struct settings *settings, struct strbuf *why)
{
    const char *path = settings->store + store_key_path(span_cstr(settings->store));
    const char *fault;

    if (*path == '\0')
        return false;
    fault = path_file_fault(path, false);
    if (fault != NULL)
        strbuf_addf(why, "the store %s %s by user id %ld: %s", path,
                    access(path, F_OK) != 0 && errno == ENOENT
                        ? "does not exist yet, and cannot be made"
                        : "cannot be written",
                    (long)geteuid(), fault);
    return fault != NULL;
}
