# Real web archives after a real list manager, a private Postfix and the real daemon; skipped without Postfix or root,
# and where a program is neither installed nor named: MLMMJ_ROOT and the like are folders that contrib/private-packages
# unpacked its group in. contrib/runtests --all does all that.
long_tests += \
	tests/archives/apache.py \
	tests/archives/find_page.py \
	tests/archives/hyperkitty.py \
	tests/archives/mhonarc.py \
	tests/archives/old_pages.py \
	tests/archives/public_inbox.py \
	tests/archives/sympa.py

EXTRA_DIST += \
	tests/archives/mlmmj_host.py \
	tests/archives/page.py \
	tests/archives/private_hyperkitty.py \
	tests/archives/private_host.py \
	tests/archives/servers.py \
	tests/archives/web.py
