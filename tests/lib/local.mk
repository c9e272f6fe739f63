# The library of tests in Python; AM_TESTS_ENVIRONMENT puts this folder into PYTHONPATH.
EXTRA_DIST += \
	tests/lib/common.py \
	tests/lib/daemon.py \
	tests/lib/fake_mta.py \
	tests/lib/host_states.py \
	tests/lib/instance.py \
	tests/lib/known.py \
	tests/lib/linux.py \
	tests/lib/list_host.py \
	tests/lib/numbered.py \
	tests/lib/old_archive.py \
	tests/lib/private_mailman.py \
	tests/lib/private_mlmmj.py \
	tests/lib/private_sympa.py \
	tests/lib/executor.py \
	tests/lib/rows.py \
	tests/lib/libshim.c \
	tests/lib/shim.py \
	tests/lib/sites.py \
	tests/lib/streams.py \
	tests/lib/table.py \
	tests/lib/tap.py \
	tests/lib/tool.py \
	tests/lib/unit_sandbox.py

# In front of the C library (glibc's): memory that runs out, a clock that somebody sets, answers that leave late,
# calls that fail. Without sanitizers, which have allocators of their own; where it cannot be made, its tests are skipped.
check_DATA = tests/lib/libshim.so
tests/lib/libshim.so: $(srcdir)/tests/lib/libshim.c
	$(AM_V_GEN)$(MKDIR_P) tests/lib && \
	{ $(CC) $(CPPFLAGS) $(CFLAGS) -fvisibility=default -fPIC -shared -o $@ $(srcdir)/tests/lib/libshim.c -ldl || \
	echo "no $@: the tests that need it are skipped"; }
CLEANFILES += tests/lib/libshim.so
