noinst_LIBRARIES += src/libsystem.a
src_libsystem_a_SOURCES = \
	src/system/folder_watch.c src/system/folder_watch.h \
	src/system/heap.c src/system/heap.h \
	src/system/kernel.c src/system/kernel.h \
	src/system/monotonic.c src/system/monotonic.h \
	src/system/timeouts.c src/system/timeouts.h \
	src/system/paths.c src/system/paths.h \
	src/system/privileges.c src/system/privileges.h \
	src/system/signals.c src/system/signals.h
