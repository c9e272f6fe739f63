noinst_LIBRARIES += src/libconfiglists.a
src_libconfiglists_a_SOURCES = \
	src/config/lists/addresses.c \
	src/config/lists/addresses.h \
	src/config/lists/archived_at.c \
	src/config/lists/archived_at.h \
	src/config/lists/build.c \
	src/config/lists/build.h \
	src/config/lists/domains.c \
	src/config/lists/domains.h \
	src/config/lists/draft.c \
	src/config/lists/draft.h \
	src/config/lists/enter.c \
	src/config/lists/enter.h \
	src/config/lists/fields.c \
	src/config/lists/fields.h \
	src/config/lists/hint_links.c \
	src/config/lists/hint_links.h \
	src/config/lists/hints.c \
	src/config/lists/hints.h \
	src/config/lists/list.c \
	src/config/lists/list.h \
	src/config/lists/list_index.c \
	src/config/lists/list_index.h \
	src/config/lists/list_texts.c \
	src/config/lists/list_texts.h \
	src/config/lists/managers.c \
	src/config/lists/managers.h \
	src/config/lists/nesting.c \
	src/config/lists/nesting.h \
	src/config/lists/parents.c \
	src/config/lists/parents.h \
	src/config/lists/policies.c \
	src/config/lists/policies.h \
	src/config/lists/store_wants.c \
	src/config/lists/store_wants.h \
	src/config/lists/texts.c \
	src/config/lists/texts.h \
	src/config/lists/trust.c \
	src/config/lists/trust.h \
	src/config/lists/unsubscribe.c \
	src/config/lists/unsubscribe.h
src_libconfiglists_a_CPPFLAGS = $(AM_CPPFLAGS) $(CRYPTO_CFLAGS)
