noinst_LIBRARIES += src/libstore.a
src_libstore_a_SOURCES = \
	src/store/database.h \
	src/store/error.c \
	src/store/numbers.c src/store/numbers.h \
	src/store/question.c \
	src/store/store.c src/store/store.h \
	src/store/url.c src/store/url.h
src_libstore_a_CPPFLAGS = $(AM_CPPFLAGS) $(SQLITE_CFLAGS) $(LIBPQ_CFLAGS)
if HAVE_SQLITE
src_libstore_a_SOURCES += src/store/sqlite.c
endif
if HAVE_LIBPQ
src_libstore_a_SOURCES += src/store/postgresql.c
endif

STORE_ARCHIVES = src/libstore.a
STORE_LIBS = $(SQLITE_LIBS) $(LIBPQ_LIBS) -lpthread
