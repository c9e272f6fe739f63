/*
 * built_in - which optional libraries this program was built with
 */
#ifndef MLMILTER_CONFIG_BUILT_IN_H
#define MLMILTER_CONFIG_BUILT_IN_H

/* One line without its end, such as "SQLite: yes, PostgreSQL: no, libidn2: yes". */
const char *built_in_features(void);

#endif
