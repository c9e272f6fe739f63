/* probes - see probes.h */
#include "daemon/probes.h"

#include "system/signals.h"
#include "text/visible.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define NAME         "mlmilter-probe."
#define KEY_MAX      16 /* hexadecimal digits, of a nonce, too */
#define N_MAX        4  /* digits */
#define RECORDS_MAX  64
#define RECORD_BYTES 200

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static char prefix[sizeof NAME + KEY_MAX + 1]; /* NAME, KEY and "."; empty without KEY */
static char records[RECORDS_MAX][RECORD_BYTES];
static unsigned next_record;

void probes_start(void)
{
    unsigned char key[KEY_MAX / 2];
    if (getentropy(key, sizeof key) != 0)
        return;
    memcpy(prefix, NAME, sizeof NAME);
    for (size_t i = 0; i < sizeof key; i++)
        snprintf(prefix + strlen(prefix), 3, "%02x", key[i]);
    prefix[sizeof prefix - 2] = '.';
}

bool probes_read(struct span text, struct span *number)
{
    struct span start = span_cstr(prefix);
    size_t dot = start.n + KEY_MAX, end = span_find(text, '@');
    if (start.n == 0 || !span_eq(span_sub(text, 0, start.n), start) || end < dot + 2 ||
        end > dot + 1 + N_MAX || text.p[dot] != '.')
        return false;
    *number = span_sub(text, start.n, end - start.n);
    return strspn(number->p, "0123456789abcdef") == KEY_MAX &&
           strspn(number->p + KEY_MAX + 1, "0123456789") == number->n - KEY_MAX - 1;
}

void probes_record(struct span number, bool is_trusted, const char *address,
                   struct span daemon_name)
{
    pthread_mutex_lock(&mutex);
    snprintf(records[next_record++ % RECORDS_MAX], RECORD_BYTES, "%.*s %s %s %.*s", (int)number.n,
             number.p, is_trusted ? "trusted" : "untrusted", address,
             (int)(daemon_name.n < 100 ? daemon_name.n : 100), daemon_name.p);
    pthread_mutex_unlock(&mutex);
    signals_wake();
}

void probes_add(struct strbuf *out)
{
    if (*prefix == '\0')
        return;
    strbuf_addf(out, "probe-key: %.*s\n", KEY_MAX, prefix + strlen(NAME));
    pthread_mutex_lock(&mutex);
    for (unsigned i = 0; i < RECORDS_MAX; i++) {
        const char *record = records[(next_record + i) % RECORDS_MAX];
        if (*record == '\0')
            continue;
        strbuf_add_str(out, "probe: ");
        visible_add(out, span_cstr(record));
        strbuf_add_char(out, '\n');
    }
    pthread_mutex_unlock(&mutex);
}
