# Fuzz targets. `make check` runs each with inputs that its grammar makes; `make fuzz` builds them with clang's
# libFuzzer in fuzz-build/ and searches for others. Like a unit test, each is linked with the layer under test and
# those below it only.
fuzz_targets = \
	tests/fuzz/fuzz_header tests/fuzz/fuzz_fold tests/fuzz/fuzz_date tests/fuzz/fuzz_message_id \
	tests/fuzz/fuzz_list_id tests/fuzz/fuzz_list_fields tests/fuzz/fuzz_uri_template tests/fuzz/fuzz_iri \
	tests/fuzz/fuzz_mailbox tests/fuzz/fuzz_dkim_signature tests/fuzz/fuzz_lint tests/fuzz/fuzz_config \
	tests/fuzz/fuzz_plan tests/fuzz/fuzz_session
check_PROGRAMS += $(fuzz_targets)
TESTS += $(fuzz_targets)

check_LIBRARIES += tests/fuzz/libfuzz.a
tests_fuzz_libfuzz_a_SOURCES = tests/fuzz/main.c tests/fuzz/fuzz.c tests/fuzz/fuzz.h

FUZZ_CONFIGURATIONS = tests/fuzz/configurations.c tests/fuzz/configurations.h \
	tests/fuzz/plan_check.c tests/fuzz/plan_check.h
tests_fuzz_fuzz_header_LDADD = tests/fuzz/libfuzz.a $(MAIL_LIBS)
tests_fuzz_fuzz_fold_LDADD = tests/fuzz/libfuzz.a $(MAIL_LIBS)
tests_fuzz_fuzz_date_LDADD = tests/fuzz/libfuzz.a $(MAIL_LIBS)
tests_fuzz_fuzz_message_id_LDADD = tests/fuzz/libfuzz.a $(SPEC_LIBS)
tests_fuzz_fuzz_list_id_LDADD = tests/fuzz/libfuzz.a $(SPEC_LIBS)
tests_fuzz_fuzz_list_fields_LDADD = tests/fuzz/libfuzz.a $(SPEC_LIBS)
tests_fuzz_fuzz_uri_template_LDADD = tests/fuzz/libfuzz.a $(SPEC_LIBS)
tests_fuzz_fuzz_iri_LDADD = tests/fuzz/libfuzz.a $(SPEC_LIBS)
tests_fuzz_fuzz_mailbox_LDADD = tests/fuzz/libfuzz.a $(SPEC_LIBS)
tests_fuzz_fuzz_dkim_signature_LDADD = tests/fuzz/libfuzz.a $(SPEC_LIBS)
tests_fuzz_fuzz_lint_LDADD = tests/fuzz/libfuzz.a $(LINT_LIBS)
tests_fuzz_fuzz_config_LDADD = tests/fuzz/libfuzz.a $(CONFIG_LIBS)
# Of ctl/ the pure files alone: apply_stream.c makes a message of another and its edits.
tests_fuzz_fuzz_plan_SOURCES = tests/fuzz/fuzz_plan.c $(FUZZ_CONFIGURATIONS) src/ctl/apply_stream.c
tests_fuzz_fuzz_plan_LDADD = tests/fuzz/libfuzz.a src/liblint.a $(PLAN_LIBS)
# Only session.c comes from the archive of the daemon, as it needs no libmilter.
tests_fuzz_fuzz_session_SOURCES = tests/fuzz/fuzz_session.c tests/store/fake_driver.c $(FUZZ_CONFIGURATIONS)
tests_fuzz_fuzz_session_LDADD = tests/fuzz/libfuzz.a $(ALL_STORES) src/libdaemon.a src/liblint.a $(STORE_TEST_LIBS)

# The milter protocol, against the real daemon: tests/fuzz/protocol.py [SECONDS [SEED]]
long_tests += tests/fuzz/protocol.py

# Seconds for each target; which targets; bytes of an input at most; a seed for the protocol (none: another one each time).
FUZZ_TIME = 60
FUZZ_TARGETS =
FUZZ_MAX_LEN = 4096
FUZZ_SEED =
FUZZ_DIRS = -DMLMILTER_SYSCONFDIR=\"$(sysconfdir)\" -DMLMILTER_RUNSTATEDIR=\"$(runstatedir)\" \
	-DMLMILTER_LOCALSTATEDIR=\"$(localstatedir)\"
FUZZ_CFLAGS = $(CRYPTO_CFLAGS) $(CONFUSE_CFLAGS) $(SQLITE_CFLAGS) $(LIBPQ_CFLAGS) $(LIBIDN2_CFLAGS)
fuzz: config.h src/mlmilter$(EXEEXT)
	@$(MAKE) -f $(abs_srcdir)/tests/fuzz/build.mk SOURCE='$(abs_srcdir)' FUZZ_CC=clang \
		FUZZ_CPPFLAGS='-include config.h -I. -I$(abs_srcdir)/src -I$(abs_srcdir)/tests/fuzz $(FUZZ_DIRS) $(FUZZ_CFLAGS)' \
		FUZZ_LIBS='$(STORE_LIBS) $(CONFUSE_LIBS) $(CRYPTO_LIBS) $(LIBIDN2_LIBS)'
	@$(AM_TESTS_ENVIRONMENT) FUZZ_TIME='$(FUZZ_TIME)' FUZZ_MAX_LEN='$(FUZZ_MAX_LEN)' FUZZ_SEED='$(FUZZ_SEED)' \
		$(SHELL) $(srcdir)/tests/fuzz/run.sh $(FUZZ_TARGETS)
.PHONY: fuzz

EXTRA_DIST += tests/fuzz/build.mk tests/fuzz/grow.c tests/fuzz/run.sh
