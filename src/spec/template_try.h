/*
 * template_try - what would a template make, once there are values?
 *
 * A template of URIs is tried when it is read, so that one that makes no URIs is an
 * error then, and not with each message.
 */
#ifndef MLMILTER_SPEC_TEMPLATE_TRY_H
#define MLMILTER_SPEC_TEMPLATE_TRY_H

#include "spec/uri_template.h"
#include "text/strbuf.h"

#include <stdint.h>

/* VAR_BITs of the variables in the host name of a URI ("scheme://host"), with all up to the next
 * "/", "?" or "#". */
uint64_t template_host_variables(const struct template *uri);

/* Appends to *uri what the template makes of these values, with a sample for each that is not set:
 * escaping keeps every other value as harmless. sample: "1", say, for all but {archive}; NULL:
 * texts as long as such values may well be. 0; 1: the template makes no URIs (uri_fault), or its
 * host name needs more than the list has (RULINGS 47), and *fault, which is static, says so as a
 * phrase behind the template in quotes; -1: out of memory. */
int template_try(const struct template *t, const struct variable_values *values, const char *sample,
                 struct strbuf *uri, const char **fault);

#endif
