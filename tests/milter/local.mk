# The real daemon at the milter protocol's other end: Python's standard library is all they need.
long_tests += \
	tests/milter/surroundings.py \
	tests/milter/store_failures.py \
	tests/milter/watch.py \
	tests/milter/gaps.py \
	tests/milter/libmilter_builds.py \
	tests/milter/failing_calls.py \
	tests/milter/sandbox.py \
	tests/milter/status.py
python_tests += \
	tests/milter/harness.py \
	tests/milter/sessions.py \
	tests/milter/scenarios.py \
	tests/milter/decisions.py \
	tests/milter/failures.py \
	tests/milter/reload.py \
	tests/milter/start_stop.py \
	tests/milter/log_lines.py \
	tests/milter/metrics.py \
	tests/milter/privileges.py \
	tests/milter/no_secrets.py \
	tests/milter/notify.py \
	tests/milter/delegation.py \
	tests/milter/store.py

# The daemon of the tests: mlmilter with a table of times of its own (system/timeouts.h), in which each is
# this part of what it is, so that the tests need not sit through them.
TEST_TIMEOUT_DIVISOR = 10
check_PROGRAMS += tests/mlmilter
tests_mlmilter_SOURCES = src/daemon/main.c src/system/timeouts.c
if HAVE_SQLITE
tests_mlmilter_SOURCES += tests/milter/slow_store.c
endif
tests_mlmilter_CPPFLAGS = $(AM_CPPFLAGS) $(SQLITE_CFLAGS) -DTIMEOUT_DIVISOR=$(TEST_TIMEOUT_DIVISOR)
tests_mlmilter_LDADD = $(src_mlmilter_LDADD)
