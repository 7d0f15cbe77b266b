#!/usr/bin/env python3
"""Installs the package on a copy of this machine that nobody else sees, and uses what it installed.

    unshare --mount --net --pid --fork --kill-child install_inside.py PACKAGE FOLDER

The copy is an overlay over / in memory, with its own processes and its own network, so that the
packaged configuration runs as it is, on the packaged ports. Fails with an AssertionError.
"""
import fcntl
import json
import os
import shutil
import socket
import struct
import subprocess
import sys

from running import ask, initialize, page, wait_until_ready

METRICS_PORT = 9901
CONFIG = "/etc/bartizan/bartizan.toml"
RECORD = "/var/lib/bartizan/audit.jsonl"
SERVER = os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "end_to_end", "fixtures",
                      "trying_server.py")
POLICY = """
[principal.ann]
roles = ["analyst"]
[role.analyst]
[server.trying]
command = ["/usr/bin/python3", "/tmp/server.py"]
[rule.analysts-try]
effect = "permit"
roles = ["analyst"]
tools = ["trying/*"]
"""


def run(*command, **options):
    return subprocess.run(command, check=True, text=True, capture_output=True, **options).stdout


def start_loopback():
    with socket.socket() as any_socket:
        request = struct.pack("16sh14x", b"lo", 1 | 64)  # IFF_UP and IFF_RUNNING.
        fcntl.ioctl(any_socket, 0x8914, request)  # SIOCSIFFLAGS.


def enter_copy(folder):
    run("mount", "--make-rprivate", "/")
    run("mount", "-t", "tmpfs", "scratch", folder)
    upper, work, root = (os.path.join(folder, name) for name in ("upper", "work", "root"))
    for made in (upper, work, root):
        os.mkdir(made)
    run("mount", "-t", "overlay", "overlay", "-o",
        f"lowerdir=/,upperdir={upper},workdir={work}", root)
    run("mount", "-t", "proc", "proc", os.path.join(root, "proc"))
    run("mount", "--rbind", "/dev", os.path.join(root, "dev"))
    run("mount", "-t", "tmpfs", "-o", "mode=1777", "tmp", os.path.join(root, "tmp"))
    return root


def mode_and_owner(path):
    status = os.stat(path)
    names = {}
    for file in ("/etc/passwd", "/etc/group"):
        with open(file, encoding="utf-8") as lines:
            names[file] = {line.split(":")[2]: line.split(":")[0] for line in lines}
    return (oct(status.st_mode & 0o777), names["/etc/passwd"].get(str(status.st_uid)),
            names["/etc/group"].get(str(status.st_gid)))


class Service:
    """The installed program as the unit would start it."""

    def __init__(self):
        command = ["setpriv", "--reuid=bartizan", "--regid=bartizan", "--init-groups",
                   "--no-new-privs", "/usr/bin/bartizan", "run", CONFIG]
        os.makedirs("/run/bartizan", exist_ok=True)
        shutil.chown("/run/bartizan", "bartizan", "bartizan")
        self.process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
        wait_until_ready(METRICS_PORT, self.process)

    def stop(self):
        self.process.terminate()
        assert self.process.wait(timeout=30) == 0, self.process.returncode


def check_as_installed():
    assert mode_and_owner("/etc/bartizan") == ("0o750", "root", "bartizan")
    assert mode_and_owner(CONFIG) == ("0o640", "root", "bartizan")
    assert mode_and_owner("/var/lib/bartizan") == ("0o750", "bartizan", "bartizan")
    run("systemd-analyze", "verify", "--man=no", "/usr/lib/systemd/system/bartizan.service")
    installed = run("dpkg", "-L", "bartizan")
    for file in ("man/man1/bartizan.1.gz", "man/man5/bartizan.toml.5.gz",
                 "bash-completion/completions/bartizan", "zsh/vendor-completions/_bartizan",
                 "fish/vendor_completions.d/bartizan.fish",
                 "doc/bartizan/examples/grafana-dashboard.json"):
        assert f"/usr/share/{file}" in installed, file
    service = Service()
    assert page(METRICS_PORT, "/readyz")[0] == 200
    assert '"ready":true' in run("/usr/bin/bartizan", "health")
    assert initialize(None)[0] == 401
    service.stop()


def check_a_call():
    made = run("/usr/bin/bartizan", "key", "new", "ann-laptop", "--principal", "ann", "--json")
    key = json.loads(made)["key"]
    digest = run("/usr/bin/bartizan", "key", "hash", input=key).strip()
    with open(CONFIG, "a", encoding="utf-8") as file:
        file.write(f'[auth.api_key.ann-laptop]\nprincipal = "ann"\nsha256 = "{digest}"\n{POLICY}')
    service = Service()
    status, session, text = initialize(key)
    assert status == 200 and session, text
    ask(session, 0, "notifications/initialized", {}, key)
    call = {"name": "trying_try_all", "arguments": {}}
    status, _, text = ask(session, 2, "tools/call", call, key)
    assert status == 200 and "unshare" in text, text
    service.stop()
    verified = run("/usr/bin/bartizan", "audit", "verify", RECORD)
    decisions = run("grep", "-c", '"target":"try_all"', RECORD)
    assert int(decisions) == 2, verified  # Its decision and its outcome.


def main():
    package, folder = sys.argv[1:3]
    start_loopback()
    with open(package, "rb") as file:
        content = file.read()
    with open(SERVER, "rb") as file:
        server = file.read()
    os.chroot(enter_copy(folder))
    os.chdir("/")
    for name, bytes_of in (("/tmp/bartizan.deb", content), ("/tmp/server.py", server)):
        with open(name, "wb") as file:
            file.write(bytes_of)
    os.chmod("/tmp/server.py", 0o644)
    # Without triggers: indexing the manuals again takes most of the time, and is not ours.
    run("dpkg", "--no-triggers", "-i", "/tmp/bartizan.deb")
    check_as_installed()
    check_a_call()
    run("dpkg", "--no-triggers", "-r", "bartizan")
    assert not os.path.exists("/usr/bin/bartizan") and os.path.exists(CONFIG)
    run("dpkg", "--no-triggers", "-P", "bartizan")
    assert not os.path.exists(CONFIG) and os.path.exists(RECORD)
    print("installed, started, called, verified, removed")


main()
