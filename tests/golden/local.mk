# Golden messages through the real mlmilterctl: `filter` and `explain` here, `lint` in tests/findings.
python_tests += tests/golden/run.py tests/findings/run.py

EXTRA_DIST += tests/golden/named/configurations tests/golden/named/messages

# Files of cases are found by their names, here and in run.py.
dist-hook:
	cp -f $(srcdir)/tests/golden/*.cases $(distdir)/tests/golden/
	cp -f $(srcdir)/tests/findings/*.cases $(distdir)/tests/findings/
