#!/usr/bin/env python3
"""Completion for bash, zsh and fish: commands, options, what may follow them, ids of lists; each as mlmilterctl's help has it."""

import os
import re
import shutil
import subprocess

from tap import case, check, equal, main, Skip
from tool import CTL, MAIN, SILENT, TOP, file, run

SCRIPT = os.path.join(TOP, "contrib", "bash-completion", "mlmilterctl")
IDS = ["one.example.org", "two.example.org"]
CONF = file("completion.conf", MAIN + "".join('list "%s" { %s }\n' % (name, SILENT) for name in IDS))
BASH = r"""
. "$1"; shift
complete -p mlmilterctl >/dev/null || exit 9
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_mlmilterctl
[ ${#COMPREPLY[@]} -eq 0 ] || printf '%s\n' "${COMPREPLY[@]}" | LC_ALL=C sort -u
"""


def completed(*words):
    if shutil.which("bash") is None:
        raise Skip("no bash")
    done = subprocess.run(["bash", "-c", BASH, "bash", SCRIPT, CTL, *words], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=60)
    equal((done.returncode, done.stderr.decode()), (0, ""), words)
    return done.stdout.decode().split()


def usages():
    """Each command with its whole synopses, as `mlmilterctl help` prints them."""
    found = re.findall(r"^  ([a-z][a-z-]*)( .*(?:\n {10}\[.*)*|)$", run("help").stdout.decode(), re.M)
    check(len(found) > 15, "the help has commands")
    return found


@case("every command is completed, and every option of every command behind it; no other word")
def commands():
    names = sorted({name for name, rest in usages()})
    equal(completed(""), names)
    equal(completed("help", ""), names)
    equal(completed("s"), [name for name in names if name.startswith("s")])
    equal(completed("-c", CONF, "ch"), ["check"])
    for name in names:
        expected = {word for other, rest in usages() if other == name for word in re.findall(r"--[a-z0-9-]+", rest)}
        equal(completed(name, "--"), sorted(expected), name)
    equal(completed("--"), ["--help", "--version"])


@case("ids of the lists of the configuration that -c names, where a list is expected; words that an option takes")
def ids():
    for before, expected in ((["sequence"], ["prune", "set", "show"]), (["import", "mlmmj"], []), (["map", "--format"], ["apache", "htaccess", "nginx", "tsv"])):
        equal(completed(*before, ""), expected)
    equal(completed("import", "--domain", "example.org", "m"), ["mailman2", "mailman3", "mlmmj"])
    for before in (["show"], ["show", "--json"], ["sequence", "show"], ["sequence", "set"], ["verify-token"],
                   ["sequence", "prune", "30"], ["filter", "--list"], ["explain", "--sender", "a@b", "--list"]):
        equal(completed("-c", CONF, *before, ""), IDS, before)
    equal(completed("-c", CONF, "show", "t"), IDS[1:])
    for wrong in (file("broken.conf", MAIN + 'list "x" { }\n'), "/nonexistent"):
        equal(completed("-c", wrong, "show", ""), [])
    for before in (["check"], ["sequence", "set", IDS[0]], ["filter", "--sender"], ["map"], ["lint"], ["lint", "--json"], ["lint", "--list-domain"],
                   ["lint", "--list-domain", "example.org", "a.mbox"], ["-c"], ["nonsense"]):
        equal(completed("-c", CONF, *before, ""), [], before)


@case("an id of somebody else's list file is a text: nothing in it is run, now or when the line is entered")
def hostile():
    mark = os.path.join(os.path.dirname(CONF), "run")
    program = file("evil", "#!/bin/sh\ntouch %s\n" % mark, 0o755)
    name = "`%s`.$HOME.example.org" % program
    conf = file("hostile.conf", MAIN + 'list "%s" { %s }\n' % (name.replace("$", "\\$"), SILENT))
    equal(run("-c", conf, "lists").stdout.decode().split("\t")[0], name)
    found = completed("-c", conf, "show", "")
    check(not os.path.exists(mark), "the completion runs a part of the id")
    entered = subprocess.run(["bash", "-c", "printf %s " + found[0]], stdout=subprocess.PIPE, timeout=20).stdout.decode()
    equal((len(found), entered, os.path.exists(mark)), (1, name, False))


def installed():
    """The completions as they lie when they are installed; returns the folder, and PATH with mlmilterctl."""
    share = os.path.join(os.path.dirname(CONF), "share")
    for source, place in (("bash-completion/mlmilterctl", "bash-completion/completions"), ("zsh-completion/_mlmilterctl", "zsh/site-functions"),
                          ("fish-completion/mlmilterctl.fish", "fish/vendor_completions.d")):
        os.makedirs(os.path.join(share, place), exist_ok=True)
        shutil.copy(os.path.join(os.path.dirname(SCRIPT), os.pardir, source), os.path.join(share, place))
    os.makedirs(os.path.join(share, "bin"), exist_ok=True)
    if not os.path.exists(os.path.join(share, "bin/mlmilterctl")):
        os.symlink(os.path.abspath(CTL), os.path.join(share, "bin/mlmilterctl"))
    return share, dict(os.environ, HOME=share, PATH=os.path.join(share, "bin") + ":" + os.environ["PATH"])


ZSH = r"""
fpath=($1/zsh/site-functions); shift
compadd() { shift; print -rl -- "$@" }
_files() { print FILES }
words=("$@") CURRENT=$#
autoload _mlmilterctl && _mlmilterctl
"""
FISH = "source $argv[1]/fish/vendor_completions.d/mlmilterctl.fish; complete -C (string join -- ' ' $argv[2..])"


def check_shell(shell, *start):
    """Commands, options and ids in another shell, and file names where it has no words."""
    if shutil.which(shell) is None:
        raise Skip("no " + shell)
    share, environment = installed()
    none = "FILES" if shell == "zsh" else "bin/"
    for words, expected in ((["sta"], ["status"]), (["sequence", "show", "--"], ["--all", "--json"]), (["-c", CONF, "show", "t"], IDS[1:]),
                            (["-c", CONF, "filter", "--list", ""], IDS), (["lint", "bi" if shell == "fish" else ""], [none])):
        done = subprocess.run([shell, *start, share, "mlmilterctl", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60,
                              check=False, env=environment, cwd=share)
        equal((sorted(done.stdout.decode().split()), done.stderr.decode()), (expected, ""), (shell, words))


@case("zsh has the words of bash")
def zsh():
    check_shell("zsh", "-fc", ZSH, "zsh")


@case("fish has the words of bash")
def fish():
    check_shell("fish", "--no-config", "-c", FISH, "--")


main()
