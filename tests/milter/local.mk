# The real daemon at the milter protocol's other end: Python's standard library is all they need.
milter_tests = \
	tests/milter/harness.py \
	tests/milter/negotiation.py \
	tests/milter/stamping.py \
	tests/milter/selection.py \
	tests/milter/crosspost.py \
	tests/milter/policies.py \
	tests/milter/sendmail_msg_id.py \
	tests/milter/connection_life.py \
	tests/milter/failures.py \
	tests/milter/reload.py \
	tests/milter/start_stop.py \
	tests/milter/last_answers.py \
	tests/milter/log_lines.py \
	tests/milter/metrics.py \
	tests/milter/gaps.py \
	tests/milter/traffic.py \
	tests/milter/no_memory.py \
	tests/milter/failing_calls.py \
	tests/milter/clock.py \
	tests/milter/surroundings.py \
	tests/milter/privileges.py \
	tests/milter/modes.py \
	tests/milter/no_secrets.py \
	tests/milter/notify.py \
	tests/milter/sandbox.py \
	tests/milter/delegation.py \
	tests/milter/watch.py \
	tests/milter/store.py \
	tests/milter/store_failures.py \
	tests/milter/kill.py \
	tests/milter/store_postgresql.py
if HAVE_PYTHON
TESTS += $(milter_tests)
endif
EXTRA_DIST += $(milter_tests) \
	tests/milter/common.py \
	tests/milter/daemon.py \
	tests/milter/failing.py \
	tests/milter/failing_calls.c \
	tests/milter/fake_mta.py \
	tests/milter/numbered.py \
	tests/milter/shim.c \
	tests/milter/shim.py \
	tests/milter/service_manager.py \
	tests/milter/store_load.py \
	tests/milter/tap.py \
	tests/milter/unit_sandbox.py

# In front of the C library (glibc's): memory that runs out, a clock that somebody sets, answers
# that leave late, calls that fail. Without sanitizers, which have allocators of their own; where one cannot be made, its tests are
# skipped.
check_DATA = tests/milter/shim.so tests/milter/failing_calls.so
tests/milter/failing_calls.so: $(srcdir)/tests/milter/failing_calls.c
	$(AM_V_GEN)$(MKDIR_P) tests/milter && \
	{ $(CC) $(CPPFLAGS) $(CFLAGS) -fPIC -shared -o $@ $(srcdir)/tests/milter/failing_calls.c -ldl || \
	echo "no $@: the tests that need it are skipped"; }
tests/milter/shim.so: $(srcdir)/tests/milter/shim.c
	$(AM_V_GEN)$(MKDIR_P) tests/milter && \
	{ $(CC) $(CPPFLAGS) $(CFLAGS) -fPIC -shared -o $@ $(srcdir)/tests/milter/shim.c -ldl || \
	echo "no $@: the tests that need it are skipped"; }
CLEANFILES += tests/milter/shim.so tests/milter/failing_calls.so
