noinst_LIBRARIES += src/libmilterside.a
src_libmilterside_a_SOURCES = \
	src/milter/answer_watch.c \
	src/milter/answer_watch.h \
	src/milter/apply_edits.c \
	src/milter/apply_edits.h \
	src/milter/callbacks.c \
	src/milter/callbacks.h \
	src/milter/edit_batch.c \
	src/milter/edit_batch.h \
	src/milter/host.h \
	src/milter/read_guard.c \
	src/milter/read_guard.h \
	src/milter/session.c \
	src/milter/session.h \
	src/milter/tally.c \
	src/milter/tally.h
