# Unit tests: one program per module, made of the file of its name. Each is linked with the layer under test and those
# below it only, so that an upward call does not link.
unit_tests = \
	tests/unit/test_text tests/unit/test_mail tests/unit/test_ids tests/unit/test_uris tests/unit/test_fields \
	tests/unit/test_lint tests/unit/test_readers tests/unit/test_config_read tests/unit/test_list_index \
	tests/unit/test_settings tests/unit/test_settings_calls tests/unit/test_plan \
	tests/unit/test_store tests/unit/test_store_front tests/unit/test_store_timeouts tests/unit/test_connection \
	tests/unit/test_maildir
if HAVE_SQLITE
unit_tests += tests/unit/test_store_sqlite
endif
if HAVE_CMOCKA
check_LIBRARIES += tests/unit/libtable.a
check_PROGRAMS += $(unit_tests)
TESTS += $(unit_tests)
endif
EXTRA_DIST += tests/unit/check.h tests/unit/config_help.h tests/unit/generated.h tests/unit/store_help.h \
	tests/unit/config_read.txt tests/unit/fields.txt tests/unit/folders.txt tests/unit/ids.txt tests/unit/lint.txt \
	tests/unit/mail.txt tests/unit/plan.txt tests/unit/settings.txt tests/unit/text.txt tests/unit/uris.txt

if !HAVE_SQLITE
noinst_LIBRARIES += tests/unit/liballstores.a
tests_unit_liballstores_a_SOURCES = tests/unit/all_stores.c
ALL_STORES = tests/unit/all_stores.$(OBJEXT)
endif
TEXT_LIBS = src/libtext.a
SYSTEM_LIBS = src/libsystem.a $(TEXT_LIBS)
MAIL_LIBS = src/libmail.a $(TEXT_LIBS)
SPEC_LIBS = src/libspec.a $(MAIL_LIBS) $(CRYPTO_LIBS) $(LIBIDN2_LIBS)
LINT_LIBS = src/liblint.a $(SPEC_LIBS)
READ_LIBS = src/libconfigread.a src/libsystem.a $(SPEC_LIBS) $(CONFUSE_LIBS)
LISTS_LIBS = src/libconfiglists.a $(READ_LIBS)
BUILT_LIBS = src/libconfig.a $(LISTS_LIBS)
CONFIG_LIBS = $(ALL_STORES) $(BUILT_LIBS)
PLAN_LIBS = src/libplan.a $(CONFIG_LIBS)
STORE_TEST_LIBS = $(STORE_ARCHIVES) src/libplan.a $(BUILT_LIBS) $(STORE_LIBS)
CTL_LIBS = src/libctl.a src/libsystem.a $(SPEC_LIBS)

# Tests of functions of text: their cases are in a text file.
TABLE = tests/unit/libtable.a
tests_unit_libtable_a_SOURCES = tests/unit/table.c tests/unit/table.h
tests_unit_libtable_a_CPPFLAGS = $(AM_CPPFLAGS) -DUNIT_FOLDER='"$(abs_top_srcdir)/tests/unit"'

# The default is for tests of spec/. Each other test has a line.
LDADD = $(TABLE) $(SPEC_LIBS) $(CMOCKA_LIBS)
tests_unit_test_text_LDADD = $(TABLE) $(TEXT_LIBS) $(CMOCKA_LIBS)
tests_unit_test_mail_LDADD = $(TABLE) $(MAIL_LIBS) $(CMOCKA_LIBS)
tests_unit_test_lint_LDADD = $(TABLE) $(LINT_LIBS) $(CMOCKA_LIBS)
tests_unit_test_readers_LDADD = $(LINT_LIBS) $(CMOCKA_LIBS)
tests_unit_test_config_read_LDADD = $(TABLE) $(READ_LIBS) $(CMOCKA_LIBS)
tests_unit_test_list_index_LDADD = $(LISTS_LIBS) $(CMOCKA_LIBS)
tests_unit_test_settings_SOURCES = tests/unit/test_settings.c tests/unit/settings_values.c \
	tests/unit/settings_values.h
tests_unit_test_settings_LDADD = $(TABLE) $(CONFIG_LIBS) $(CMOCKA_LIBS)
tests_unit_test_settings_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=store_key_missing -Wl,--wrap=watch_missing
tests_unit_test_settings_calls_LDADD = $(CONFIG_LIBS) $(CMOCKA_LIBS)
tests_unit_test_settings_calls_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=openat -Wl,--wrap=fstat -Wl,--wrap=read \
	-Wl,--wrap=__read_chk -Wl,--wrap=glob -Wl,--wrap=cfg_init -Wl,--wrap=getentropy \
	-Wl,--wrap=OPENSSL_cleanse
tests_unit_test_plan_LDADD = $(TABLE) $(PLAN_LIBS) $(CMOCKA_LIBS)
tests_unit_test_store_SOURCES = tests/unit/test_store.c tests/unit/long_timeouts.c
tests_unit_test_store_LDADD = $(STORE_TEST_LIBS) $(CMOCKA_LIBS)
STORE_FRONT = tests/unit/test_store_front.c tests/store/fake_driver.c tests/store/fake_driver.h
tests_unit_test_store_front_SOURCES = $(STORE_FRONT) tests/unit/long_timeouts.c
tests_unit_test_store_front_LDADD = $(STORE_TEST_LIBS) $(CMOCKA_LIBS)
tests_unit_test_store_timeouts_SOURCES = $(STORE_FRONT) src/system/timeouts.c
tests_unit_test_store_timeouts_CPPFLAGS = $(AM_CPPFLAGS) -DTIMEOUT_DIVISOR=10
tests_unit_test_store_timeouts_LDADD = $(STORE_TEST_LIBS) $(CMOCKA_LIBS)
tests_unit_test_store_sqlite_SOURCES = tests/unit/test_store_sqlite.c tests/unit/long_timeouts.c
tests_unit_test_store_sqlite_CPPFLAGS = $(AM_CPPFLAGS) $(SQLITE_CFLAGS)
tests_unit_test_store_sqlite_LDADD = $(STORE_TEST_LIBS) $(CMOCKA_LIBS)
tests_unit_test_connection_LDADD = src/libmilterroom.a $(SYSTEM_LIBS) $(CMOCKA_LIBS)
tests_unit_test_maildir_LDADD = $(CTL_LIBS) $(CMOCKA_LIBS)
