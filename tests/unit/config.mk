# unit tests of src/config

unit_tests += tests/unit/test_trust
tests_unit_test_trust_SOURCES = tests/unit/test_trust.c
tests_unit_test_trust_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_trust_LDADD = $(READ_LIBS) $(CMOCKA_LIBS)

unit_tests += tests/unit/test_diagnostics
tests_unit_test_diagnostics_SOURCES = tests/unit/test_diagnostics.c
tests_unit_test_diagnostics_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_diagnostics_LDADD = $(READ_LIBS) $(CMOCKA_LIBS)

unit_tests += tests/unit/test_list_index
tests_unit_test_list_index_SOURCES = tests/unit/test_list_index.c
tests_unit_test_list_index_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_list_index_LDADD = $(LISTS_LIBS) $(CMOCKA_LIBS)

unit_tests += tests/unit/test_settings
tests_unit_test_settings_SOURCES = tests/unit/test_settings.c tests/unit/config_help.h
tests_unit_test_settings_CPPFLAGS = $(UNIT_CPPFLAGS) -DUNIT_FOLDER='"$(abs_top_srcdir)/tests/unit"'
tests_unit_test_settings_LDADD = $(CONFIG_LIBS) $(CMOCKA_LIBS)
EXTRA_DIST += tests/unit/settings.txt

unit_tests += tests/unit/test_settings_limits
tests_unit_test_settings_limits_SOURCES = tests/unit/test_settings_limits.c tests/unit/config_help.h
tests_unit_test_settings_limits_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_settings_limits_LDADD = $(CONFIG_LIBS) $(CMOCKA_LIBS)

unit_tests += tests/unit/test_settings_files
tests_unit_test_settings_files_SOURCES = tests/unit/test_settings_files.c tests/unit/config_help.h
tests_unit_test_settings_files_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_settings_files_LDADD = $(CONFIG_LIBS) $(CMOCKA_LIBS)

unit_tests += tests/unit/test_settings_tokens
tests_unit_test_settings_tokens_SOURCES = tests/unit/test_settings_tokens.c tests/unit/config_help.h
tests_unit_test_settings_tokens_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_settings_tokens_LDADD = $(CONFIG_LIBS) $(CMOCKA_LIBS)
tests_unit_test_settings_tokens_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=OPENSSL_cleanse

unit_tests += tests/unit/test_delegates
tests_unit_test_delegates_SOURCES = tests/unit/test_delegates.c tests/unit/config_help.h
tests_unit_test_delegates_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_delegates_LDADD = $(CONFIG_LIBS) $(CMOCKA_LIBS)

unit_tests += tests/unit/test_delegated_files
tests_unit_test_delegated_files_SOURCES = tests/unit/test_delegated_files.c tests/unit/config_help.h
tests_unit_test_delegated_files_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_delegated_files_LDADD = $(CONFIG_LIBS) $(CMOCKA_LIBS)
tests_unit_test_delegated_files_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=syscall

unit_tests += tests/unit/test_settings_calls
tests_unit_test_settings_calls_SOURCES = tests/unit/test_settings_calls.c tests/unit/config_help.h
tests_unit_test_settings_calls_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_settings_calls_LDADD = $(CONFIG_LIBS) $(CMOCKA_LIBS)
tests_unit_test_settings_calls_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=syscall -Wl,--wrap=fstat -Wl,--wrap=read \
	-Wl,--wrap=__read_chk -Wl,--wrap=glob -Wl,--wrap=cfg_init -Wl,--wrap=getentropy \
	-Wl,--wrap=store_key_missing -Wl,--wrap=watch_missing
