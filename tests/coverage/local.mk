# Which lines of src/ the tests run: `make coverage` builds all once more in coverage-build/, for gcov.
COVERAGE_CC = gcc
COVERAGE_GCOV = gcov
COVERAGE_TESTS =
coverage: config.status
	@TOP_SRCDIR='$(abs_top_srcdir)' CC='$(COVERAGE_CC)' GCOV='$(COVERAGE_GCOV)' \
		MAKE='$(MAKE)' COVERAGE_TESTS='$(COVERAGE_TESTS)' \
		$(SHELL) $(srcdir)/tests/coverage/run.sh
.PHONY: coverage

EXTRA_DIST += tests/coverage/exit.c tests/coverage/run.sh
