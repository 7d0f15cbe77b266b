"""Searches of the gateway take the fastest instructions that there are; a processor without AVX2
finds the same. It is emulated."""
import http.server
import json
import os
import random
import shutil
import string
import subprocess
import sys
import tempfile
import threading
import unittest

sys.path.insert(0, os.path.dirname(__file__))
from running import PROGRAM  # noqa: E402

EMULATOR = shutil.which("qemu-x86_64")
TIMEOUT_S = 120
# It has SSE 4.2 and no AVX.
PROCESSOR = "Nehalem"



class Server(http.server.BaseHTTPRequestHandler):
    """An MCP server that says what it is told to. It is reached by HTTP: the emulator does not know
    the call by which a keeper adopts the descendants of a program."""

    protocol_version = "HTTP/1.1"

    def do_POST(self):
        message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if "id" not in message:
            return self.answer(202, b"")
        if message["method"] == "initialize":
            result = {"protocolVersion": message["params"]["protocolVersion"],
                      "capabilities": {"tools": {}}, "serverInfo": {"name": "s", "version": "1"}}
        elif message["method"] == "tools/list":
            result = {"tools": [{"name": "say", "description": "Says it.",
                                 "inputSchema": {"type": "object"}}]}
        elif message["method"] == "tools/call":
            result = {"content": [{"type": "text",
                                   "text": message["params"]["arguments"]["said"]}]}
        else:
            return self.answer(404, b"")
        text = json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result})
        return self.answer(200, text.encode())

    def do_GET(self):
        self.answer(405, b"")

    def do_DELETE(self):
        self.answer(405, b"")

    def answer(self, status, body):
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


CONFIGURATION = """version = 1
[server.s]
url = "http://127.0.0.1:{port}/mcp"
[auth.stdio]
principal = "ann"
[principal.ann]
roles = ["reader"]
[role.reader]
[rule.all]
effect = "permit"
roles = ["reader"]
tools = ["s/*"]
[audit]
file = "audit.jsonl"
"""


def token(letters):
    return "ghp_" + "".join(letters.choice(string.ascii_letters + string.digits) for _ in range(36))


def told_through(command, port, said):
    """What a client of the gateway is told when the server says something, one answer a text."""
    messages = [{"jsonrpc": "2.0", "id": 0, "method": "initialize",
                 "params": {"protocolVersion": "2025-11-25", "capabilities": {},
                            "clientInfo": {"name": "t", "version": "1"}}},
                {"jsonrpc": "2.0", "method": "notifications/initialized"}]
    messages += [{"jsonrpc": "2.0", "id": i + 1, "method": "tools/call",
                  "params": {"name": "s_say", "arguments": {"said": text}}}
                 for i, text in enumerate(said)]
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "bartizan.toml")
        with open(file, "w", encoding="utf-8") as written:
            written.write(CONFIGURATION.format(port=port))
        with subprocess.Popen([*command, "run", "--stdio", file], text=True,
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL) as process:
            told = {}
            for message in messages:
                process.stdin.write(json.dumps(message) + "\n")
                process.stdin.flush()
                if "id" in message:
                    answer = json.loads(process.stdout.readline())
                    if "result" not in answer:
                        raise AssertionError(answer)
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
        with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            try:
                here = told_through([PROGRAM], server.server_port, said)
                there = told_through([EMULATOR, "-cpu", PROCESSOR, PROGRAM], server.server_port,
                                     said)
            finally:
                server.shutdown()
        self.assertEqual(here, there)
        self.assertEqual(there[0], "it is [redacted:github.token].")
        self.assertEqual(there[1], "innocent")
        self.assertTrue(all(secret not in one for one in there))
        self.assertEqual(there[5], "[redacted:aws.access_key]")


if __name__ == "__main__":
    unittest.main()
