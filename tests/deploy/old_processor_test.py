"""Searches of the gateway take the fastest instructions that there are; a processor without AVX2
finds the same. It is emulated."""
import json
import os
import random
import shutil
import string
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(__file__))
from running import PROGRAM  # noqa: E402

EMULATOR = shutil.which("qemu-x86_64")
TIMEOUT_S = 120
# It has SSE 4.2 and no AVX.
PROCESSOR = "Nehalem"

SERVER = r"""
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message:
        continue
    if message["method"] == "initialize":
        result = {"protocolVersion": message["params"]["protocolVersion"],
                  "capabilities": {"tools": {}}, "serverInfo": {"name": "s", "version": "1"}}
    elif message["method"] == "tools/list":
        result = {"tools": [{"name": "say", "description": "Says it.",
                             "inputSchema": {"type": "object"}}]}
    else:
        said = message["params"]["arguments"]["said"]
        result = {"content": [{"type": "text", "text": said}]}
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
"""


def token(letters):
    return "ghp_" + "".join(letters.choice(string.ascii_letters + string.digits) for _ in range(36))


def told_through(command, folder, said):
    """What a client of the gateway is told when the server says something, one answer a text."""
    messages = [{"jsonrpc": "2.0", "id": 0, "method": "initialize",
                 "params": {"protocolVersion": "2025-11-25", "capabilities": {},
                            "clientInfo": {"name": "t", "version": "1"}}},
                {"jsonrpc": "2.0", "method": "notifications/initialized"}]
    messages += [{"jsonrpc": "2.0", "id": i + 1, "method": "tools/call",
                  "params": {"name": "say", "arguments": {"said": text}}}
                 for i, text in enumerate(said)]
    with subprocess.Popen([*command, "wrap", "--", sys.executable, "-c", SERVER], cwd=folder,
                          env={**os.environ, "XDG_STATE_HOME": folder}, text=True,
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL) as process:
        told = {}
        for message in messages:
            process.stdin.write(json.dumps(message) + "\n")
            process.stdin.flush()
            if "id" in message:
                answer = json.loads(process.stdout.readline())
                told[answer["id"]] = answer["result"]
        process.stdin.close()
        process.wait(timeout=TIMEOUT_S)
    return [told[i + 1]["content"][0]["text"] for i in range(len(said))]


@unittest.skipUnless(EMULATOR, "needs qemu-x86_64 (Debian: qemu-user)")
class OldProcessor(unittest.TestCase):
    def test_finds_the_same(self):
        letters = random.Random(7)
        secret = token(letters)
        said = [f"it is {secret}.", "in\u200bno\u202ecent", "x" * 70_000 + " " + secret,
                "\u0434\u0430 " * 20_000 + secret, "<script>x()</script>",
                "AKIA" + "".join(letters.choice("ABCDEFGHIJKLMNOP234567") for _ in range(16))]
        with tempfile.TemporaryDirectory() as folder:
            here = told_through([PROGRAM], folder, said)
            there = told_through([EMULATOR, "-cpu", PROCESSOR, PROGRAM], folder, said)
        self.assertEqual(here, there)
        self.assertEqual(there[0], "it is [redacted:github.token].")
        self.assertEqual(there[1], "innocent")
        self.assertTrue(all(secret not in one for one in there))
        self.assertEqual(there[5], "[redacted:aws.access_key]")


if __name__ == "__main__":
    unittest.main()
