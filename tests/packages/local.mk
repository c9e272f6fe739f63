# Packages in bare Debian roots; skipped unless ROOTS names a folder for these (contrib/runtests --all).
long_tests += tests/packages/booted.py tests/packages/debian.py tests/packages/elsewhere.py tests/packages/readme.py \
	tests/packages/rpm.py

EXTRA_DIST += tests/packages/list_managers.py tests/packages/roots.py tests/packages/musl.sh
