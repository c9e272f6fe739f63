# The commands of the real mlmilterctl, and the configurations of the documents.
long_tests += \
	tests/ctl/failures.py \
	tests/ctl/map_large.py \
	tests/ctl/doctor.py \
	tests/ctl/hostile.py \
	tests/ctl/import.py \
	tests/ctl/map.py
python_tests += \
	tests/ctl/check.py \
	tests/ctl/commands.py \
	tests/ctl/completion.py \
	tests/ctl/documents.py \
	tests/ctl/filter.py \
	tests/ctl/ids.py \
	tests/ctl/lint.py \
	tests/ctl/old_pages.py \
	tests/ctl/one_click_page.py \
	tests/ctl/sequence.py \
	tests/ctl/use.py
EXTRA_DIST += tests/ctl/commands.txt tests/ctl/mailboxes.py
