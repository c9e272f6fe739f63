# A private Postfix (contrib/private-postfix) with the real daemon; skipped without Postfix or root,
# signatures.py without OpenDKIM, too. scenarios.py, faults.py and spellings.py
# do the same with a private Sendmail (contrib/private-sendmail) beside it. Debian's packages
# of both programs are fetched once, where neither OPENDKIM_ROOT or SENDMAIL_ROOT says where they are nor
# the program is installed.
long_tests += \
	tests/mta/faults.py \
	tests/mta/attach.py \
	tests/mta/doctor.py \
	tests/mta/signatures.py \
	tests/mta/scenarios.py \
	tests/mta/spellings.py \
	tests/mta/postfix.py

# One table of both MTAs: what is sent through them, what becomes of it, and what differs.
scenarios:
	@status=0; $(MAKE) $(AM_MAKEFLAGS) check TESTS=tests/mta/scenarios.py || status=$$?; \
	sed -n 's/^# //p' tests/mta/scenarios.log; exit $$status
.PHONY: scenarios

EXTRA_DIST += \
	tests/mta/both_mtas.py \
	tests/mta/spelling_sites.py

distclean-local:
	rm -rf opendkim.packages sendmail.packages
