"""The unit, the seccomp profile beside it, and the package: what a Debian machine is given."""
import glob
import json
import os
import re
import resource
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(__file__))
from running import PROGRAM, ROOT, Gateway  # noqa: E402

UNIT = os.path.join(ROOT, "deploy", "systemd", "bartizan.service")
# The score of `systemd-analyze security`, in tenths, that the documents state; 100 is the worst.
EXPOSURE_MAX = 11
# What no container and no service of ours may be allowed, as sets of systemd and by name.
FORBIDDEN = ("@mount @module @debug @reboot @swap @raw-io @clock @cpu-emulation @keyring unshare setns "
             "bpf chroot pivot_root acct quotactl userfaultfd io_uring_setup io_uring_enter "
             "io_uring_register perf_event_open process_vm_readv process_vm_writev ptrace kcmp "
             "name_to_handle_at open_by_handle_at fanotify_init mknod mknodat syslog vhangup")
# What servers under accounts of their own need, and the unit leaves to a drop-in.
ONLY_IN_THE_PROFILE = {
    "chown", "fchown", "fchownat", "lchown", "setgroups", "setresuid", "setreuid", "setuid",
    "setfsuid", "setpriority", "sched_setaffinity", "setrlimit"}


def text_of(file):
    with open(file, encoding="utf-8") as opened:
        return opened.read()


def expand(names):
    """System calls of names and sets of systemd."""
    calls = set()
    for name in names:
        if not name.startswith("@"):
            calls.add(name)
            continue
        shown = subprocess.run(["systemd-analyze", "--no-pager", "syscall-filter", name],
                               check=True, text=True, capture_output=True).stdout
        inner = re.findall(r"^\s+([@\w-]+)\s*$", shown.split(name, 1)[1], re.M)
        calls |= expand(inner)
    return calls


def profile_rules():
    with open(os.path.join(ROOT, "deploy", "seccomp", "bartizan.json"), encoding="utf-8") as file:
        return json.load(file)


def allowed_by_profile(profile):
    return {name for rule in profile["syscalls"] if rule["action"] == "SCMP_ACT_ALLOW"
            for name in rule["names"]}


def allowed_by_unit(text):
    allowed = set()
    for line in re.findall(r"^SystemCallFilter=(.*)$", text, re.M):
        if line.startswith("~"):
            allowed -= expand(line[1:].split())
        else:
            allowed |= expand(line.split())
    return allowed


@unittest.skipUnless(shutil.which("systemd-analyze"), "systemd-analyze is not installed")
class Unit(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.file = self.written(text_of(UNIT))

    def written(self, text, drop_in=None):
        """The unit with a program that is there."""
        file = os.path.join(self.folder.name, "bartizan.service")
        with open(file, "w", encoding="utf-8") as opened:
            opened.write(text.replace("/usr/bin/bartizan", PROGRAM))
        if drop_in:
            os.mkdir(file + ".d")
            with open(os.path.join(file + ".d", "local-servers.conf"), "w",
                      encoding="utf-8") as opened:
                opened.write(drop_in)
        return file

    def verify(self, file):
        said = subprocess.run(["systemd-analyze", "verify", "--man=no", file], check=False,
                              text=True, capture_output=True)
        return said.returncode, said.stderr

    def test_it_is_understood_whole(self):
        self.assertEqual(self.verify(self.file), (0, ""))
        # A directive that systemd does not know is told, and not an error, so the text must be empty.
        wrong = self.written(text_of(UNIT).replace("PrivateTmp=", "PrivateTemp="))
        self.assertIn("PrivateTemp", self.verify(wrong)[1])

    def test_the_drop_in_is_understood_with_every_line_in_use(self):
        text = text_of(os.path.join(ROOT, "deploy", "systemd", "local-servers.conf"))
        in_use = re.sub(r"^#(?=[A-Z]\w+=)", "", text, flags=re.M)
        self.assertGreater(in_use.count("\n") - in_use.count("\n#"), 8)
        self.assertEqual(self.verify(self.written(text_of(UNIT), in_use)), (0, ""))

    def test_the_score_is_the_stated_one(self):
        said = subprocess.run(["systemd-analyze", "security", "--offline=true", "--no-pager",
                               f"--threshold={EXPOSURE_MAX}", self.file], check=True, text=True,
                              capture_output=True).stdout
        score = re.search(r"exposure level for bartizan.service: ([\d.]+)", said).group(1)
        stated = f"{EXPOSURE_MAX / 10}"
        self.assertEqual(score, stated)
        self.assertIn(f"**{stated}**", text_of(os.path.join(ROOT, "deploy", "README.md")))

    def test_a_reload_is_taken_while_it_runs(self):
        signalled = re.search(r"^ExecReload=/bin/kill -(\w+) \$MAINPID$", text_of(UNIT), re.M).group(1)
        with tempfile.TemporaryDirectory() as folder, Gateway(folder) as gateway:
            before = gateway.record_kinds().count("reload")
            with open(gateway.file, "a", encoding="utf-8") as file:
                file.write('[principal.new]\nroles = []\n')
            gateway.process.send_signal(signal.Signals[f"SIG{signalled}"])
            gateway.wait_for_record("reload", before + 1)
            self.assertEqual(gateway.page("/readyz")[0], 200)

    def test_the_supervisor_hears_of_ready_and_of_stopping(self):
        with tempfile.TemporaryDirectory() as folder, Gateway(folder) as gateway:
            self.assertEqual(gateway.told(), "READY=1")
            self.assertEqual(gateway.stop(), 0)
            self.assertEqual(gateway.told(), "STOPPING=1")

    def test_the_supervisor_hears_of_ready_when_calls_are_accepted(self):
        with tempfile.TemporaryDirectory() as folder, socket.create_server(("127.0.0.1", 0)) as silent:
            # It takes connections and says nothing, so the first probe takes its whole time.
            url = f"http://127.0.0.1:{silent.getsockname()[1]}/mcp"
            gateway = Gateway(folder, f'[server.silent]\nurl = "{url}"\n')
            process = gateway.start()
            try:
                self.assertEqual(gateway.told(), "READY=1")
                self.assertEqual(gateway.page("/readyz")[0], 200)
                self.assertIn("\nbartizan_ready 1\n", gateway.page("/metrics")[1])
            finally:
                process.kill()
                process.wait()
                gateway.supervisor.close()

    def test_a_gateway_that_is_not_ready_does_not_hold_its_unit_up(self):
        with tempfile.TemporaryDirectory() as folder:
            gateway = Gateway(folder)
            # The record of the start does not fit.
            limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (64, 64))
            process = gateway.start(stderr=subprocess.PIPE, preexec_fn=limit)
            try:
                self.assertEqual(gateway.told(), "READY=1")
                self.assertEqual(gateway.page("/readyz")[0], 503)
                self.assertIn("\nbartizan_ready 0\n", gateway.page("/metrics")[1])
                logged = next(line for line in process.stderr if b"started, and not ready" in line)
                self.assertIn(b"the audit record cannot be written", logged)
            finally:
                process.kill()
                process.wait()
                gateway.supervisor.close()
                process.stderr.close()


@unittest.skipUnless(shutil.which("systemd-analyze"), "systemd-analyze is not installed")
class SystemCalls(unittest.TestCase):
    def setUp(self):
        self.profile = profile_rules()
        self.allowed = allowed_by_profile(self.profile)

    def test_nothing_dangerous_is_allowed(self):
        forbidden = expand(FORBIDDEN.split())
        self.assertGreater(len(forbidden), 60)
        self.assertEqual(self.allowed & forbidden, set())
        self.assertEqual(allowed_by_unit(text_of(UNIT)) & forbidden, set())

    def test_the_unit_allows_what_the_profile_does_but_accounts(self):
        self.assertEqual(self.allowed - allowed_by_unit(text_of(UNIT)), ONLY_IN_THE_PROFILE)

    def test_the_default_is_to_deny(self):
        self.assertEqual(self.profile["defaultAction"], "SCMP_ACT_ERRNO")
        actions = {rule["action"] for rule in self.profile["syscalls"]}
        self.assertEqual(actions, {"SCMP_ACT_ALLOW", "SCMP_ACT_ERRNO"})
        names = [name for rule in self.profile["syscalls"] if "args" not in rule
                 for name in rule["names"]]
        self.assertEqual(len(names), len(set(names)))
        for name in ("clone", "socket", "personality"):
            self.assertNotIn(name, names)


def can_make_a_copy():
    if os.geteuid() != 0:
        return "needs root, for an overlay over this machine"
    for program in ("cpack", "dpkg", "unshare", "setpriv", "systemd-sysusers"):
        if not shutil.which(program):
            return f"{program} is not installed"
    if "overlay" not in text_of("/proc/filesystems"):
        return "this kernel has no overlay file system"
    return None


class Package(unittest.TestCase):
    @unittest.skipIf(can_make_a_copy(), can_make_a_copy())
    def test_it_installs_starts_serves_and_goes(self):
        build = os.path.dirname(os.path.dirname(PROGRAM))
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(["cpack", "-G", "DEB", "-B", folder], cwd=build, check=True,
                           capture_output=True)
            package, = glob.glob(os.path.join(folder, "*.deb"))
            scratch = os.path.join(folder, "scratch")
            os.mkdir(scratch)
            done = subprocess.run(
                ["unshare", "--mount", "--net", "--pid", "--fork", "--kill-child", sys.executable,
                 os.path.join(ROOT, "tests", "deploy", "install_inside.py"), package, scratch],
                check=False, text=True, capture_output=True)
            self.assertEqual((done.returncode, done.stdout),
                             (0, "installed, started, called, verified, removed\n"), done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
