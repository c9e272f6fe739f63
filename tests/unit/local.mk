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
include tests/unit/ctl.mk
check_PROGRAMS += $(unit_tests)
TESTS += $(unit_tests)
endif

UNIT_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests/unit $(CMOCKA_CFLAGS)
if !HAVE_SQLITE
noinst_LIBRARIES += tests/unit/liballstores.a
tests_unit_liballstores_a_SOURCES = tests/unit/all_stores.c
ALL_STORES = tests/unit/all_stores.$(OBJEXT)
endif
TEXT_LIBS = src/libtext.a
MAIL_LIBS = src/libmail.a $(TEXT_LIBS)
SPEC_LIBS = src/libspec.a $(MAIL_LIBS) $(CRYPTO_LIBS) $(LIBIDN2_LIBS)
LINT_LIBS = src/liblint.a $(SPEC_LIBS)
READ_LIBS = src/libconfigread.a $(SPEC_LIBS) $(CONFUSE_LIBS)
LISTS_LIBS = src/libconfiglists.a $(READ_LIBS)
BUILT_LIBS = src/libconfig.a src/libsystem.a $(LISTS_LIBS)
CONFIG_LIBS = $(ALL_STORES) $(BUILT_LIBS)
PLAN_LIBS = src/libplan.a $(CONFIG_LIBS)
SYSTEM_LIBS = src/libsystem.a $(TEXT_LIBS)
STORE_TEST_LIBS = $(STORE_ARCHIVES) src/libplan.a $(BUILT_LIBS) $(STORE_LIBS)
CTL_LIBS = src/libctl.a src/libsystem.a $(SPEC_LIBS)
