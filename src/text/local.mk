noinst_LIBRARIES += src/libtext.a
src_libtext_a_SOURCES = \
	src/text/arena.c src/text/arena.h \
	src/text/ascii.h \
	src/text/cursor.h \
	src/text/edit_distance.c src/text/edit_distance.h \
	src/text/json.c src/text/json.h \
	src/text/memory.c src/text/memory.h \
	src/text/number.h \
	src/text/span.c src/text/span.h \
	src/text/strbuf.c src/text/strbuf.h \
	src/text/strmap.c src/text/strmap.h \
	src/text/utf8.c src/text/utf8.h \
	src/text/visible.c src/text/visible.h
