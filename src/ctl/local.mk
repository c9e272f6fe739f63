noinst_LIBRARIES += src/libctl.a
src_libctl_a_SOURCES = \
	src/ctl/apply_stream.c \
	src/ctl/apply_stream.h \
	src/ctl/colour.c \
	src/ctl/colour.h \
	src/ctl/command.c \
	src/ctl/command.h \
	src/ctl/configuration.c \
	src/ctl/configuration.h \
	src/ctl/daemon_status.c \
	src/ctl/daemon_status.h \
	src/ctl/decision.c \
	src/ctl/decision.h \
	src/ctl/header_diff.c \
	src/ctl/header_diff.h \
	src/ctl/input.c \
	src/ctl/input.h \
	src/ctl/near_miss.c \
	src/ctl/near_miss.h \
	src/ctl/report.c \
	src/ctl/report.h \
	src/ctl/show_list.c \
	src/ctl/show_list.h \
	src/ctl/transaction.c \
	src/ctl/transaction.h \
	src/ctl/user.c \
	src/ctl/user.h \
	src/ctl/archive/archive.c \
	src/ctl/archive/archive.h \
	src/ctl/archive/hash_set.c \
	src/ctl/archive/hash_set.h \
	src/ctl/archive/maildir.c \
	src/ctl/archive/maildir.h \
	src/ctl/archive/map_writer.c \
	src/ctl/archive/map_writer.h \
	src/ctl/archive/mbox.c \
	src/ctl/archive/mbox.h \
	src/ctl/archive/progress.c \
	src/ctl/archive/progress.h \
	src/ctl/commands/command_check.c \
	src/ctl/commands/command_doctor.c \
	src/ctl/commands/command_explain.c \
	src/ctl/commands/command_filter.c \
	src/ctl/commands/command_hash.c \
	src/ctl/commands/command_lists.c \
	src/ctl/commands/command_map.c \
	src/ctl/commands/command_new_list_id.c \
	src/ctl/commands/command_reload.c \
	src/ctl/commands/command_sequence.c \
	src/ctl/commands/command_show.c \
	src/ctl/commands/command_status.c \
	src/ctl/commands/command_url.c \
	src/ctl/commands/command_verify_token.c \
	src/ctl/commands/commands.h \
	src/ctl/doctor/check_configuration.c \
	src/ctl/doctor/check_configuration.h \
	src/ctl/doctor/check_daemon.c \
	src/ctl/doctor/check_daemon.h \
	src/ctl/doctor/check_files.c \
	src/ctl/doctor/check_files.h \
	src/ctl/doctor/cure.c \
	src/ctl/doctor/cure.h \
	src/ctl/doctor/doctor.h \
	src/ctl/doctor/findings.c \
	src/ctl/doctor/findings.h \
	src/ctl/doctor/milters.c \
	src/ctl/doctor/milters.h \
	src/ctl/doctor/path_trial.c \
	src/ctl/doctor/path_trial.h \
	src/ctl/doctor/postfix.c \
	src/ctl/doctor/postfix.h \
	src/ctl/doctor/postfix_lists.c \
	src/ctl/doctor/postfix_lists.h \
	src/ctl/doctor/postfix_milters.c \
	src/ctl/doctor/postfix_milters.h \
	src/ctl/doctor/postfix_tables.c \
	src/ctl/doctor/postfix_tables.h \
	src/ctl/doctor/postfix_values.c \
	src/ctl/doctor/postfix_values.h \
	src/ctl/doctor/probe.c \
	src/ctl/doctor/probe.h \
	src/ctl/doctor/run_program.c \
	src/ctl/doctor/run_program.h \
	src/ctl/doctor/sendmail.c \
	src/ctl/doctor/sendmail.h \
	src/ctl/doctor/sendmail_cf.c \
	src/ctl/doctor/sendmail_cf.h \
	src/ctl/doctor/service_manager.c \
	src/ctl/doctor/service_manager.h \
	src/ctl/import/alias_file.c \
	src/ctl/import/alias_file.h
src_libctl_a_CPPFLAGS = $(AM_CPPFLAGS)

bin_PROGRAMS += src/mlmilterctl
src_mlmilterctl_SOURCES = src/ctl/main.c
src_mlmilterctl_LDADD = src/libctl.a $(STORE_ARCHIVES) src/libplan.a $(config_libs) src/libspec.a \
	src/libmail.a src/libsystem.a src/libtext.a $(STORE_LIBS) $(CONFUSE_LIBS) $(CRYPTO_LIBS) \
	$(LIBIDN2_LIBS)
