noinst_LIBRARIES += src/libconfig.a
src_libconfig_a_SOURCES = \
	src/config/address_fault.c \
	src/config/address_fault.h \
	src/config/complain.c \
	src/config/complain.h \
	src/config/config_cut.c \
	src/config/config_cut.h \
	src/config/config_file.c \
	src/config/config_file.h \
	src/config/config_lex.c \
	src/config/config_lex.h \
	src/config/config_scan.c \
	src/config/config_scan.h \
	src/config/config_text.c \
	src/config/config_text.h \
	src/config/confuse_reader.c \
	src/config/confuse_reader.h \
	src/config/diagnostics.c \
	src/config/diagnostics.h \
	src/config/file_walk.c \
	src/config/file_walk.h \
	src/config/list_build.c \
	src/config/list_build.h \
	src/config/list_draft.h \
	src/config/list_enter.c \
	src/config/list_hints.c \
	src/config/list_index.c \
	src/config/list_index.h \
	src/config/list_items.c \
	src/config/main_keys.c \
	src/config/main_keys.h \
	src/config/raw_section.c \
	src/config/raw_section.h \
	src/config/schema.c \
	src/config/schema.h \
	src/config/settings.c \
	src/config/settings.h \
	src/config/settings_load.c \
	src/config/settings_load.h \
	src/config/socket_fault.c \
	src/config/socket_fault.h \
	src/config/trust.c \
	src/config/trust.h \
	src/config/value_lines.c \
	src/config/value_lines.h
src_libconfig_a_CPPFLAGS = $(AM_CPPFLAGS) $(CONFUSE_CFLAGS) $(CRYPTO_CFLAGS)
