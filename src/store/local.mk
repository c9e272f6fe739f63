# The front: what all drivers have in common.
noinst_LIBRARIES += src/libstore.a
src_libstore_a_SOURCES = \
	src/store/driver.h \
	src/store/error.c \
	src/store/error.h \
	src/store/post_store.c \
	src/store/post_store.h \
	src/store/queue.c \
	src/store/queue.h \
	src/store/remembered.c \
	src/store/remembered.h \
	src/store/request.c \
	src/store/request.h \
	src/store/store.c \
	src/store/store.h \
	src/store/told_numbers.c \
	src/store/told_numbers.h \
	src/store/workers.c \
	src/store/workers.h

# Each driver has a room of its own, which knows the front only.
noinst_LIBRARIES += src/libstoretesting.a
src_libstoretesting_a_SOURCES = \
	src/store/testing/driver.c \
	src/store/testing/driver.h
STORE_DRIVERS = src/libstoretesting.a

if HAVE_SQLITE
noinst_LIBRARIES += src/libstoresqlite.a
src_libstoresqlite_a_SOURCES = \
	src/store/sqlite/database.c \
	src/store/sqlite/database.h \
	src/store/sqlite/driver.c \
	src/store/sqlite/driver.h \
	src/store/sqlite/place.c \
	src/store/sqlite/place.h
src_libstoresqlite_a_CPPFLAGS = $(AM_CPPFLAGS) $(SQLITE_CFLAGS)
STORE_DRIVERS += src/libstoresqlite.a
endif

if HAVE_LIBPQ
noinst_LIBRARIES += src/libstorepostgresql.a
src_libstorepostgresql_a_SOURCES = \
	src/store/postgresql/call.c \
	src/store/postgresql/call.h \
	src/store/postgresql/connect.c \
	src/store/postgresql/connect.h \
	src/store/postgresql/driver.c \
	src/store/postgresql/driver.h \
	src/store/postgresql/exchange.c \
	src/store/postgresql/exchange.h \
	src/store/postgresql/tables.c \
	src/store/postgresql/tables.h
src_libstorepostgresql_a_CPPFLAGS = $(AM_CPPFLAGS) $(LIBPQ_CFLAGS)
STORE_DRIVERS += src/libstorepostgresql.a
endif

# The table of them stands above.
noinst_LIBRARIES += src/libstoredrivers.a
src_libstoredrivers_a_SOURCES = \
	src/store/drivers.c \
	src/store/drivers.h

STORE_ARCHIVES = src/libstoredrivers.a $(STORE_DRIVERS) src/libstore.a
STORE_LIBS = $(SQLITE_LIBS) $(LIBPQ_LIBS) -lpthread
