# What tests in Python share; AM_TESTS_ENVIRONMENT puts this folder into PYTHONPATH.
EXTRA_DIST += \
	tests/lib/common.py \
	tests/lib/daemon.py \
	tests/lib/failing.py \
	tests/lib/failing_calls.c \
	tests/lib/fake_mta.py \
	tests/lib/host_states.py \
	tests/lib/instance.py \
	tests/lib/known.py \
	tests/lib/network.py \
	tests/lib/numbered.py \
	tests/lib/old_archive.py \
	tests/lib/opens.py \
	tests/lib/executor.py \
	tests/lib/rows.py \
	tests/lib/sections.py \
	tests/lib/service_manager.py \
	tests/lib/libshim.c \
	tests/lib/shim.py \
	tests/lib/sites.py \
	tests/lib/streams.py \
	tests/lib/table.py \
	tests/lib/tap.py \
	tests/lib/tool.py \
	tests/lib/unit_sandbox.py

# In front of the C library (glibc's): memory that runs out, a clock that somebody sets, answers
# that leave late, calls that fail. Without sanitizers, which have allocators of their own; where one
# cannot be made, its tests are skipped.
check_DATA = tests/lib/libshim.so tests/lib/failing_calls.so
shared_object = $(MKDIR_P) tests/lib && \
	{ $(CC) $(CPPFLAGS) $(CFLAGS) -fvisibility=default -fPIC -shared -o $@ $(srcdir)/$(@:.so=.c) -ldl || \
	echo "no $@: the tests that need it are skipped"; }
tests/lib/failing_calls.so: $(srcdir)/tests/lib/failing_calls.c
	$(AM_V_GEN)$(shared_object)
tests/lib/libshim.so: $(srcdir)/tests/lib/libshim.c
	$(AM_V_GEN)$(shared_object)
CLEANFILES += tests/lib/libshim.so tests/lib/failing_calls.so
