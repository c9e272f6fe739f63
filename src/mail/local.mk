noinst_LIBRARIES += src/libmail.a
src_libmail_a_SOURCES = \
	src/mail/address.c src/mail/address.h \
	src/mail/date.c src/mail/date.h \
	src/mail/field_check.c src/mail/field_check.h \
	src/mail/field_name.c src/mail/field_name.h \
	src/mail/fold.c src/mail/fold.h \
	src/mail/header.c src/mail/header.h \
	src/mail/message.c src/mail/message.h \
	src/mail/rfc5322.c src/mail/rfc5322.h
