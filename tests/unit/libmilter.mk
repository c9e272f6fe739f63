# unit tests of src/libmilter
LIBMILTER_ROOM = src/libmilterroom.a $(SYSTEM_LIBS)

unit_tests += tests/unit/test_gaps
tests_unit_test_gaps_SOURCES = tests/unit/test_gaps.c
tests_unit_test_gaps_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_gaps_LDADD = $(LIBMILTER_ROOM) $(CMOCKA_LIBS)

unit_tests += tests/unit/test_packets_in
tests_unit_test_packets_in_SOURCES = tests/unit/test_packets_in.c
tests_unit_test_packets_in_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_packets_in_LDADD = $(LIBMILTER_ROOM) $(CMOCKA_LIBS)

unit_tests += tests/unit/test_packets_out
tests_unit_test_packets_out_SOURCES = tests/unit/test_packets_out.c
tests_unit_test_packets_out_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_packets_out_LDADD = $(LIBMILTER_ROOM) $(CMOCKA_LIBS)

unit_tests += tests/unit/test_read_ahead
tests_unit_test_read_ahead_SOURCES = tests/unit/test_read_ahead.c
tests_unit_test_read_ahead_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_read_ahead_LDADD = $(LIBMILTER_ROOM) $(CMOCKA_LIBS)

unit_tests += tests/unit/test_stop_signals
tests_unit_test_stop_signals_SOURCES = tests/unit/test_stop_signals.c
tests_unit_test_stop_signals_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_stop_signals_LDADD = $(LIBMILTER_ROOM) $(CMOCKA_LIBS)
