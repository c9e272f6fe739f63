noinst_LIBRARIES += src/libplan.a
src_libplan_a_SOURCES = \
	src/plan/decide.c src/plan/decide.h \
	src/plan/envelope.c src/plan/envelope.h \
	src/plan/message_values.c src/plan/message_values.h \
	src/plan/plan.c src/plan/plan.h \
	src/plan/plan_print.c src/plan/plan_print.h \
	src/plan/post.c src/plan/post.h \
	src/plan/selection.c src/plan/selection.h \
	src/plan/stamp.c src/plan/stamp.h
