# unit tests of src/config

unit_tests += tests/unit/test_trust
tests_unit_test_trust_SOURCES = tests/unit/test_trust.c
tests_unit_test_trust_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_trust_LDADD = $(LISTS_LIBS) $(CMOCKA_LIBS)

unit_tests += tests/unit/test_list_index
tests_unit_test_list_index_SOURCES = tests/unit/test_list_index.c
tests_unit_test_list_index_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_list_index_LDADD = $(LISTS_LIBS) $(CMOCKA_LIBS)

unit_tests += tests/unit/test_diagnostics
tests_unit_test_diagnostics_SOURCES = tests/unit/test_diagnostics.c
tests_unit_test_diagnostics_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_diagnostics_LDADD = $(SYNTAX_LIBS) $(CMOCKA_LIBS)

unit_tests += tests/unit/test_settings
tests_unit_test_settings_SOURCES = tests/unit/test_settings.c tests/unit/config_help.h
tests_unit_test_settings_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_settings_LDADD = $(CONFIG_LIBS) $(CMOCKA_LIBS)

unit_tests += tests/unit/test_settings_mistakes
tests_unit_test_settings_mistakes_SOURCES = tests/unit/test_settings_mistakes.c tests/unit/config_help.h
tests_unit_test_settings_mistakes_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_settings_mistakes_LDADD = $(CONFIG_LIBS) $(CMOCKA_LIBS)

unit_tests += tests/unit/test_settings_wrong
tests_unit_test_settings_wrong_SOURCES = tests/unit/test_settings_wrong.c tests/unit/config_help.h
tests_unit_test_settings_wrong_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_settings_wrong_LDADD = $(CONFIG_LIBS) $(CMOCKA_LIBS)

unit_tests += tests/unit/test_settings_hints
tests_unit_test_settings_hints_SOURCES = tests/unit/test_settings_hints.c tests/unit/config_help.h
tests_unit_test_settings_hints_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_settings_hints_LDADD = $(CONFIG_LIBS) $(CMOCKA_LIBS)

unit_tests += tests/unit/test_settings_files
tests_unit_test_settings_files_SOURCES = tests/unit/test_settings_files.c tests/unit/config_help.h
tests_unit_test_settings_files_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_settings_files_LDADD = $(CONFIG_LIBS) $(CMOCKA_LIBS)

unit_tests += tests/unit/test_settings_limits
tests_unit_test_settings_limits_SOURCES = tests/unit/test_settings_limits.c tests/unit/config_help.h
tests_unit_test_settings_limits_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_settings_limits_LDADD = $(CONFIG_LIBS) $(CMOCKA_LIBS)

unit_tests += tests/unit/test_settings_features
tests_unit_test_settings_features_SOURCES = tests/unit/test_settings_features.c tests/unit/config_help.h
tests_unit_test_settings_features_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_settings_features_LDADD = $(CONFIG_LIBS) $(CMOCKA_LIBS)

unit_tests += tests/unit/test_managers
tests_unit_test_managers_SOURCES = tests/unit/test_managers.c tests/unit/config_help.h
tests_unit_test_managers_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_managers_LDADD = $(CONFIG_LIBS) $(CMOCKA_LIBS)

unit_tests += tests/unit/test_settings_tokens
tests_unit_test_settings_tokens_SOURCES = tests/unit/test_settings_tokens.c tests/unit/config_help.h
tests_unit_test_settings_tokens_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_settings_tokens_LDADD = $(CONFIG_LIBS) $(CMOCKA_LIBS)
tests_unit_test_settings_tokens_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=OPENSSL_cleanse

unit_tests += tests/unit/test_list_texts
tests_unit_test_list_texts_SOURCES = tests/unit/test_list_texts.c tests/unit/delegation_help.h tests/unit/config_help.h
tests_unit_test_list_texts_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_list_texts_LDADD = $(CONFIG_LIBS) $(CMOCKA_LIBS)

unit_tests += tests/unit/test_delegation
tests_unit_test_delegation_SOURCES = tests/unit/test_delegation.c tests/unit/delegation_help.h tests/unit/config_help.h
tests_unit_test_delegation_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_delegation_LDADD = $(CONFIG_LIBS) $(CMOCKA_LIBS)

unit_tests += tests/unit/test_delegation_files
tests_unit_test_delegation_files_SOURCES = tests/unit/test_delegation_files.c tests/unit/delegation_help.h tests/unit/config_help.h
tests_unit_test_delegation_files_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_delegation_files_LDADD = $(CONFIG_LIBS) $(CMOCKA_LIBS)
tests_unit_test_delegation_files_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=readdir -Wl,--wrap=openat

unit_tests += tests/unit/test_watched
tests_unit_test_watched_SOURCES = tests/unit/test_watched.c tests/unit/config_help.h
tests_unit_test_watched_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_watched_LDADD = $(CONFIG_LIBS) $(CMOCKA_LIBS)

unit_tests += tests/unit/test_settings_calls
tests_unit_test_settings_calls_SOURCES = tests/unit/test_settings_calls.c tests/unit/settings_help.h \
	tests/unit/delegation_help.h tests/unit/config_help.h
tests_unit_test_settings_calls_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_settings_calls_LDADD = $(CONFIG_LIBS) $(CMOCKA_LIBS)
tests_unit_test_settings_calls_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=syscall -Wl,--wrap=openat -Wl,--wrap=fstat \
	-Wl,--wrap=fstatat -Wl,--wrap=read -Wl,--wrap=__read_chk -Wl,--wrap=fdopendir -Wl,--wrap=readdir \
	-Wl,--wrap=glob -Wl,--wrap=cfg_init -Wl,--wrap=getentropy \
	-Wl,--wrap=store_key_missing -Wl,--wrap=watch_missing
