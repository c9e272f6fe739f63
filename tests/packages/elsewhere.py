#!/usr/bin/env python3
"""Unit tests and golden cases where int, time_t, char, the order of bytes or the C library are not those of
Debian amd64: built here by a cross compiler, against a root of that machine's packages. i386 runs as it is,
s390x (big-endian; char is unsigned) by qemu-user. With musl the four libraries come from Debian's sources."""

import os
import re
import shutil
import subprocess
import sys

from roots import TOP, needed
from tap import Skip, case, check, equal, main

PACKAGES = "libc6-dev,libconfuse-dev,libmilter-dev,libssl-dev,libsqlite3-dev,libpq-dev,libidn2-dev,libcmocka-dev"
GOLDEN = os.path.join(TOP, "tests", "golden", "run.py")


def run(command, folder=None, environment=None, seconds=3000):
    done = subprocess.run(command, cwd=folder, env=dict(os.environ, **environment or {}), timeout=seconds,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.returncode, done.stdout.decode("utf-8", "replace")


def must(*arguments, **more):
    status, output = run(*arguments, **more)
    check(status == 0, "%s\nended with %d:\n%s" % (arguments[0], status, output[-3000:]))
    return output


def archive():
    """The host's own archive of Debian packages: "URI CODENAME". Its updates may lack another machine's."""
    rows = must(["apt-get", "indextargets", "--format", "$(REPO_URI) $(CODENAME) $(COMPONENT)", "Created-By: Packages"]).splitlines()
    found = [row.rsplit(" ", 1)[0] for row in rows if re.search(r"debian/? [a-z]+ main$", row)]
    if not found:
        raise Skip("apt knows no archive: %r" % rows)
    return found[0]


# Unit tests that break calls of glibc with the names that it has on 64-bit machines.
WRAPPED = ("test_settings_calls",)


def build_and_run(name, options, environment, runner):
    """Builds in a folder of its own; each program starts by the words of runner."""
    folder = os.path.join(os.environ["ROOTS"], name + "-build")
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    # Nothing of the make that runs this test.
    environment = dict(environment, MAKEFLAGS="", MAKELEVEL="", MFLAGS="")
    must([os.path.join(TOP, "configure")] + options, folder, environment)
    tests = must(["make", "-s", "list-tests"], folder, environment).split()
    units = [test for test in tests if test.startswith("tests/unit/") and test[11:] not in WRAPPED]
    check(len(units) > 10, "unit tests: %r" % units)
    must(["make", "-j2", "src/mlmilterctl"] + units, folder, environment)
    wrapper = os.path.join(folder, "mlmilterctl")
    with open(wrapper, "w", encoding="utf-8") as f:
        f.write('#!/bin/sh\nexec %s "$@"\n' % " ".join(runner + [os.path.join(folder, "src", "mlmilterctl")]))
    os.chmod(wrapper, 0o755)
    run_environment = {"TOP_SRCDIR": TOP, "TOP_BUILDDIR": folder, "MLMILTERCTL": wrapper, "CMOCKA_MESSAGE_OUTPUT": "TAP"}
    red = []
    for unit in units:
        status, output = run(runner + [os.path.join(folder, unit)], folder, run_environment)
        if status not in (0, 77):
            red.append("%s: %s" % (unit, "\n".join(line for line in output.split("\n") if not line.startswith("ok"))[-500:]))
    equal("\n".join(red), "", "unit tests")
    output = must([sys.executable, GOLDEN], folder, run_environment)
    check(output.count("\nok ") > 1000, output[-500:])
    shutil.rmtree(folder)


def machine(debian, triplet, folder, loader, emulator=()):
    """Unit tests and golden cases on one of Debian's machines. folder: of its libraries; loader: of its programs."""
    needed()
    compiler = triplet + "-gcc"
    for program in (compiler,) + tuple(emulator):
        if not shutil.which(program):
            raise Skip("no " + program)
    root = os.path.join(os.environ["ROOTS"], debian)
    if not os.path.isdir(root):
        status, output = run(["mmdebstrap", "--variant=extract", "--architectures=" + debian, "--include=" + PACKAGES,
                              archive().split()[1], root, "deb %s main" % archive()])
        if status != 0:
            shutil.rmtree(root, ignore_errors=True)
            raise Skip("no packages of %s: %s" % (debian, output[-300:]))
    libraries = [os.path.join(root, "lib", folder), os.path.join(root, "usr/lib", folder)]
    build_and_run(debian, ["--host=" + triplet, "CC=%s --sysroot=%s" % (compiler, root)],
                  {"PKG_CONFIG_LIBDIR": libraries[1] + "/pkgconfig:" + root + "/usr/share/pkgconfig", "PKG_CONFIG_SYSROOT_DIR": root},
                  list(emulator) + [root + loader, "--library-path", ":".join(libraries)])


@case("i386: 32 bits", 1200)
def i386():
    machine("i386", "i686-linux-gnu", "i386-linux-gnu", "/lib/ld-linux.so.2")


@case("s390x: big-endian, char is unsigned", 2400)
def s390x():
    machine("s390x", "s390x-linux-gnu", "s390x-linux-gnu", "/lib/ld64.so.1", ("qemu-s390x-static",))


@case("musl, with no optional library", 2400)
def musl():
    needed()
    prefix = os.path.join(os.environ["ROOTS"], "musl")
    if not os.path.exists(os.path.join(prefix, "complete")):
        status, output = run(["sh", os.path.join(TOP, "tests", "packages", "musl.sh"), prefix, archive()])
        if status == 77:
            raise Skip(output.strip().split("\n")[-1])
        check(status == 0, output[-3000:])
    environment = {"PKG_CONFIG_LIBDIR": prefix + "/lib/pkgconfig"}
    for name, library in (("CONFUSE", "confuse"), ("CMOCKA", "cmocka")):
        environment[name + "_CFLAGS"] = "-I%s/include" % prefix
        environment[name + "_LIBS"] = "-L%s/lib -l%s" % (prefix, library)
    build_and_run("musl", ["CC=musl-gcc", "CPPFLAGS=-I%s/include" % prefix, "LDFLAGS=-L%s/lib" % prefix], environment, [])


main()
