noinst_LIBRARIES += src/libplan.a
src_libplan_a_SOURCES = \
	src/plan/archive_links.c \
	src/plan/edits.c src/plan/edits.h \
	src/plan/envelope.c src/plan/envelope.h \
	src/plan/facts.h \
	src/plan/message_values.c src/plan/message_values.h \
	src/plan/nested.c src/plan/nested.h \
	src/plan/notes.c \
	src/plan/plan.c src/plan/plan.h \
	src/plan/plan_print.c src/plan/plan_print.h \
	src/plan/post.c src/plan/post.h \
	src/plan/recipient.c src/plan/recipient.h \
	src/plan/record.c \
	src/plan/removal.c \
	src/plan/response.c src/plan/response.h \
	src/plan/routes.c \
	src/plan/selection.c src/plan/selection.h \
	src/plan/signatures.c \
	src/plan/stamp.c \
	src/plan/unsubscribe.c
