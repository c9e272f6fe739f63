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
	tests/bench/output.py \
	tests/bench/rounds.py \
	tests/bench/smoke.py \
	tests/bench/subjects.py

if HAVE_PYTHON
TESTS += tests/bench/smoke.py
endif

# The daemon that is installed, not that of the tests, which waits for less long.
BENCH = $(AM_TESTS_ENVIRONMENT) MLMILTER='$(abs_top_builddir)/src/mlmilter' $(PYTHON) $(srcdir)/tests/bench
bench_programs = src/mlmilter$(EXEEXT) src/mlmilterctl$(EXEEXT) tests/bench/load$(EXEEXT) tests/bench/filter$(EXEEXT)
bench: bench-socket
bench-socket: $(bench_programs)
	@$(BENCH)/at_socket.py
.PHONY: bench bench-socket
