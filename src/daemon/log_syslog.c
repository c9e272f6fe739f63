/* A ring of lines and the thread that empties it. */
#include "daemon/log_syslog.h"

#include "system/monotonic.h"
#include "system/thread.h"
#include "system/wait_for_none.h"
#include "text/memory.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>

/* A line is some 200 octets. At 500 messages a second these are two seconds. */
#define ROOM ((size_t)1000)

struct entry {
    int priority;
    char *line; /* owned */
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static pthread_cond_t empty; /* for wait_for_none */
static struct entry ring[ROOM];
static size_t first;
static size_t waiting; /* with the line that is being written */
static unsigned long lost;
static bool running;

/* With the mutex held, which is not held while it writes. */
static void write_first(void)
{
    struct entry entry = ring[first];
    unsigned long count = lost;
    lost = 0;
    pthread_mutex_unlock(&mutex);
    if (count > 0)
        syslog(LOG_WARNING, "warning: %lu log lines were lost: syslog did not take them", count);
    syslog(entry.priority, "%s", entry.line);
    free(entry.line);
    pthread_mutex_lock(&mutex);
    first = (first + 1) % ROOM;
    if (--waiting == 0)
        pthread_cond_broadcast(&empty);
}

static void *run(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&mutex);
    for (;;) {
        while (waiting == 0)
            pthread_cond_wait(&filled, &mutex);
        write_first();
    }
    return NULL;
}

int log_syslog_start(void)
{
    int result = 0;
    pthread_mutex_lock(&mutex);
    if (!running) {
        monotonic_cond_init(&empty);
        result = thread_start(NULL, run, NULL);
        running = result == 0;
    }
    pthread_mutex_unlock(&mutex);
    return result;
}

void log_syslog_write(int priority, const char *line)
{
    bool queued;
    pthread_mutex_lock(&mutex);
    queued = running;
    if (queued) {
        if (waiting < ROOM) {
            ring[(first + waiting++) % ROOM] = (struct entry){priority, memory_copy(line)};
            pthread_cond_signal(&filled);
        } else
            lost++;
    }
    pthread_mutex_unlock(&mutex);
    if (!queued)
        syslog(priority, "%s", line);
}

void log_syslog_drain(unsigned milliseconds)
{
    pthread_mutex_lock(&mutex);
    if (running)
        (void)wait_for_none(&waiting, &empty, &mutex, milliseconds);
    pthread_mutex_unlock(&mutex);
}
