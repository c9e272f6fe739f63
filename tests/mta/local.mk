# A private Postfix (contrib/private-postfix) with the real daemon; skipped without Postfix or root,
# and one_click.py without OpenDKIM. The page needs mlmilterctl only.
mta_tests = \
	tests/mta/delivery.py \
	tests/mta/one_click.py \
	tests/mta/one_click_page.py \
	tests/mta/reload_under_load.py
if HAVE_PYTHON
TESTS += $(mta_tests)
endif
EXTRA_DIST += $(mta_tests) \
	tests/mta/instance.py \
	tests/mta/signature.py
