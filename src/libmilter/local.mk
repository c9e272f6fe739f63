noinst_LIBRARIES += src/libmilterroom.a
src_libmilterroom_a_SOURCES = \
	src/libmilter/connections.c \
	src/libmilter/connections.h \
	src/libmilter/gaps.c \
	src/libmilter/gaps.h \
	src/libmilter/packets_in.c \
	src/libmilter/packets_in.h \
	src/libmilter/packets_out.c \
	src/libmilter/packets_out.h \
	src/libmilter/read_ahead.c \
	src/libmilter/read_ahead.h \
	src/libmilter/stop_signals.c \
	src/libmilter/stop_signals.h
