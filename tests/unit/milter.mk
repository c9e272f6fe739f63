# unit tests of src/milter: what knows nothing of libmilter

unit_tests += tests/unit/test_tally
tests_unit_test_tally_SOURCES = tests/unit/test_tally.c tests/unit/config_help.h tests/unit/alloc_fail.h
tests_unit_test_tally_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_tally_LDADD = src/libmilterside.a $(STORE_TEST_LIBS) $(CMOCKA_LIBS)
tests_unit_test_tally_LDFLAGS = $(AM_LDFLAGS) $(ALLOC_FAIL_WRAP)

unit_tests += tests/unit/test_edit_batch
tests_unit_test_edit_batch_SOURCES = tests/unit/test_edit_batch.c \
	src/milter/edit_batch.c src/milter/edit_batch.h \
	src/milter/answer_watch.c src/milter/answer_watch.h
tests_unit_test_edit_batch_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_edit_batch_LDADD = $(TEXT_LIBS) $(CMOCKA_LIBS)

unit_tests += tests/unit/test_answer_watch
tests_unit_test_answer_watch_SOURCES = tests/unit/test_answer_watch.c \
	src/milter/answer_watch.c src/milter/answer_watch.h \
	src/milter/edit_batch.c src/milter/edit_batch.h
tests_unit_test_answer_watch_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_answer_watch_LDADD = $(TEXT_LIBS) $(CMOCKA_LIBS)

unit_tests += tests/unit/test_read_guard
tests_unit_test_read_guard_SOURCES = tests/unit/test_read_guard.c \
	src/milter/read_guard.c src/milter/read_guard.h
tests_unit_test_read_guard_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_read_guard_LDADD = $(TEXT_LIBS) $(CMOCKA_LIBS)
