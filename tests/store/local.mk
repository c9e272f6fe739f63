# Stores with real servers and with processes that are killed. assign is for all of them.
check_PROGRAMS += tests/store/assign
tests_store_assign_SOURCES = tests/store/assign.c
tests_store_assign_LDADD = $(STORE_TEST_LIBS)

long_tests += tests/store/postgresql.py tests/store/failover.py
EXTRA_DIST += tests/store/server.py
