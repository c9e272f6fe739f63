"""Runs a program as the systemd unit would, as far as that can be done without systemd.

    unit_sandbox.py UNIT[:DROP-IN] USER WRITABLE... -- PROGRAM ARGUMENT...

As root. From the unit: a user, SupplementaryGroups=, no capabilities, no new privileges, the umask, the file system
read-only but for the writable folders (which stand for those of the unit), nothing to be run from
them, the limit of open files, address families, no memory that is writable and executable, and the
filter of system calls with the groups as `systemd-analyze syscall-filter` lists them. What is not
in the unit is not done.
"""

import ctypes
import errno
import grp
import os
import platform
import pwd
import resource
import socket
import subprocess
import sys

CLONE_NEWNS, CLONE_NEWIPC = 0x20000, 0x08000000
MS_REC, MS_PRIVATE, MS_BIND = 0x4000, 1 << 18, 0x1000
AT_RECURSIVE, MOUNT_SETATTR = 0x8000, 442
ATTR_RDONLY, ATTR_NOEXEC = 1, 8
PR_SET_NO_NEW_PRIVS, PR_CAPBSET_DROP = 38, 24
ALLOW, REFUSE, COMPARE_EQUAL, COMPARE_MASKED = 0x7FFF0000, 0x00050000, 4, 7
libc = ctypes.CDLL(None, use_errno=True)


def read_unit(paths):
    """Key -> its values, in order. Drop-ins follow the unit, with ":" between."""
    values = {}
    for path in paths.split(":"):
        with open(path) as f:
            for line in f:
                if line[:1] not in "#;[\n" and "=" in line:
                    key, _, value = line.rstrip("\n").partition("=")
                    values.setdefault(key, []).append(value)
    return values


def missing():
    """Returns what keeps the sandbox from being built here, or None."""
    if os.getuid() != 0:
        return "must be run as root"
    if sys.platform != "linux" or platform.machine() != "x86_64":
        return "for Linux on x86-64"
    try:
        ctypes.CDLL("libseccomp.so.2")
    except OSError:
        return "no libseccomp"
    try:
        members("@system-service")
    except (OSError, subprocess.SubprocessError):
        return "no systemd-analyze"
    pid = os.fork()
    if pid == 0:
        try:
            own_mounts([])
            os._exit(0)
        except OSError:
            os._exit(1)
    return None if os.waitpid(pid, 0)[1] == 0 else "no mount namespaces"


def call(result, what):
    if result < 0:
        raise OSError(ctypes.get_errno(), what)
    return result


def mount(source, target, flags, kind=None):
    call(libc.mount(source.encode(), target.encode(), kind, flags, None), "mount " + target)


def set_attributes(path, on, off=0):
    attributes = (ctypes.c_uint64 * 4)(on, off, 0, 0)
    call(libc.syscall(MOUNT_SETATTR, -100, path.encode(), AT_RECURSIVE, attributes,
                      ctypes.c_size_t(32)), "mount_setattr " + path)


def own_mounts(writable, read_only=True, no_exec=True):
    call(libc.unshare(CLONE_NEWNS | CLONE_NEWIPC), "unshare")
    mount("none", "/", MS_REC | MS_PRIVATE)
    for path in writable:
        mount(path, path, MS_BIND | MS_REC)
    if read_only:
        set_attributes("/", ATTR_RDONLY)
    for path in writable:
        set_attributes(path, ATTR_NOEXEC if no_exec else 0, ATTR_RDONLY)


def names_all(unit, key, paths):
    """Does the unit's key name all of them?"""
    named = {name.lstrip("-+") for value in unit.get(key, []) for name in value.split()}
    return named >= set(paths)


def members(group):
    """The system calls of a group, as the systemd that is here sees it."""
    # systemd's own programs report their end to the manager, too (seen with 257), and this one may not read.
    environment = {name: value for name, value in os.environ.items() if name != "NOTIFY_SOCKET"}
    text = subprocess.run(["systemd-analyze", "syscall-filter", group], stdout=subprocess.PIPE, env=environment,
                          stderr=subprocess.DEVNULL, check=True, timeout=20).stdout.decode()
    names = set()
    for line in text.split("\n")[1:]:
        word = line.strip()
        if word and not word.startswith("#"):
            names |= members(word) if word.startswith("@") else {word}
    return names


def allowed_calls(values):
    """SystemCallFilter=: the first sets the kind, later ones add and take away."""
    allowed = members("@default")
    for value in values:
        away = value.startswith("~")
        for word in value.lstrip("~").split():
            names = members(word) if word.startswith("@") else {word}
            allowed = allowed - names if away else allowed | names
    return allowed


class Compare(ctypes.Structure):
    _fields_ = [("arg", ctypes.c_uint), ("op", ctypes.c_int), ("a", ctypes.c_uint64),
                ("b", ctypes.c_uint64)]


def filters(unit):
    """The filter for the unit's options; load() puts it in force."""
    seccomp = ctypes.CDLL("libseccomp.so.2")
    seccomp.seccomp_init.restype = ctypes.c_void_p

    def new(default):
        return ctypes.c_void_p(seccomp.seccomp_init(ctypes.c_uint32(default)))

    def rule(context, action, name, *compare):
        number = seccomp.seccomp_syscall_resolve_name(name.encode())
        if number >= 0:
            array = (Compare * max(1, len(compare)))(*compare)
            call(seccomp.seccomp_rule_add_array(context, ctypes.c_uint32(action), number,
                                                len(compare), array), "rule " + name)

    calls = new(REFUSE | errno.EPERM)
    for name in allowed_calls(unit["SystemCallFilter"]):
        rule(calls, ALLOW, name)
    families = new(ALLOW)
    good = sorted(getattr(socket, name) for name in unit["RestrictAddressFamilies"][-1].split())
    for family in set(range(64)) - set(good):
        rule(families, REFUSE | errno.EAFNOSUPPORT, "socket", Compare(0, COMPARE_EQUAL, family, 0))
    memory = new(ALLOW)
    if unit["MemoryDenyWriteExecute"][-1] == "yes":
        rule(memory, REFUSE | errno.EPERM, "mmap", Compare(2, COMPARE_MASKED, 6, 6))
        rule(memory, REFUSE | errno.EPERM, "mprotect", Compare(2, COMPARE_MASKED, 4, 4))

    def load():
        for context in (memory, families, calls):
            call(seccomp.seccomp_load(context), "seccomp_load")
    return load


def enter(unit, user, writable):
    account = pwd.getpwnam(user)
    load = filters(unit)
    own_mounts(writable, unit.get("ProtectSystem", ["no"])[-1] == "strict",
               names_all(unit, "NoExecPaths", ("/run", "/var")))
    os.umask(int(unit["UMask"][-1], 8))
    files = min(int(unit["LimitNOFILE"][-1]), resource.getrlimit(resource.RLIMIT_NOFILE)[1])
    resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if unit["CapabilityBoundingSet"][-1] == "":
        for capability in range(64):
            if libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) != 0:
                break
    more = " ".join(unit.get("SupplementaryGroups", [])).split()
    os.setgroups([account.pw_gid] + [grp.getgrnam(name).gr_gid for name in more])
    os.setresgid(account.pw_gid, account.pw_gid, account.pw_gid)
    os.setresuid(account.pw_uid, account.pw_uid, account.pw_uid)
    call(libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "no new privileges")
    load()


def main():
    split = sys.argv.index("--")
    unit, user, *writable = sys.argv[1:split]
    enter(read_unit(unit), user, writable)
    os.execv(sys.argv[split + 1], sys.argv[split + 1:])


if __name__ == "__main__":
    main()
