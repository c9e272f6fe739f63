# A private Postfix (contrib/private-postfix) with the real daemon; skipped without Postfix or root,
# and one_click.py without OpenDKIM. The page needs mlmilterctl only. scenarios.py does the same with a
# private Sendmail (contrib/private-sendmail) beside it; it fetches Debian's packages of it once, where
# neither SENDMAIL_ROOT says where they are nor Sendmail is installed.
mta_tests = \
	tests/mta/delivery.py \
	tests/mta/one_click.py \
	tests/mta/one_click_page.py \
	tests/mta/reload_under_load.py \
	tests/mta/faults.py \
	tests/mta/scenarios.py
if HAVE_PYTHON
TESTS += $(mta_tests)
endif
EXTRA_DIST += $(mta_tests) \
	tests/mta/both_mtas.py \
	tests/mta/cutting_proxy.py \
	tests/mta/instance.py \
	tests/mta/sendmail_instance.py \
	tests/mta/signature.py \
	tests/mta/table.py

distclean-local:
	rm -rf sendmail.packages
