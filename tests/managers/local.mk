# Real list managers behind a private Postfix with the real daemon; skipped without Postfix or root, and where
# the list manager is neither installed nor named: MLMMJ_ROOT, MAILMAN3_ROOT and SYMPA_ROOT are folders that
# contrib/private-packages unpacked its group in. contrib/runtests --all does all that.
long_tests += \
	tests/managers/mlmmj.py \
	tests/managers/mailman3.py \
	tests/managers/sympa.py
