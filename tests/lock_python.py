#!/usr/bin/env python3
"""Writes requirements.txt anew from requirements.in: each package that comes along, with its hash.

Run it with the python3 of Debian 12, since the hashes are those of its wheels:
`/usr/bin/python3 tests/lock_python.py`.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
HEAD = """# Wheels for CPython 3.11 on x86-64 Linux, each with its hash. Made by lock_python.py from
# requirements.in; install_python.sh installs exactly these.
"""


def resolve() -> list[dict]:
    with tempfile.NamedTemporaryFile(suffix=".json") as report:
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--dry-run", "--ignore-installed",
                   "--only-binary=:all:", "--report", report.name, "-r", str(HERE / "requirements.in")]
        subprocess.run(command, check=True)
        return json.load(report)["install"]


def line(entry: dict) -> str:
    name = entry["metadata"]["name"].lower().replace("_", "-")
    digest = entry["download_info"]["archive_info"]["hash"].removeprefix("sha256=")
    return f"{name}=={entry['metadata']['version']} --hash=sha256:{digest}\n"


(HERE / "requirements.txt").write_text(HEAD + "".join(sorted(map(line, resolve()))))
