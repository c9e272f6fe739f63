/*
 * cure - pieces of the lines that somebody is told to type
 */
#ifndef MLMILTER_CTL_DOCTOR_CURE_H
#define MLMILTER_CTL_DOCTOR_CURE_H

#include "text/strbuf.h"

/* Appends a word as a shell takes it: in quotes where it has to be. */
void cure_add_word(struct strbuf *out, const char *word);

struct postfix_service;

/* Appends the line that sets a parameter of Postfix, in main.cf (service: NULL) or for a service,
 * and has Postfix read it. */
void cure_add_postconf(struct strbuf *out, const struct postfix_service *service,
                       const char *parameter, struct span value);

/* Appends "mlmilterctl COMMAND", with -c unless the main file is the default one. */
void cure_add_tool(struct strbuf *out, const char *config_path, const char *command);

#endif
