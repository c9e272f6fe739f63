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

unit_tests += tests/unit/test_plan_numbers
tests_unit_test_plan_numbers_SOURCES = tests/unit/test_plan_numbers.c $(DECIDE)
tests_unit_test_plan_numbers_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_plan_numbers_LDADD = $(PLAN_LIBS) $(CMOCKA_LIBS)
