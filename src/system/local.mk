noinst_LIBRARIES += src/libsystem.a
src_libsystem_a_SOURCES = \
	src/system/privileges.c \
	src/system/privileges.h
