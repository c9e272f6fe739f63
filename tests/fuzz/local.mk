# Fuzz targets. `make check` runs each with the inputs that are kept in corpus/; `make fuzz` builds
# them with clang's libFuzzer in fuzz-build/ and looks for new ones. Like unit tests they are linked
# with the floor under test and those below it only.
fuzz_targets = \
	tests/fuzz/fuzz_header \
	tests/fuzz/fuzz_fold \
	tests/fuzz/fuzz_date \
	tests/fuzz/fuzz_message_id \
	tests/fuzz/fuzz_list_id \
	tests/fuzz/fuzz_list_fields \
	tests/fuzz/fuzz_uri_template \
	tests/fuzz/fuzz_iri \
	tests/fuzz/fuzz_mailbox \
	tests/fuzz/fuzz_dkim_signature \
	tests/fuzz/fuzz_lint \
	tests/fuzz/fuzz_config \
	tests/fuzz/fuzz_plan \
	tests/fuzz/fuzz_session
check_PROGRAMS += $(fuzz_targets)
TESTS += $(fuzz_targets)

check_LIBRARIES += tests/fuzz/libreplay.a
tests_fuzz_libreplay_a_SOURCES = tests/fuzz/replay.c tests/fuzz/fuzz.c tests/fuzz/fuzz.h

FUZZ_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests/fuzz
FUZZ_MAIL_LIBS = tests/fuzz/libreplay.a $(MAIL_LIBS)
FUZZ_SPEC_LIBS = tests/fuzz/libreplay.a $(SPEC_LIBS)
FUZZ_CONFIGURATIONS = tests/fuzz/configurations.c tests/fuzz/configurations.h \
	tests/fuzz/plan_check.c tests/fuzz/plan_check.h

tests_fuzz_fuzz_header_SOURCES = tests/fuzz/fuzz_header.c
tests_fuzz_fuzz_header_CPPFLAGS = $(FUZZ_CPPFLAGS)
tests_fuzz_fuzz_header_LDADD = $(FUZZ_MAIL_LIBS)

tests_fuzz_fuzz_fold_SOURCES = tests/fuzz/fuzz_fold.c
tests_fuzz_fuzz_fold_CPPFLAGS = $(FUZZ_CPPFLAGS)
tests_fuzz_fuzz_fold_LDADD = $(FUZZ_MAIL_LIBS)

tests_fuzz_fuzz_date_SOURCES = tests/fuzz/fuzz_date.c
tests_fuzz_fuzz_date_CPPFLAGS = $(FUZZ_CPPFLAGS)
tests_fuzz_fuzz_date_LDADD = $(FUZZ_MAIL_LIBS)

tests_fuzz_fuzz_message_id_SOURCES = tests/fuzz/fuzz_message_id.c
tests_fuzz_fuzz_message_id_CPPFLAGS = $(FUZZ_CPPFLAGS)
tests_fuzz_fuzz_message_id_LDADD = $(FUZZ_SPEC_LIBS)

tests_fuzz_fuzz_list_id_SOURCES = tests/fuzz/fuzz_list_id.c
tests_fuzz_fuzz_list_id_CPPFLAGS = $(FUZZ_CPPFLAGS)
tests_fuzz_fuzz_list_id_LDADD = $(FUZZ_SPEC_LIBS)

tests_fuzz_fuzz_list_fields_SOURCES = tests/fuzz/fuzz_list_fields.c
tests_fuzz_fuzz_list_fields_CPPFLAGS = $(FUZZ_CPPFLAGS)
tests_fuzz_fuzz_list_fields_LDADD = $(FUZZ_SPEC_LIBS)

tests_fuzz_fuzz_uri_template_SOURCES = tests/fuzz/fuzz_uri_template.c
tests_fuzz_fuzz_uri_template_CPPFLAGS = $(FUZZ_CPPFLAGS)
tests_fuzz_fuzz_uri_template_LDADD = $(FUZZ_SPEC_LIBS)

tests_fuzz_fuzz_iri_SOURCES = tests/fuzz/fuzz_iri.c
tests_fuzz_fuzz_iri_CPPFLAGS = $(FUZZ_CPPFLAGS)
tests_fuzz_fuzz_iri_LDADD = $(FUZZ_SPEC_LIBS)

tests_fuzz_fuzz_mailbox_SOURCES = tests/fuzz/fuzz_mailbox.c
tests_fuzz_fuzz_mailbox_CPPFLAGS = $(FUZZ_CPPFLAGS)
tests_fuzz_fuzz_mailbox_LDADD = $(FUZZ_SPEC_LIBS)

tests_fuzz_fuzz_dkim_signature_SOURCES = tests/fuzz/fuzz_dkim_signature.c
tests_fuzz_fuzz_dkim_signature_CPPFLAGS = $(FUZZ_CPPFLAGS)
tests_fuzz_fuzz_dkim_signature_LDADD = $(FUZZ_SPEC_LIBS)

tests_fuzz_fuzz_lint_SOURCES = tests/fuzz/fuzz_lint.c
tests_fuzz_fuzz_lint_CPPFLAGS = $(FUZZ_CPPFLAGS)
tests_fuzz_fuzz_lint_LDADD = tests/fuzz/libreplay.a $(LINT_LIBS)

tests_fuzz_fuzz_config_SOURCES = tests/fuzz/fuzz_config.c
tests_fuzz_fuzz_config_CPPFLAGS = $(FUZZ_CPPFLAGS)
tests_fuzz_fuzz_config_LDADD = tests/fuzz/libreplay.a $(CONFIG_LIBS)

# apply_stream.c alone of floor 6: it says what a message is after its edits.
tests_fuzz_fuzz_plan_SOURCES = tests/fuzz/fuzz_plan.c $(FUZZ_CONFIGURATIONS) src/ctl/apply_stream.c
tests_fuzz_fuzz_plan_CPPFLAGS = $(FUZZ_CPPFLAGS)
tests_fuzz_fuzz_plan_LDADD = tests/fuzz/libreplay.a src/liblint.a $(PLAN_LIBS)

# Of the daemon only session.c is taken from its archive, which needs no libmilter.
tests_fuzz_fuzz_session_SOURCES = tests/fuzz/fuzz_session.c tests/store/fake_driver.c $(FUZZ_CONFIGURATIONS)
tests_fuzz_fuzz_session_CPPFLAGS = $(FUZZ_CPPFLAGS)
tests_fuzz_fuzz_session_LDADD = tests/fuzz/libreplay.a $(ALL_STORES) src/libdaemon.a src/liblint.a $(STORE_TEST_LIBS)

# The milter protocol, against the real daemon: tests/fuzz/protocol.py [SECONDS [SEED]]
if HAVE_PYTHON
TESTS += tests/fuzz/protocol.py
endif

# Seconds for each target; which targets; a seed for the protocol (none: another one each time).
FUZZ_TIME = 60
FUZZ_TARGETS =
FUZZ_SEED =
FUZZ_DIRS = -DMLMILTER_SYSCONFDIR=\"$(sysconfdir)\" -DMLMILTER_RUNSTATEDIR=\"$(runstatedir)\" \
	-DMLMILTER_LOCALSTATEDIR=\"$(localstatedir)\"
FUZZ_CFLAGS = $(CRYPTO_CFLAGS) $(CONFUSE_CFLAGS) $(SQLITE_CFLAGS) $(LIBPQ_CFLAGS) $(LIBIDN2_CFLAGS)
fuzz: config.h src/mlmilter$(EXEEXT)
	@$(MAKE) -f $(abs_srcdir)/tests/fuzz/build.mk SOURCE='$(abs_srcdir)' FUZZ_CC=clang \
		FUZZ_CPPFLAGS='$(DEFS) -I. -I$(abs_srcdir)/src -I$(abs_srcdir)/tests/fuzz $(FUZZ_DIRS) $(FUZZ_CFLAGS)' \
		FUZZ_LIBS='$(STORE_LIBS) $(CONFUSE_LIBS) $(CRYPTO_LIBS) $(LIBIDN2_LIBS)'
	@$(AM_TESTS_ENVIRONMENT) FUZZ_TIME='$(FUZZ_TIME)' FUZZ_SEED='$(FUZZ_SEED)' \
		$(SHELL) $(srcdir)/tests/fuzz/run.sh $(FUZZ_TARGETS)
.PHONY: fuzz

EXTRA_DIST += tests/fuzz/build.mk tests/fuzz/run.sh tests/fuzz/protocol.py tests/fuzz/corpus \
	tests/fuzz/dictionaries
