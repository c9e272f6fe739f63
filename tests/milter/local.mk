# The real daemon at the milter protocol's other end: Python's standard library is all they need.
milter_tests = \
	tests/milter/harness.py \
	tests/milter/negotiation.py \
	tests/milter/stamping.py \
	tests/milter/selection.py \
	tests/milter/crosspost.py \
	tests/milter/policies.py \
	tests/milter/sendmail_msg_id.py \
	tests/milter/connection_life.py \
	tests/milter/failures.py \
	tests/milter/reload.py \
	tests/milter/start_stop.py \
	tests/milter/log_lines.py \
	tests/milter/traffic.py \
	tests/milter/privileges.py \
	tests/milter/delegation.py \
	tests/milter/store.py \
	tests/milter/store_failures.py \
	tests/milter/kill.py \
	tests/milter/store_postgresql.py
if HAVE_PYTHON
TESTS += $(milter_tests)
endif
EXTRA_DIST += $(milter_tests) \
	tests/milter/common.py \
	tests/milter/daemon.py \
	tests/milter/fake_mta.py \
	tests/milter/numbered.py \
	tests/milter/store_load.py \
	tests/milter/tap.py
