#!/usr/bin/env python3
"""A small MCP server: notes, which it keeps in memory until it ends.

    server.py            serves MCP on HOST and PORT, by default http://0.0.0.0:3001/mcp
    server.py check      asks a running one whether it answers

It speaks Streamable HTTP of 2025-06-18 and 2025-11-25, and needs nothing but Python. It has no
sessions, so each request stands alone, and its answers are JSON, never event streams. It knows
nobody: whoever reaches it may read and write, so the gateway has to be the only one who does.
"""
import http.client
import json
import os
import signal
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

HOST, PORT = os.environ.get("HOST", "0.0.0.0"), int(os.environ.get("PORT", "3001"))
REVISIONS = ("2025-11-25", "2025-06-18")
BODY_BYTES_MAX = 1 << 20
NOTES_MAX, NAME_LENGTH_MAX, TEXT_LENGTH_MAX = 100, 64, 4096
IDLE_S = 300
PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS = -32700, -32600, -32601, -32602

NAME = {"type": "string", "minLength": 1, "maxLength": NAME_LENGTH_MAX}
TEXT = {"type": "string", "maxLength": TEXT_LENGTH_MAX}


def tool(name, description, properties, reads):
    schema = {"type": "object", "properties": properties, "required": sorted(properties),
              "additionalProperties": False}
    return {"name": name, "description": description, "inputSchema": schema,
            "annotations": {"readOnlyHint": reads, "openWorldHint": False}}


TOOLS = [
    tool("list_notes", "Lists the names of all notes.", {}, True),
    tool("read_note", "Reads one note.", {"name": NAME}, True),
    tool("write_note", "Writes a note, in the place of one that has its name.",
         {"name": NAME, "text": TEXT}, False),
]


class Notes:
    """The notes, by name."""

    def __init__(self):
        self.lock = threading.Lock()
        self.texts = {"welcome": "These notes are behind a gateway. You may read them."}

    def list_notes(self):
        with self.lock:
            return "\n".join(sorted(self.texts))

    def read_note(self, name):
        with self.lock:
            if name not in self.texts:
                raise ToolError("there is no such note")
            return self.texts[name]

    def write_note(self, name, text):
        with self.lock:
            if name not in self.texts and len(self.texts) >= NOTES_MAX:
                raise ToolError(f"there are {NOTES_MAX} notes already")
            self.texts[name] = text
        return "written"


class ToolError(Exception):
    """What a model is told, and may do better the next time."""


class RequestError(Exception):
    """What a client did wrong, as JSON-RPC says it."""

    def __init__(self, code, message):
        super().__init__(message)
        self.code = code


def check_arguments(schema, arguments):
    """As far as the schemas above go: names, and texts of bounded length."""
    properties = schema["properties"]
    if not isinstance(arguments, dict):
        raise ToolError("the arguments are no object")
    for name in schema["required"]:
        if name not in arguments:
            raise ToolError(f"the argument {name} is missing")
    for name, value in arguments.items():
        if name not in properties:
            raise ToolError("there is an argument that the tool does not have")
        bounds = properties[name]
        if not isinstance(value, str):
            raise ToolError(f"the argument {name} is no string")
        if not bounds.get("minLength", 0) <= len(value) <= bounds["maxLength"]:
            raise ToolError(f"the argument {name} is too short or too long")


def call_tool(notes, params):
    found = [one for one in TOOLS if one["name"] == params.get("name")]
    if not found:
        raise RequestError(INVALID_PARAMS, "Unknown tool")
    print(f"notes: {found[0]['name']}", file=sys.stderr, flush=True)
    arguments = params.get("arguments", {})
    try:
        check_arguments(found[0]["inputSchema"], arguments)
        text, failed = getattr(notes, found[0]["name"])(**arguments), False
    except ToolError as error:
        text, failed = str(error), True
    return {"content": [{"type": "text", "text": text}], "isError": failed}


def initialize(params):
    wanted = params.get("protocolVersion")
    return {"protocolVersion": wanted if wanted in REVISIONS else REVISIONS[0],
            "capabilities": {"tools": {}}, "serverInfo": {"name": "notes", "version": "1.0.0"}}


def result_of(notes, method, params):
    if method == "initialize":
        return initialize(params)
    if method == "ping":
        return {}
    if method == "tools/list":
        return {"tools": TOOLS}
    if method == "tools/call":
        return call_tool(notes, params)
    raise RequestError(METHOD_NOT_FOUND, "Method not found")


def answer(notes, body):
    """The status and the answer to one message; no answer to what is no request."""
    envelope = {"jsonrpc": "2.0"}
    try:
        try:
            message = json.loads(body.decode())
        except (ValueError, RecursionError):
            raise RequestError(PARSE_ERROR, "Parse error") from None
        if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
            raise RequestError(INVALID_REQUEST, "Invalid request")
        method, params = message.get("method"), message.get("params", {})
        if method is None and ("result" in message or "error" in message):
            return 202, None
        if not isinstance(method, str) or not isinstance(params, dict):
            raise RequestError(INVALID_REQUEST, "Invalid request")
        if "id" not in message:
            return 202, None
        if type(message["id"]) not in (str, int):
            raise RequestError(INVALID_REQUEST, "Invalid request")
        envelope["id"] = message["id"]
        return 200, {**envelope, "result": result_of(notes, method, params)}
    except RequestError as error:
        status = 400 if error.code in (PARSE_ERROR, INVALID_REQUEST) else 200
        return status, {**envelope, "error": {"code": error.code, "message": str(error)}}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version, sys_version = "notes/1.0.0", ""
    timeout = IDLE_S

    def do_POST(self):
        refusal = self.refusal()
        if refusal is not None:
            return self.send_refusal(refusal)
        body = self.rfile.read(int(self.headers["Content-Length"]))
        return self.send(*answer(self.server.notes, body))

    def refusal(self):
        """The status of a request whose body is not read."""
        revision = self.headers.get("MCP-Protocol-Version")
        length = self.headers.get("Content-Length", "")
        if self.path != "/mcp":
            return 404
        if "Origin" in self.headers:
            return 403  # No page of a browser has any business here.
        if "application/json" not in self.headers.get("Accept", ""):
            return 406
        if self.headers.get_content_type() != "application/json":
            return 415
        if revision is not None and revision not in REVISIONS:
            return 400
        if not length.isdecimal():
            return 411
        return 413 if len(length) > 9 or int(length) > BODY_BYTES_MAX else None

    def do_GET(self):
        self.send_refusal(405)  # It has no stream of its own …

    def do_DELETE(self):
        self.send_refusal(405)  # … and no sessions.

    def send_refusal(self, status):
        # Its body was not read, so the connection cannot be used again.
        self.close_connection = True
        self.send(status, None)

    def send(self, status, message):
        body = b"" if message is None else json.dumps(message).encode()
        self.send_response(status)
        if status == 405:
            self.send_header("Allow", "POST")
        if self.close_connection:
            self.send_header("Connection", "close")
        if body:
            self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        """Calls are logged, requests are not."""


class Server(ThreadingHTTPServer):
    def handle_error(self, request, client_address):
        if not isinstance(sys.exc_info()[1], ConnectionError):  # Clients may leave as they like.
            super().handle_error(request, client_address)


def serve():
    # The first process of a container gets no signal that it does not ask for.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    with Server((HOST, PORT), Handler) as server:
        server.notes = Notes()
        print(f"notes: listening on {HOST}:{PORT}", file=sys.stderr, flush=True)
        server.serve_forever()


def check():
    connection = http.client.HTTPConnection("127.0.0.1", PORT, timeout=5)
    ping = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"})
    try:
        connection.request("POST", "/mcp", ping, {"Accept": "application/json",
                                                  "Content-Type": "application/json"})
        sys.exit(0 if connection.getresponse().status == 200 else 1)
    except OSError as error:
        sys.exit(f"notes: {error}")


if __name__ == "__main__":
    check() if sys.argv[1:] == ["check"] else serve()
