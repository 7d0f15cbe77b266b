"""What the images of deploy/ hold and how they are run, as their Dockerfiles say it."""
import dataclasses
import json
import os
import re
import shutil
import subprocess

from running import PROGRAM, ROOT

GATEWAY = os.path.join(ROOT, "deploy", "docker", "Dockerfile")
NOTES = os.path.join(ROOT, "deploy", "compose", "notes", "Dockerfile")
# Debian's own folders, for an image that begins with Debian: this machine lends them.
DEBIAN = ("/usr", "/bin", "/lib", "/lib64", "/sbin")


@dataclasses.dataclass
class Image:
    root: str
    entrypoint: list
    command: list
    user: tuple
    folder: str = "/"
    mounts: tuple = ()


def read_steps(file):
    """Instructions of a Dockerfile, each with its text."""
    with open(file, encoding="utf-8") as opened:
        text = "".join(line for line in opened if not line.startswith("#"))
    lines = text.replace("\\\n", " ").splitlines()
    return [tuple(line.split(None, 1)) for line in lines if line.strip()]


def last_stage(steps):
    last = max(at for at, step in enumerate(steps) if step[0] == "FROM")
    return dict(steps[last:])


def labels_of(stage):
    return dict(re.findall(r'(\S+)="([^"]*)"', stage["LABEL"]))


def image_of(file, root, mounts=()):
    stage = last_stage(read_steps(file))
    user, group = stage["USER"].split(":")
    return Image(root, json.loads(stage["ENTRYPOINT"]), json.loads(stage.get("CMD", "[]")),
                 (int(user), int(group)), stage.get("WORKDIR", "/"), mounts)


def gateway_image(folder):
    """The image of the gateway: what collect_root.sh puts together, and nothing else."""
    root = os.path.join(folder, "gateway-root")
    collect = os.path.join(ROOT, "deploy", "docker", "collect_root.sh")
    subprocess.run([collect, PROGRAM, root], check=True)
    return image_of(GATEWAY, root)


def debian_root(folder, name):
    """A root with this machine's Debian, read-only, and the mounts that put it there."""
    root = os.path.join(folder, f"{name}-root")
    os.makedirs(os.path.join(root, "tmp"))
    mounts = []
    for part in DEBIAN:
        if os.path.islink(part):
            os.symlink(os.readlink(part), root + part)
        elif os.path.isdir(part):
            mounts.append((part, part, "ro"))
    return root, tuple(mounts)


def notes_image(folder):
    """The image of the MCP server of compose.yaml: Debian with Python, and what is copied."""
    root, mounts = debian_root(folder, "notes")
    for name, rest in read_steps(NOTES):
        if name == "COPY":
            source, target = rest.split()
            os.makedirs(os.path.dirname(root + target), exist_ok=True)
            shutil.copy(os.path.join(os.path.dirname(NOTES), source), root + target)
    return image_of(NOTES, root, mounts)


def prometheus_image(folder):
    """As the image of Prometheus is run: by `nobody`, in the folder of its series."""
    root, mounts = debian_root(folder, "prometheus")
    return Image(root, ["/usr/bin/prometheus"], [], (65534, 65534), "/prometheus", mounts)
