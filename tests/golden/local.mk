# Golden messages through the real mlmilterctl.
EXTRA_DIST += tests/golden/run.py
if HAVE_PYTHON
TESTS += tests/golden/run.py
endif

# Files of cases are found by their names, here and in run.py.
dist-hook:
	cp -f $(srcdir)/tests/golden/*.cases $(distdir)/tests/golden/
