# Golden messages, and the tool's own commands, through the real mlmilterctl.
golden_tests = tests/golden/run.py tests/golden/commands.py tests/golden/documents.py \
	tests/golden/tool_failures.py
EXTRA_DIST += $(golden_tests)
if HAVE_PYTHON
TESTS += $(golden_tests)
endif

# The cases are found by their names, here as in run.py.
dist-hook:
	cp -f $(srcdir)/tests/golden/*.case $(distdir)/tests/golden/
