noinst_LIBRARIES += src/libconfigreport.a
src_libconfigreport_a_SOURCES = \
	src/config/report/diagnostics.c \
	src/config/report/diagnostics.h \
	src/config/report/hint_groups.c \
	src/config/report/hint_groups.h \
	src/config/report/say.c \
	src/config/report/say.h
