#!/usr/bin/env python3
"""Containers without an engine: a process of its own folder, account, process table and rights.

    container.py start TERMS.json                    is the first process of a container
    container.py exec PID TERMS.json COMMAND…        runs another one in the container of PID

What the terms say holds as with an engine: no capabilities, no new privileges, the seccomp profile,
a read-only root. What they leave out is not there: networks, control groups, and the profile that
an engine has by default.
"""
import ctypes
import json
import os
import platform
import pty
import subprocess
import sys
import time

from confine import compile_profile, confine

HERE = os.path.realpath(__file__)
DEVICES = ("full", "null", "random", "urandom", "zero")
# What an image has in its environment if it says nothing: engines look for programs there.
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
LIBRARY = ctypes.CDLL(None, use_errno=True)
PR_CAPBSET_READ, PR_CAPBSET_DROP, PR_SET_NO_NEW_PRIVS = 23, 24, 38
CLONE_NEWNS, CLONE_NEWPID = 0x00020000, 0x20000000
HEALTHY_TIMEOUT_S = 30


def call(name, *arguments):
    if getattr(LIBRARY, name)(*arguments) < 0:
        raise OSError(ctypes.get_errno(), name)


def mount(*arguments):
    subprocess.run(["mount", *arguments], check=True)


def make_point(source, target):
    """Something to mount on, of the kind of what is mounted there."""
    os.makedirs(os.path.dirname(target), exist_ok=True)
    if os.path.isdir(source):
        os.makedirs(target, exist_ok=True)
    elif not os.path.exists(target):
        with open(target, "w", encoding="ascii"):
            pass


def mount_root(terms):
    root = terms["root"]
    points = [(source, root + target, option) for source, target, option in terms["mounts"]]
    devices = [(f"/dev/{name}", f"{root}/dev/{name}", "rw") for name in DEVICES]
    for source, target, _ in points:
        make_point(source, target)
    for folder in ("proc", "dev"):
        os.makedirs(os.path.join(root, folder), exist_ok=True)
    mount("--bind", root, root)
    if terms["read_only"]:
        mount("-o", "remount,bind,ro", root)
    mount("-t", "proc", "proc", f"{root}/proc")
    mount("-t", "tmpfs", "-o", "mode=755", "dev", f"{root}/dev")
    for source, target, option in points + devices:
        if target.startswith(f"{root}/dev/"):
            make_point(source, target)
        mount("--bind", source, target)
        if option == "ro":
            mount("-o", "remount,bind,ro", target)


def become(terms, command):
    """Gives up all rights and becomes a program of the root that this process has by now."""
    capability = 0
    while LIBRARY.prctl(PR_CAPBSET_READ, capability, 0, 0, 0) >= 0:
        call("prctl", PR_CAPBSET_DROP, capability, 0, 0, 0)
        capability += 1
    os.setgroups(terms["groups"])
    os.setgid(terms["user"][1])
    os.setuid(terms["user"][0])
    call("prctl", PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    if terms["code"]:
        confine(terms["code"])
    os.chdir(terms["folder"])
    os.execvpe(command[0], command, terms["environment"])


def read_terms(file):
    with open(file, encoding="utf-8") as opened:
        terms = json.load(opened)
    # Read before the root changes: the numbers of system calls are a file of this machine.
    terms["code"] = None
    if terms["profile"] and platform.machine() == "x86_64":
        with open(terms["profile"], encoding="utf-8") as opened:
            terms["code"] = compile_profile(json.load(opened))
    return terms


def start(file):
    terms = read_terms(file)
    mount_root(terms)
    os.chroot(terms["root"])
    become(terms, terms["command"])


def execute(process, file, *command):
    terms = read_terms(file)
    root = os.open(f"/proc/{process}/root", os.O_RDONLY)
    for name, kind in (("pid", CLONE_NEWPID), ("mnt", CLONE_NEWNS)):
        call("setns", os.open(f"/proc/{process}/ns/{name}", os.O_RDONLY), kind)
    os.chdir(root)
    os.chroot(".")
    # Only a child is in the other process table.
    child = os.fork()
    if child == 0:
        become(terms, command)
    sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))


class Container:
    """A container of `image`, which has a root and how it is run: see images.py.

    `mounts` are rows of source, target, and `ro` or `rw`. The other terms are those of an engine.
    """

    def __init__(self, name, image, *, folder, command=None, user=None, groups=(), mounts=(),
                 read_only=True, profile=None, environment=None):
        self.name = name
        self.file = os.path.join(folder, f"{name}.json")
        self.log_file = os.path.join(folder, f"{name}.log")
        entry = image.entrypoint + (image.command if command is None else command)
        # Nothing else of this machine, but what a program with sanitizers is told.
        told = {name: os.environ[name] for name in ("ASAN_OPTIONS",) if name in os.environ}
        terms = {"root": image.root, "mounts": [*image.mounts, *mounts], "read_only": read_only,
                 "user": user or image.user, "groups": list(groups), "profile": profile,
                 "folder": image.folder, "command": entry,
                 "environment": {"PATH": PATH, **told, **(environment or {})}}
        with open(self.file, "w", encoding="utf-8") as file:
            json.dump(terms, file)

    def start(self):
        with open(self.log_file, "ab") as log:
            self.start_with(log)

    def start_with(self, output):
        self.process = subprocess.Popen(
            ["unshare", "--mount", "--pid", "--fork", "--kill-child", sys.executable, HERE,
             "start", self.file], stdout=output, stderr=output)

    def first_process(self):
        """The number of the container's first process outside of it."""
        outer = self.process.pid
        with open(f"/proc/{outer}/task/{outer}/children", encoding="ascii") as children:
            return int(children.read())

    def is_made(self):
        try:
            return self.status()["NoNewPrivs"] == "1"
        except (OSError, ValueError):  # There is no first process yet.
            return False

    def run(self, *command):
        """As `exec` of an engine: code, and what was said on both outputs."""
        done = subprocess.run([sys.executable, HERE, "exec", str(self.first_process()), self.file,
                               *command], check=False, text=True, capture_output=True)
        return done.returncode, done.stdout + done.stderr

    def wait_until_healthy(self, command):
        deadline = time.monotonic() + HEALTHY_TIMEOUT_S
        said = "not asked"
        while time.monotonic() < deadline:
            if self.process.poll() is not None:
                break
            if self.is_made():
                code, said = self.run(*command)
                if code == 0:
                    return
            time.sleep(0.05)
        raise AssertionError(f"{self.name} is not healthy: {said}\n{self.log()}")

    def status(self):
        with open(f"/proc/{self.first_process()}/status", encoding="ascii") as file:
            return dict(line.rstrip("\n").split(":\t", 1) for line in file)

    def stop(self, grace_s):
        """The code with which it ends after SIGTERM; fails where it takes longer than that."""
        os.kill(self.first_process(), 15)
        return self.process.wait(timeout=grace_s)

    def log(self):
        with open(self.log_file, encoding="utf-8") as file:
            return file.read()


def run_once(container):
    """As `run --rm` of an engine, on a terminal: what it printed; fails where it fails."""
    terminal, output = pty.openpty()
    container.start_with(output)
    os.close(output)
    printed = b""
    while True:
        try:
            more = os.read(terminal, 65536)
        except OSError:  # Nobody has the other side any more.
            break
        if not more:
            break
        printed += more
    os.close(terminal)
    code = container.process.wait(timeout=HEALTHY_TIMEOUT_S)
    text = printed.decode().replace("\r\n", "\n")
    if code != 0:
        raise AssertionError(f"{container.name} ended with {code}: {text}")
    return text


if __name__ == "__main__":
    {"start": start, "exec": execute}[sys.argv[1]](*sys.argv[2:])
