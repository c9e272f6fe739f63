/*
 * postfix_values - what postconf(1) printed, and the values in it
 *
 * Texts are borrowed.  Pure.
 */
#ifndef MLMILTER_CTL_DOCTOR_POSTFIX_VALUES_H
#define MLMILTER_CTL_DOCTOR_POSTFIX_VALUES_H

#include "text/span.h"
#include "text/strbuf.h"

#include <stdbool.h>

struct postfix_values {
    struct span main;      /* postconf -x: "name = value" */
    struct span master;    /* postconf -M: the columns of master.cf, one service a line */
    struct span overrides; /* postconf -x -P: "service/type/name = value" */
};

/* A line of master.cf. */
struct postfix_service {
    struct span name, type, command;
    bool is_chrooted;
};

/* Takes the next line of *rest; false: there is none. */
bool next_line(struct span *rest, struct span *line);

/* Takes the next word of *rest, where these octets stand between words; false: there is none. */
bool next_word(struct span *rest, const char *separators, struct span *word);

/* Is the word anywhere in s, ASCII letter case aside? */
bool text_contains(struct span s, const char *word);

/* The value of a parameter in main.cf (service: NULL) or for a service; .p is NULL where it is not
 * known. *is_own: the service has one of its own. */
struct span postfix_value(const struct postfix_values *values, const char *parameter,
                          const struct postfix_service *service, bool *is_own);

/* Takes the next service of *rest, which is values->master at first. */
bool next_service(const struct postfix_values *values, struct span *rest,
                  struct postfix_service *service);

/* Does only this host reach it, by the address in its name? */
bool service_is_loopback(const struct postfix_service *service);

/* Is it for users who log in (587, 465)? */
bool service_is_submission(const struct postfix_service *service);

/* Is it a word of the value? */
bool value_has_word(struct span value, const char *word);

/* A time of Postfix ("30s", "5m", "2h", "1d", "1w") in seconds; false: it is none. */
bool postfix_seconds(struct span text, unsigned *seconds);

#endif
