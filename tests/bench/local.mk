# What mlmilter costs, and what other milters cost beside it: `make bench`, some five minutes for each of
# its parts. Not a part of `make check`, which only sees that they run (smoke.py).
check_PROGRAMS += tests/bench/load tests/bench/filter
tests_bench_load_SOURCES = \
	tests/bench/load.c \
	tests/bench/dialogue.c \
	tests/bench/dialogue.h \
	tests/bench/measure.c \
	tests/bench/measure.h
tests_bench_filter_SOURCES = tests/bench/filter.c
tests_bench_filter_LDADD = $(MILTER_LIBS)
EXTRA_DIST += \
	tests/bench/at_socket.py \
	tests/bench/fixed_fields.py \
	tests/bench/growth.py \
	tests/bench/in_mta.py \
	tests/bench/output.py \
	tests/bench/page.py \
	tests/bench/peers.py \
	tests/bench/python_peer.py \
	tests/bench/rounds.py \
	tests/bench/smoke.py \
	tests/bench/subjects.py
if HAVE_PYTHON
TESTS += tests/bench/smoke.py
endif

# Each part by itself, or all; variables of theirs stand in the scripts' heads: make bench BENCH_TIME=60.
# The daemon is the one that is installed, not that of the tests, which waits for less long.
BENCH = $(AM_TESTS_ENVIRONMENT) MLMILTER='$(abs_top_builddir)/src/mlmilter' \
	PYTHONPATH='$(abs_top_srcdir)/tests/lib:$(abs_top_srcdir)/tests/mta' \
	$(SHELL) -c 'test "$$0" != : || { echo "bench: Python is missing"; exit 1; }; exec "$$0" "$$1"' $(PYTHON) \
	$(srcdir)/tests/bench
bench_programs = \
	src/mlmilter$(EXEEXT) \
	src/mlmilterctl$(EXEEXT) \
	tests/bench/load$(EXEEXT) \
	tests/bench/filter$(EXEEXT)
bench:
	@$(MAKE) $(AM_MAKEFLAGS) bench-mta
	@$(MAKE) $(AM_MAKEFLAGS) bench-socket
	@$(MAKE) $(AM_MAKEFLAGS) bench-growth
bench-mta: $(bench_programs)
	@$(BENCH)/in_mta.py
bench-socket: $(bench_programs)
	@$(BENCH)/at_socket.py
bench-growth: $(bench_programs)
	@$(BENCH)/growth.py

# What the parts found, with its plots, into doc/performance.md.
performance:
	@$(BENCH)/page.py
.PHONY: performance bench bench-mta bench-socket bench-growth

EXTRA_DIST += \
	tests/bench/results.md \
	tests/bench/performance-growth-fields.svg \
	tests/bench/performance-growth-lists.svg \
	tests/bench/performance-mta-postfix.svg \
	tests/bench/performance-mta-sendmail.svg \
	tests/bench/performance-socket-cpu.svg \
	tests/bench/performance-socket-rate.svg
