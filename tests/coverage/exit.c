/* For `make coverage`, linked with -Wl,--wrap=_exit: gcov's counters are written by exit(), and
 * neither the daemon nor a forked child ends with it. */
extern void __gcov_dump(void);
extern _Noreturn void __real__exit(int status);
_Noreturn void __wrap__exit(int status);

/* In tests/lib/libshim.c: ends the failures, as gcov survives none (that of
 * gcc 12 checks no pointer). */
extern void end_of_failures(void) __attribute__((weak));

/* Before that of gcov, which has a priority. */
__attribute__((destructor)) static void end(void)
{
    if (end_of_failures)
        end_of_failures();
}

_Noreturn void __wrap__exit(int status)
{
    end();
    __gcov_dump();
    __real__exit(status);
}
