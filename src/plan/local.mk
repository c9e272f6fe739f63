noinst_LIBRARIES += src/libplan.a
src_libplan_a_SOURCES = \
	src/plan/envelope.c \
	src/plan/envelope.h \
	src/plan/facts.c \
	src/plan/facts.h \
	src/plan/message_values.c \
	src/plan/message_values.h \
	src/plan/plan.c \
	src/plan/plan.h \
	src/plan/plan_archived_at.c \
	src/plan/plan_builder.c \
	src/plan/plan_builder.h \
	src/plan/plan_list_fields.c \
	src/plan/plan_print.c \
	src/plan/plan_print.h \
	src/plan/plan_record.c \
	src/plan/plan_removal.c \
	src/plan/plan_signatures.c \
	src/plan/plan_stamp.c \
	src/plan/post.c \
	src/plan/post.h \
	src/plan/recipient.c \
	src/plan/recipient.h \
	src/plan/selection.c \
	src/plan/selection.h \
	src/plan/selection_command.c \
	src/plan/selection_command.h \
	src/plan/selection_list_id.c \
	src/plan/selection_list_id.h \
	src/plan/sender_number.c \
	src/plan/sender_number.h
