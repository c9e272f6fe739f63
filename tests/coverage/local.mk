# Which lines of src/ the tests run: `make coverage` builds all once more in coverage-build/, for gcov.
COVERAGE_CC = gcc
COVERAGE_GCOV = gcov
COVERAGE_TESTS =
coverage_options =
if HAVE_SQLITE
coverage_options += --with-sqlite
else
coverage_options += --without-sqlite
endif
if HAVE_LIBPQ
coverage_options += --with-postgresql
else
coverage_options += --without-postgresql
endif
if HAVE_LIBIDN2
coverage_options += --with-libidn2
else
coverage_options += --without-libidn2
endif
coverage: config.status
	@TOP_SRCDIR='$(abs_top_srcdir)' PYTHON='$(PYTHON)' CC='$(COVERAGE_CC)' GCOV='$(COVERAGE_GCOV)' \
		MAKE='$(MAKE)' COVERAGE_TESTS='$(COVERAGE_TESTS)' \
		$(SHELL) $(srcdir)/tests/coverage/run.sh $(coverage_options)
.PHONY: coverage

EXTRA_DIST += tests/coverage/exit.c tests/coverage/report.py tests/coverage/run.sh
