# unit tests of src/daemon

unit_tests += tests/unit/test_metrics
tests_unit_test_metrics_SOURCES = tests/unit/test_metrics.c
tests_unit_test_metrics_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_metrics_LDADD = $(DAEMON_LIBS) $(CMOCKA_LIBS)

unit_tests += tests/unit/test_debounce
tests_unit_test_debounce_SOURCES = tests/unit/test_debounce.c
tests_unit_test_debounce_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_debounce_LDADD = $(DAEMON_LIBS) $(CMOCKA_LIBS)

unit_tests += tests/unit/test_error_budget
tests_unit_test_error_budget_SOURCES = tests/unit/test_error_budget.c
tests_unit_test_error_budget_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_error_budget_LDADD = $(DAEMON_LIBS) $(CMOCKA_LIBS)

unit_tests += tests/unit/test_metrics_file
tests_unit_test_metrics_file_SOURCES = tests/unit/test_metrics_file.c
tests_unit_test_metrics_file_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_metrics_file_LDADD = $(DAEMON_LIBS) $(CMOCKA_LIBS)

unit_tests += tests/unit/test_log_syslog
tests_unit_test_log_syslog_SOURCES = tests/unit/test_log_syslog.c
tests_unit_test_log_syslog_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_log_syslog_LDADD = $(DAEMON_LIBS) $(CMOCKA_LIBS)

unit_tests += tests/unit/test_log
tests_unit_test_log_SOURCES = tests/unit/test_log.c
tests_unit_test_log_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_log_LDADD = $(DAEMON_LIBS) $(CMOCKA_LIBS)

unit_tests += tests/unit/test_gate
tests_unit_test_gate_SOURCES = tests/unit/test_gate.c
tests_unit_test_gate_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_gate_LDADD = $(DAEMON_LIBS) $(CMOCKA_LIBS)
