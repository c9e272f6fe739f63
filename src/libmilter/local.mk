noinst_LIBRARIES += src/libmilterroom.a
src_libmilterroom_a_SOURCES = \
	src/libmilter/connection.c src/libmilter/connection.h
