noinst_LIBRARIES += src/libconfiglists.a
src_libconfiglists_a_SOURCES = \
	src/config/lists/addresses.c \
	src/config/lists/build.c \
	src/config/lists/build.h \
	src/config/lists/fields.c \
	src/config/lists/hints.c \
	src/config/lists/list.c \
	src/config/lists/list.h \
	src/config/lists/list_index.c \
	src/config/lists/list_index.h \
	src/config/lists/managers.c \
	src/config/lists/names.c \
	src/config/lists/nesting.c \
	src/config/lists/new_list.c \
	src/config/lists/new_list.h \
	src/config/lists/policies.c \
	src/config/lists/senders.c \
	src/config/lists/texts.c
src_libconfiglists_a_CPPFLAGS = $(AM_CPPFLAGS) $(CRYPTO_CFLAGS)
