noinst_LIBRARIES += src/libdaemon.a
src_libdaemon_a_SOURCES = \
	src/daemon/background.c \
	src/daemon/background.h \
	src/daemon/debounce.c \
	src/daemon/debounce.h \
	src/daemon/error_budget.c \
	src/daemon/error_budget.h \
	src/daemon/gate.c \
	src/daemon/gate.h \
	src/daemon/listener.c \
	src/daemon/listener.h \
	src/daemon/log.c \
	src/daemon/log.h \
	src/daemon/log_syslog.c \
	src/daemon/log_syslog.h \
	src/daemon/notify.c \
	src/daemon/notify.h \
	src/daemon/options.c \
	src/daemon/options.h \
	src/daemon/reload.c \
	src/daemon/reload.h \
	src/daemon/service.c \
	src/daemon/service.h \
	src/daemon/settings_in_force.c \
	src/daemon/settings_in_force.h \
	src/daemon/signals.c \
	src/daemon/signals.h \
	src/daemon/start.c \
	src/daemon/start.h \
	src/daemon/store_in_force.c \
	src/daemon/store_in_force.h \
	src/daemon/watch.c \
	src/daemon/watch.h \
	src/daemon/written/metrics.c \
	src/daemon/written/metrics.h \
	src/daemon/written/metrics_file.c \
	src/daemon/written/metrics_file.h \
	src/daemon/written/pid_file.c \
	src/daemon/written/pid_file.h \
	src/daemon/written/status_file.c \
	src/daemon/written/status_file.h

sbin_PROGRAMS += src/mlmilter
src_mlmilter_SOURCES = src/daemon/main.c
src_mlmilter_LDADD = src/libdaemon.a src/libmilterside.a src/libmilterroom.a $(STORE_ARCHIVES) src/libplan.a \
	$(config_libs) src/libspec.a src/libmail.a src/libsystem.a src/libtext.a $(MILTER_LIBS) \
	$(STORE_LIBS) $(CONFUSE_LIBS) $(CRYPTO_LIBS) $(LIBIDN2_LIBS)
