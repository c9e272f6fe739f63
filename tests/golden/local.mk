# Golden messages through the real mlmilterctl.
EXTRA_DIST += tests/golden/run.py
if HAVE_PYTHON
TESTS += tests/golden/run.py
endif

# The cases are found by their names, here as in run.py.
dist-hook:
	cp -f $(srcdir)/tests/golden/*.case $(distdir)/tests/golden/
