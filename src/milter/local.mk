noinst_LIBRARIES += src/libmilterside.a
src_libmilterside_a_SOURCES = \
	src/milter/apply_edits.c \
	src/milter/apply_edits.h \
	src/milter/callbacks.c \
	src/milter/callbacks.h \
	src/milter/host.h \
	src/milter/session.c \
	src/milter/session.h \
	src/milter/tally.c \
	src/milter/tally.h
