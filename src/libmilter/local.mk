noinst_LIBRARIES += src/libmilterroom.a
src_libmilterroom_a_SOURCES = \
	src/libmilter/connection.c src/libmilter/connection.h \
	src/libmilter/stop_signals.c src/libmilter/stop_signals.h
