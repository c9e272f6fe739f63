# The costs of mlmilter: `make bench`, some minutes; not a part of `make check`.
check_PROGRAMS += tests/bench/load tests/bench/filter
tests_bench_load_SOURCES = tests/bench/load.c tests/bench/dialogue.c tests/bench/dialogue.h
tests_bench_load_LDADD =
tests_bench_filter_SOURCES = tests/bench/filter.c
tests_bench_filter_LDADD = $(MILTER_LIBS)
EXTRA_DIST += tests/bench/bench.py
CLEANFILES += latency.svg

# The daemon is the installed one, not that of the tests, whose time-outs are shorter.
bench_programs = src/mlmilter$(EXEEXT) src/mlmilterctl$(EXEEXT) tests/bench/load$(EXEEXT) tests/bench/filter$(EXEEXT)
bench: $(bench_programs)
	@$(AM_TESTS_ENVIRONMENT) MLMILTER='$(abs_top_builddir)/src/mlmilter' \
	$(PYTHON) $(srcdir)/tests/bench/bench.py $(BENCH)
.PHONY: bench
