/* New settings are built beside those in force, and published when they are right. */
#include "daemon/reload.h"

#include "daemon/log.h"
#include "daemon/store_check.h"

#include <syslog.h>
#include <time.h>

int reload_publish(struct service *service, struct settings *settings)
{
    if (snapshot_publish(&service->store, settings) != 0)
        return -1;
    /* Nobody else publishes, so they are in force. */
    metrics_settings(&service->metrics, settings, service->store.generation, (int64_t)time(NULL));
    metrics_file_use(&service->metrics_file, settings->metrics);
    return 0;
}

void reload_watch(struct service *service)
{
    struct held_settings in_force = snapshot_acquire(&service->store);

    if (in_force.settings != NULL)
        watch_arm(&service->watch, in_force.settings, service->wrong);
    snapshot_release(&service->store, in_force);
}

/* What the files say now, beside the settings in force, which a delegated file that has become
 * wrong falls back to. NULL: it cannot be used, and what it is made of is watched, as that is what
 * will be made right. *same: nothing has changed. */
static struct settings *load(struct service *service, bool asked, bool *news, bool *same)
{
    struct held_settings in_force = snapshot_acquire(&service->store);
    struct settings *wrong = NULL;
    const struct settings_request request = {
        .path = service->config_path,
        .previous = in_force.settings,
        .wrong = in_force.settings != NULL && in_force.settings->watch ? &wrong : NULL,
    };
    struct settings *settings =
        configuration_load_again(&request, &service->told, news, asked ? NULL : &service->budget);

    settings_free(service->wrong);
    service->wrong = wrong;
    *same = settings != NULL && in_force.settings != NULL &&
            fingerprint_eq(&settings->fingerprint, &in_force.settings->fingerprint);
    snapshot_release(&service->store, in_force);
    return settings;
}

static void publish(struct service *service, struct settings *settings)
{
    size_t lists = settings->index.count;

    start_keys_compare(&service->keys, settings);
    if (reload_publish(service, settings) == 0) {
        log_printf(LOG_INFO, "reloaded %s: generation %u, %zu list%s", service->config_path,
                   service->store.generation, lists, lists == 1 ? "" : "s");
        store_check_in_force(&service->store, &service->metrics);
        reload_watch(service);
    } else {
        settings_free(settings);
        log_line(LOG_ERR, "error: out of memory: the old configuration stays");
        metrics_count(&service->metrics, COUNT_RELOAD_FAILED, 1);
    }
}

/* Files have changed, but not what they say. */
static void keep_in_force(struct service *service, struct settings *settings, bool news)
{
    atomic_store(&service->metrics.delegated_wrong, settings->delegated_wrong);
    settings_free(settings);
    if (news && strbuf_span(&service->told).n == 0)
        log_printf(LOG_INFO, "%s is right again, and as it was", service->config_path);
}

static void fail(struct service *service)
{
    log_printf(LOG_ERR, "error: reload of %s failed: the old configuration stays",
               service->config_path);
    metrics_count(&service->metrics, COUNT_RELOAD_FAILED, 1);
}

void reload(struct service *service, bool asked)
{
    struct settings *settings;
    bool news, same;
    int64_t begin;

    if (asked) {
        strbuf_reset(&service->told);
        watch_forget_told(&service->watch);
    }
    /* Folders that were made meanwhile, and what they hold, are watched before they are read. */
    reload_watch(service);
    watch_begin_load(&service->watch, &begin);
    settings = load(service, asked, &news, &same);
    watch_end_load(&service->watch, begin);
    if (service->wrong != NULL)
        reload_watch(service);
    if (settings != NULL && (asked || !same))
        publish(service, settings);
    else if (settings != NULL)
        keep_in_force(service, settings, news);
    else if (asked || news)
        fail(service);
    if (!asked && !news && (settings == NULL || same))
        return; /* as if nothing had happened */
    metrics_file_write(&service->metrics_file, &service->metrics);
    pid_file_touch(&service->pid_file);
}
