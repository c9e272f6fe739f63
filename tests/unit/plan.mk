# unit tests of src/plan
DECIDE = tests/unit/decide.c tests/unit/decide.h

unit_tests += tests/unit/test_selection
tests_unit_test_selection_SOURCES = tests/unit/test_selection.c $(DECIDE)
tests_unit_test_selection_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_selection_LDADD = $(PLAN_LIBS) $(CMOCKA_LIBS)

unit_tests += tests/unit/test_plan
tests_unit_test_plan_SOURCES = tests/unit/test_plan.c $(DECIDE)
tests_unit_test_plan_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_plan_LDADD = $(PLAN_LIBS) $(CMOCKA_LIBS)

unit_tests += tests/unit/test_plan_print
tests_unit_test_plan_print_SOURCES = tests/unit/test_plan_print.c $(DECIDE)
tests_unit_test_plan_print_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_plan_print_LDADD = $(PLAN_LIBS) $(CMOCKA_LIBS)

unit_tests += tests/unit/test_plan_limits
tests_unit_test_plan_limits_SOURCES = tests/unit/test_plan_limits.c $(DECIDE)
tests_unit_test_plan_limits_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_plan_limits_LDADD = $(PLAN_LIBS) $(CMOCKA_LIBS)

unit_tests += tests/unit/test_plan_lists
tests_unit_test_plan_lists_SOURCES = tests/unit/test_plan_lists.c $(DECIDE)
tests_unit_test_plan_lists_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_plan_lists_LDADD = $(PLAN_LIBS) $(CMOCKA_LIBS)

unit_tests += tests/unit/test_plan_nested
tests_unit_test_plan_nested_SOURCES = tests/unit/test_plan_nested.c $(DECIDE)
tests_unit_test_plan_nested_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_plan_nested_LDADD = $(PLAN_LIBS) $(CMOCKA_LIBS)

unit_tests += tests/unit/test_plan_numbers
tests_unit_test_plan_numbers_SOURCES = tests/unit/test_plan_numbers.c $(DECIDE)
tests_unit_test_plan_numbers_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_plan_numbers_LDADD = $(PLAN_LIBS) $(CMOCKA_LIBS)

unit_tests += tests/unit/test_post
tests_unit_test_post_SOURCES = tests/unit/test_post.c $(DECIDE)
tests_unit_test_post_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_post_LDADD = $(PLAN_LIBS) $(CMOCKA_LIBS)

unit_tests += tests/unit/test_sender_number
tests_unit_test_sender_number_SOURCES = tests/unit/test_sender_number.c
tests_unit_test_sender_number_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_sender_number_LDADD = $(PLAN_LIBS) $(CMOCKA_LIBS)
