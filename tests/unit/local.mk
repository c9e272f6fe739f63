# Unit tests: one program per module, linked with the floor under test and those below it only, so
# that an upward call does not link.
if HAVE_CMOCKA
unit_tests =
include tests/unit/text.mk
include tests/unit/mail.mk
include tests/unit/spec.mk
include tests/unit/lint.mk
include tests/unit/config.mk
include tests/unit/plan.mk
include tests/unit/store.mk
include tests/unit/libmilter.mk
include tests/unit/milter.mk
include tests/unit/ctl.mk
include tests/unit/daemon.mk
check_PROGRAMS += $(unit_tests)
TESTS += $(unit_tests)
endif

UNIT_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests/unit $(CMOCKA_CFLAGS)
TEXT_LIBS = src/libtext.a
MAIL_LIBS = src/libmail.a $(TEXT_LIBS)
SPEC_LIBS = src/libspec.a $(MAIL_LIBS) $(CRYPTO_LIBS) $(LIBIDN2_LIBS)
LINT_LIBS = src/liblint.a $(SPEC_LIBS)
REPORT_LIBS = src/libconfigreport.a $(SPEC_LIBS)
SYNTAX_LIBS = src/libconfigsyntax.a $(REPORT_LIBS) $(CONFUSE_LIBS)
FILES_LIBS = src/libconfigfiles.a $(SYNTAX_LIBS)
LISTS_LIBS = src/libconfiglists.a $(FILES_LIBS)
DELEGATION_LIBS = src/libconfigdelegation.a $(LISTS_LIBS)
CONFIG_LIBS = src/libconfig.a src/libsystem.a $(DELEGATION_LIBS)
PLAN_LIBS = src/libplan.a $(CONFIG_LIBS)
SYSTEM_LIBS = src/libsystem.a $(TEXT_LIBS)
STORE_TEST_LIBS = $(STORE_ARCHIVES) $(PLAN_LIBS) $(STORE_LIBS)
DAEMON_LIBS = src/libdaemon.a $(SYSTEM_LIBS)
CTL_LIBS = src/libctl.a src/libsystem.a $(SPEC_LIBS)
