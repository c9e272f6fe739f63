noinst_LIBRARIES += src/libsystem.a
src_libsystem_a_SOURCES = \
	src/system/path_fault.c \
	src/system/path_fault.h \
	src/system/privileges.c \
	src/system/privileges.h
