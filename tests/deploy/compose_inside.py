#!/usr/bin/env python3
"""Does what deploy/README.md says of Docker Compose, without an engine.

    unshare --mount --net --pid --fork --kill-child --mount-proc compose_inside.py FOLDER

The services run as compose.yaml says. They are all in one network, where each has an address and a
name. Fails with an AssertionError.
"""
import json
import os
import re
import shlex
import shutil
import subprocess
import sys

import yaml

from container import Container, run_once
from images import GATEWAY, NOTES, gateway_image, notes_image, prometheus_image
from notes_calls import (assert_confined, assert_read_only, assert_refused, calls_of, put_key,
                         text_of, write_directly)
from private_network import engine_files, make_network, serve_names
from running import ROOT, page, wait_for_page

GRACE_S = 10  # What engines give a container to end, if the file does not say it.


def copy_volume(image, target, folder, name):
    """A new volume has what the image has at its place, and the owner of that."""
    volume = os.path.join(folder, f"volume-{name}")
    if not os.path.exists(volume):
        held = image.root + target
        os.mkdir(volume)
        owner = (os.stat(held).st_uid, os.stat(held).st_gid) if os.path.exists(held) else image.user
        os.chown(volume, *owner)
        os.chmod(volume, 0o750)
    return volume


class Project:
    """The services of compose.yaml, from a copy of deploy/ in `folder`."""

    def __init__(self, folder):
        self.folder = folder
        self.here = os.path.join(folder, "deploy", "compose")
        shutil.copytree(os.path.join(ROOT, "deploy"), os.path.join(folder, "deploy"))
        with open(os.path.join(self.here, "compose.yaml"), encoding="utf-8") as file:
            self.services = yaml.safe_load(file)["services"]
        if not shutil.which("prometheus"):
            del self.services["prometheus"]
        self.engine_files = engine_files(folder)
        self.images = {name: self.image_of(service) for name, service in self.services.items()}
        self.containers = {}

    def image_of(self, service):
        if "build" not in service:
            assert service["image"].startswith("prom/prometheus:"), service["image"]
            return prometheus_image(self.folder)
        build = service["build"]
        context = os.path.join(ROOT, "deploy", "compose", build["context"])
        file = os.path.realpath(os.path.join(context, build.get("dockerfile", "Dockerfile")))
        return {GATEWAY: gateway_image, NOTES: notes_image}[file](self.folder)

    def profile_of(self, service):
        found = [option.split("=")[1] for option in service["security_opt"] if "=" in option]
        return os.path.join(self.here, found[0]) if found else None

    def container(self, service_name, name, command=None):
        service, image = self.services[service_name], self.images[service_name]
        assert service["cap_drop"] == ["ALL"]
        assert "no-new-privileges:true" in service["security_opt"]
        mounts = []
        for volume in service.get("volumes", []):
            source, target, *option = volume.split(":")
            if source.startswith("."):
                source = os.path.join(self.here, source)
            else:
                source = copy_volume(image, target, self.folder, source)
            mounts.append((os.path.realpath(source), target, (option or ["rw"])[0]))
        user = tuple(map(int, service["user"].split(":"))) if "user" in service else None
        return Container(name, image, folder=self.folder, user=user, read_only=service["read_only"],
                         command=service.get("command") if command is None else command,
                         mounts=self.engine_files + mounts, profile=self.profile_of(service))

    def health(self, name):
        """The command that an engine runs to ask whether a service is healthy."""
        how, *command = self.services[name]["healthcheck"]["test"]
        assert how == "CMD"
        return command

    def up(self):
        waiting = dict(self.services)
        while waiting:
            name = next(name for name, service in waiting.items()
                        if not set(service.get("depends_on", {})) & set(waiting))
            for other, how in waiting.pop(name).get("depends_on", {}).items():
                assert how == {"condition": "service_healthy"}, how
                self.containers[other].wait_until_healthy(self.health(other))
            self.containers[name] = self.container(name, name)
            self.containers[name].start()
        for name, service in self.services.items():
            if "healthcheck" in service:
                self.containers[name].wait_until_healthy(self.health(name))

    def down(self):
        for name in reversed(self.containers):
            grace = self.services[name].get("stop_grace_period", f"{GRACE_S}s")
            container = self.containers[name]
            code = container.stop(int(grace.rstrip("s")))
            assert code == 0, f"{name} ended with {code}: {container.log()}"


class Reader:
    """Somebody who follows the page: runs its commands, and does what is said between them."""

    def __init__(self, project):
        self.project, self.key, self.folder = project, None, project.folder

    def do(self, line):
        """What the command printed."""
        words = shlex.split(line)
        if words[0] == "cd":
            self.folder = os.path.join(self.folder, words[1])
        elif words[:5] == ["docker", "compose", "run", "--rm", "--no-deps"]:
            printed = run_once(self.project.container(words[5], "once", words[6:]))
            config = os.path.join(self.folder, "bartizan.toml")
            with open(config, encoding="utf-8") as file:
                self.key, changed = put_key(file.read(), printed)
            with open(config, "w", encoding="utf-8") as file:
                file.write(changed)
            return printed
        elif words == ["docker", "compose", "up", "--detach"]:
            self.project.up()
        elif words[:3] == ["docker", "compose", "exec"]:
            code, said = self.project.containers[words[3]].run(*words[4:])
            assert code == 0, said
            return said
        elif words[0] == "export":
            assert self.key is not None and words[1] == "KEY=btz_…", line
        elif words[0] == "./call.sh":
            return subprocess.run(words, cwd=self.folder, check=True, text=True, timeout=30,
                                  env={**os.environ, "KEY": self.key}, capture_output=True).stdout
        else:
            raise AssertionError(f"a command that nobody here can follow: {line}")
        return ""


def documented_commands():
    with open(os.path.join(ROOT, "deploy", "README.md"), encoding="utf-8") as file:
        section = re.search(r"^## Docker Compose.*?(?=^## )", file.read(), re.M | re.S).group(0)
    blocks = re.findall(r"```console\n(.*?)```", section, re.S)
    return [line[2:] for block in blocks for line in block.splitlines() if line.startswith("$ ")]


def check_prometheus(container):
    """It is ready, has the rules, and reaches what it is to scrape under the name that it has."""
    wait_for_page(9090, "/-/ready", container.process)
    groups = json.loads(page(9090, "/api/v1/rules")[1])["data"]["groups"]
    assert groups and groups[0]["rules"], groups
    config = yaml.safe_load(json.loads(page(9090, "/api/v1/status/config")[1])["data"]["yaml"])
    target = config["scrape_configs"][0]["static_configs"][0]["targets"][0]
    script = "import sys, urllib.request as r; print(r.urlopen(sys.argv[1]).read().decode())"
    code, said = container.run("/usr/bin/python3", "-c", script, f"http://{target}/metrics")
    assert code == 0 and "bartizan_" in said, said


def check_compose(folder):
    project = Project(folder)
    serve_names(make_network(project.services))
    reader = Reader(project)
    said = {line: reader.do(line) for line in documented_commands()}
    answers = {tool: json.loads(text) for line, text in said.items()
               for tool in re.findall(r"^\./call\.sh (\w+)", line)}
    assert text_of(answers["notes_list_notes"]) == "welcome"
    assert "behind a gateway" in text_of(answers["notes_read_note"])
    assert_refused(answers["notes_write_note"], "no_matching_rule")
    gateway, notes = project.containers["gateway"], project.containers["notes"]
    assert calls_of(notes) == ["list_notes", "read_note"], notes.log()
    write_directly(3001)
    assert calls_of(notes)[-1] == "write_note", notes.log()
    told = "\n".join(said.values())
    assert ", chain ok, " in told and "write_note  reason no_matching_rule" in told, told
    for name in ("gateway", "notes"):
        assert_confined(project.containers[name], project.profile_of(project.services[name]))
    assert_read_only(notes)
    if "prometheus" in project.containers:
        check_prometheus(project.containers["prometheus"])
    project.down()
    assert "chain ok" in run_once(project.container(
        "gateway", "verify", ["audit", "verify", "/var/lib/bartizan/audit.jsonl"]))
    assert '"msg":"stopped"' in gateway.log(), gateway.log()


check_compose(sys.argv[1])
print("started, called, refused, verified, stopped")
