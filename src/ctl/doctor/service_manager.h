/*
 * service_manager - how mlmilter is started on this host, as lines to type
 */
#ifndef MLMILTER_CTL_DOCTOR_SERVICE_MANAGER_H
#define MLMILTER_CTL_DOCTOR_SERVICE_MANAGER_H

#include "text/strbuf.h"

#include <stdbool.h>
#include <sys/types.h>

/* Does systemd run here, and is our unit for this configuration installed; and will it be started
 * with the host? */
bool service_has_unit(const char *config_path);
bool service_is_enabled(void);

/* Appends the line that starts mlmilter, or ends the process and starts it again. */
void service_add_start(struct strbuf *cure, const char *config_path);
void service_add_restart(struct strbuf *cure, const char *config_path, pid_t pid);

/* Does our unit start a process of the user that is not in the group, and so cannot give it the
 * socket (the unit starts no part as root)? Asks systemctl. false where that cannot be known.
 * Appends the line that makes the unit add the group. */
bool service_lacks_group(const char *config_path, const char *group, const char *user);
void service_add_group(struct strbuf *cure, const char *group);

/* Appends what gives the socket to a group, with the restart, a line each. */
void service_add_socket_group(struct strbuf *cure, const char *config_path, const char *group,
                              pid_t pid);

#endif
