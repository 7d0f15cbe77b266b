"""The MCP server of deploy/compose, without a gateway: what it answers, and what it refuses."""
import contextlib
import http.client
import importlib.util
import io
import json
import os
import sys
import threading
import unittest

sys.path.insert(0, os.path.dirname(__file__))
from running import ROOT  # noqa: E402

FILE = os.path.join(ROOT, "deploy", "compose", "notes", "server.py")
HEADERS = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}


def load():
    spec = importlib.util.spec_from_file_location("notes_server", FILE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def request(method, params=None, **members):
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": method,
                       **({} if params is None else {"params": params}), **members}).encode()


def tool(called, **arguments):
    return request("tools/call", {"name": called, "arguments": arguments})


class Messages(unittest.TestCase):
    def setUp(self):
        self.server = load()
        self.notes = self.server.Notes()
        self.enterContext(contextlib.redirect_stderr(io.StringIO()))

    def answer(self, body):
        return self.server.answer(self.notes, body)

    def test_what_is_no_request_gets_no_result(self):
        rows = [
            (b"[", 400, -32700), (b"\xff", 400, -32700), (b"[" * 100_000, 400, -32700),
            (b"[]", 400, -32600), (b"{}", 400, -32600), (b'{"jsonrpc":"2.0","id":1}', 400, -32600),
            (request("ping", id=None), 400, -32600), (request("ping", id=1.5), 400, -32600),
            (request("ping", id=True), 400, -32600), (request("ping", []), 400, -32600),
            (request("prompts/list"), 200, -32601),
            (request("tools/call", {}), 200, -32602), (tool("delete_note"), 200, -32602),
        ]
        for body, status, code in rows:
            with self.subTest(body=body[:60]):
                got, message = self.answer(body)
                self.assertEqual((got, message["error"]["code"]), (status, code))
        for body in (b'{"jsonrpc":"2.0","method":"notifications/initialized"}',
                     b'{"jsonrpc":"2.0","id":1,"result":{}}'):
            self.assertEqual(self.answer(body), (202, None))

    def test_it_speaks_two_revisions(self):
        for asked, spoken in (("2025-06-18", "2025-06-18"), ("2025-11-25", "2025-11-25"),
                              ("2024-11-05", "2025-11-25"), (None, "2025-11-25")):
            result = self.answer(request("initialize", {"protocolVersion": asked}))[1]["result"]
            self.assertEqual(result["protocolVersion"], spoken)
        self.assertEqual(self.answer(request("ping"))[1]["result"], {})

    def told(self, body):
        result = self.answer(body)[1]["result"]
        return result["isError"], result["content"][0]["text"]

    def test_notes_are_listed_read_and_written(self):
        self.assertEqual(self.told(tool("list_notes")), (False, "welcome"))
        self.assertEqual(self.told(tool("write_note", name="a", text="b")), (False, "written"))
        self.assertEqual(self.told(tool("write_note", name="a", text="c")), (False, "written"))
        self.assertEqual(self.told(tool("read_note", name="a")), (False, "c"))
        self.assertEqual(self.told(tool("list_notes")), (False, "a\nwelcome"))

    def test_arguments_are_those_of_the_schema(self):
        rows = [tool("read_note"), tool("read_note", name=1), tool("read_note", name=""),
                tool("read_note", name="x" * 65), tool("read_note", name="missing"),
                tool("read_note", name="welcome", more="x"), tool("list_notes", name="welcome"),
                tool("write_note", name="a", text="x" * 4097), tool("write_note", name="a"),
                request("tools/call", {"name": "list_notes", "arguments": None})]
        for body in rows:
            with self.subTest(body=body[:90]):
                self.assertTrue(self.told(body)[0])
        self.assertEqual(self.told(tool("write_note", name="x" * 64, text="x" * 4096))[0], False)

    def test_notes_are_bounded(self):
        written = [self.told(tool("write_note", name=str(at), text=""))[0] for at in range(100)]
        self.assertEqual(written, [False] * 99 + [True])
        self.assertEqual(self.told(tool("write_note", name="7", text="again"))[0], False)


class Requests(unittest.TestCase):
    def setUp(self):
        module = load()
        self.server = module.Server(("127.0.0.1", 0), module.Handler)
        self.server.notes = module.Notes()
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)

    def ask(self, method="POST", path="/mcp", body=request("ping"), **changed):
        headers = {name: value for name, value in {**HEADERS, **changed}.items() if value}
        connection = http.client.HTTPConnection("127.0.0.1", self.server.server_port, timeout=30)
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        content = answer.read()
        connection.close()
        return answer.status, content

    def test_they_are_answered_or_refused(self):
        rows = [
            (200, {}), (200, {"Mcp-Protocol-Version": "2025-06-18"}),
            (200, {"Mcp-Session-Id": "x"}), (200, {"Content-Type": "application/json; charset=utf-8"}),
            (400, {"Mcp-Protocol-Version": "2026-07-28"}), (403, {"Origin": "http://localhost"}),
            (404, {"path": "/"}), (405, {"method": "GET"}), (405, {"method": "DELETE"}),
            (406, {"Accept": "text/html"}), (406, {"Accept": None}),
            (411, {"Content-Length": "-1"}), (413, {"Content-Length": str((1 << 20) + 1)}),
            (413, {"Content-Length": "9" * 5000}), (415, {"Content-Type": "text/plain"}),
        ]
        for status, changed in rows:
            with self.subTest(changed=str(changed)[:60]):
                got, content = self.ask(**changed)
                self.assertEqual(got, status)
                self.assertEqual(bool(content), status == 200)


if __name__ == "__main__":
    unittest.main(verbosity=2)
