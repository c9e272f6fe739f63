# Golden messages through `mlmilterctl lint`.
EXTRA_DIST += tests/findings/run.py
if HAVE_PYTHON
TESTS += tests/findings/run.py
endif

# Files of cases are found by their names, here and in run.py.
dist-hook: dist-findings
dist-findings:
	cp -f $(srcdir)/tests/findings/*.cases $(distdir)/tests/findings/
.PHONY: dist-findings
