noinst_LIBRARIES += src/libstore.a
src_libstore_a_SOURCES = \
	src/store/driver.h \
	src/store/drivers.c \
	src/store/floors.c \
	src/store/floors.h \
	src/store/post_store.c \
	src/store/post_store.h \
	src/store/queue.c \
	src/store/queue.h \
	src/store/queue_parts.h \
	src/store/queue_workers.c \
	src/store/remembered.c \
	src/store/remembered.h \
	src/store/request.c \
	src/store/request.h \
	src/store/store.c \
	src/store/store.h \
	src/store/testing/store_failing.c \
	src/store/testing/store_memory.c
if HAVE_SQLITE
src_libstore_a_SOURCES += \
	src/store/sqlite/sqlite_db.c \
	src/store/sqlite/sqlite_db.h \
	src/store/sqlite/sqlite_place.c \
	src/store/sqlite/sqlite_place.h \
	src/store/sqlite/store_sqlite.c
endif
if HAVE_LIBPQ
src_libstore_a_SOURCES += \
	src/store/postgresql/store_postgresql.c \
	src/store/postgresql/store_postgresql_connection.c \
	src/store/postgresql/store_postgresql_connection.h \
	src/store/postgresql/store_postgresql_exchange.c \
	src/store/postgresql/store_postgresql_exchange.h \
	src/store/postgresql/store_postgresql_hosts.c \
	src/store/postgresql/store_postgresql_hosts.h \
	src/store/postgresql/store_postgresql_tables.c \
	src/store/postgresql/store_postgresql_tables.h \
	src/store/postgresql/store_postgresql_url.c \
	src/store/postgresql/store_postgresql_url.h \
	src/store/postgresql/store_postgresql_values.c \
	src/store/postgresql/store_postgresql_values.h
endif
src_libstore_a_CPPFLAGS = $(AM_CPPFLAGS) $(SQLITE_CFLAGS) $(LIBPQ_CFLAGS)
STORE_LIBS = $(SQLITE_LIBS) $(LIBPQ_LIBS) -lpthread
