# unit tests of src/daemon

unit_tests += tests/unit/test_metrics
tests_unit_test_metrics_SOURCES = tests/unit/test_metrics.c \
	src/daemon/metrics.c src/daemon/metrics.h src/daemon/metrics_print.c
tests_unit_test_metrics_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_metrics_LDADD = $(TEXT_LIBS) $(CMOCKA_LIBS)

unit_tests += tests/unit/test_debounce
tests_unit_test_debounce_SOURCES = tests/unit/test_debounce.c src/daemon/debounce.c src/daemon/debounce.h
tests_unit_test_debounce_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_debounce_LDADD = $(TEXT_LIBS) $(CMOCKA_LIBS)
