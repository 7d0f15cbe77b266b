"""The images of deploy/, and what runs in them: Docker Compose and pods as their files say, without
an engine and a cluster."""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(__file__))
from images import GATEWAY, NOTES, gateway_image, labels_of, last_stage, read_steps  # noqa: E402
from running import PROGRAM, ROOT  # noqa: E402

NAMESPACES = ["unshare", "--mount", "--net", "--pid", "--fork", "--kill-child", "--mount-proc"]
DONE = "started, called, refused, verified, stopped\n"
# What would fetch something else than packages.
FETCHES = r"\b(?:curl|wget|git|npm|npx|pip|pip3|cargo|go|http|https|ftp)\b|://"


def text_of(*parts):
    with open(os.path.join(ROOT, *parts), encoding="utf-8") as file:
        return file.read()


def default_of(steps, name):
    return next(rest.split("=", 1)[1] for step, rest in steps
                if step == "ARG" and rest.startswith(name + "="))


class Dockerfiles(unittest.TestCase):
    def setUp(self):
        self.gateway, self.notes = read_steps(GATEWAY), read_steps(NOTES)

    def test_steps_are_known(self):
        known = {"ARG", "FROM", "LABEL", "COPY", "RUN", "WORKDIR", "USER", "VOLUME", "EXPOSE",
                 "STOPSIGNAL", "HEALTHCHECK", "ENTRYPOINT", "CMD"}
        for steps in (self.gateway, self.notes):
            self.assertLessEqual({step[0] for step in steps}, known)

    def test_the_base_is_an_argument_and_one_for_both(self):
        for steps in (self.gateway, self.notes):
            self.assertEqual(steps[0], ("ARG", "BASE=debian:12-slim"))
            bases = [rest.split(" AS ")[0] for step, rest in steps if step == "FROM"]
            self.assertLessEqual(set(bases), {"${BASE}", "scratch"})
            self.assertEqual(bases[0], "${BASE}")

    def test_nothing_is_fetched_but_packages(self):
        for steps in (self.gateway, self.notes):
            for step, rest in steps:
                if step == "RUN":
                    self.assertNotRegex(rest, FETCHES)
        script = re.sub(r"^\s*#.*$", "", text_of("deploy", "install_packages.sh"), flags=re.M)
        self.assertNotRegex(script, FETCHES)
        listed = [file for pattern in ("CMakeLists.txt", "*/CMakeLists.txt")
                  for file in glob.glob(os.path.join(ROOT, pattern))]
        self.assertGreater(len(listed), 5)
        for file in listed:
            self.assertNotRegex(text_of(file), r"FetchContent|ExternalProject|DOWNLOAD")
        for almost in ("apt-get install git-lfs && curl x", "git clone y", "cmake -D U=https://x"):
            self.assertRegex(almost, FETCHES)

    def test_the_image_of_the_gateway_needs_no_shell_and_no_root(self):
        final = last_stage(self.gateway)
        self.assertEqual(final["FROM"], "scratch")
        self.assertNotIn("RUN", final)
        self.assertEqual(final["USER"], "65532:65532")
        self.assertEqual(final["ENTRYPOINT"], '["/usr/bin/bartizan"]')
        self.assertEqual(final["HEALTHCHECK"].split("CMD", 1)[1].strip(),
                         '["/usr/bin/bartizan", "health"]')

    def test_labels_say_what_it_is(self):
        labels = labels_of(last_stage(self.gateway))
        prefix = "org.opencontainers.image."
        self.assertEqual(sorted(labels), [prefix + name for name in (
            "description", "documentation", "licenses", "title", "version")])
        self.assertEqual(labels[prefix + "version"], "${VERSION}")
        version = re.search(r"^project\(bartizan VERSION ([\d.]+) ", text_of("CMakeLists.txt"),
                            re.M).group(1)
        self.assertEqual(default_of(self.gateway, "VERSION"), version)
        for file in ("compose/compose.yaml", "kubernetes/sidecar.yaml",
                     "kubernetes/native-sidecar.yaml"):
            tags = re.findall(r"image: bartizan(?:-notes)?:(\S+)", text_of("deploy", file))
            self.assertEqual(tags, [version, version], file)
        self.assertIn("Apache License", text_of("LICENSE"))
        for each in (labels, labels_of(last_stage(self.notes))):
            self.assertEqual(each[prefix + "licenses"], "Apache-2.0")

    def test_what_is_copied_exists(self):
        for steps, context in ((self.gateway, ROOT), (self.notes, os.path.dirname(NOTES))):
            for name, rest in steps:
                if name == "COPY" and not rest.startswith("--from"):
                    for source in rest.split()[:-1]:
                        self.assertTrue(os.path.exists(os.path.join(context, source)), source)

    def test_the_packages_to_build_with_are_left(self):
        command = re.search(r"sed -i '([^']*)'", text_of("deploy", "docker", "Dockerfile")).group(1)
        listed = os.path.join(ROOT, "deploy", "packages_build.txt")
        left = subprocess.run(["sed", command, listed], check=True, text=True,
                              capture_output=True).stdout
        names = {line.split()[0] for line in left.splitlines() if line and line[0] != "#"}
        self.assertLessEqual({"ca-certificates", "clang-19", "cmake", "ninja-build", "libssl-dev",
                              "libsimdjson-dev", "libcli11-dev"}, names)
        self.assertFalse(names & {"npm", "ccache"})

    @unittest.skipUnless(os.geteuid() == 0, "needs root, to give files to another account")
    def test_the_image_holds_what_the_program_needs_and_nothing_else(self):
        with tempfile.TemporaryDirectory() as folder:
            root = gateway_image(folder).root
            held = {os.path.join(at, name)[len(root):] for at, _, names in os.walk(root)
                    for name in names}
        loaded = subprocess.run(["ldd", PROGRAM], check=True, text=True, capture_output=True).stdout
        libraries = set(re.findall(r"/[^ ]*", loaded))
        self.assertEqual(held - libraries, {
            "/usr/bin/bartizan", "/etc/ssl/certs/ca-certificates.crt", "/usr/lib/ssl/cert.pem",
            "/etc/passwd", "/etc/group", "/etc/nsswitch.conf"})


def cannot_contain():
    if os.geteuid() != 0:
        return "needs root, for folders, accounts and networks of its own"
    for program in ("unshare", "mount", "curl"):
        if not shutil.which(program):
            return f"{program} is not installed"
    made = subprocess.run([*NAMESPACES, "true"], check=False, capture_output=True)
    return None if made.returncode == 0 else "this machine gives no namespaces"


@unittest.skipIf(cannot_contain(), cannot_contain())
class Containers(unittest.TestCase):
    def check(self, script, *arguments):
        with tempfile.TemporaryDirectory() as folder:
            os.chmod(folder, 0o755)
            done = subprocess.run(
                [*NAMESPACES, sys.executable, os.path.join(os.path.dirname(__file__), script),
                 *arguments, folder], check=False, text=True, capture_output=True)
        self.assertEqual((done.returncode, done.stdout), (0, DONE), done.stderr)

    def test_compose_comes_up_and_a_reader_of_the_page_makes_a_call(self):
        self.check("compose_inside.py")

    def test_the_pod_serves(self):
        self.check("pod_inside.py", "sidecar.yaml")

    def test_the_pod_with_a_native_sidecar_serves(self):
        self.check("pod_inside.py", "native-sidecar.yaml")


if __name__ == "__main__":
    unittest.main(verbosity=2)
