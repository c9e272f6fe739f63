# A private Postfix (contrib/private-postfix) with the real daemon; skipped without Postfix or root.
mta_tests = \
	tests/mta/delivery.py \
	tests/mta/reload_under_load.py
if HAVE_PYTHON
TESTS += $(mta_tests)
endif
EXTRA_DIST += $(mta_tests) \
	tests/mta/instance.py
