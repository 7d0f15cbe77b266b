"""Starts the gateway for a test of deploy/, and asks it."""
import http.client
import json
import os
import signal
import socket
import subprocess
import tempfile
import time

ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", ".."))
PROGRAM = os.path.realpath(os.environ.get(
    "BARTIZAN_BIN", os.path.join(ROOT, "build", "first-run", "bin", "bartizan")))
READY_TIMEOUT_S = 30
MCP_PORT = 8080


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def check_configuration(text):
    """What `bartizan check` answers; fails where it finds an error."""
    with tempfile.NamedTemporaryFile("w", suffix=".toml", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        return subprocess.run([PROGRAM, "check", file.name], check=True, text=True,
                              capture_output=True).stdout


def page(port, path, address="127.0.0.1"):
    """Status and text of a page, such as those of the metrics listener."""
    connection = http.client.HTTPConnection(address, port, timeout=5)
    try:
        connection.request("GET", path)
        answer = connection.getresponse()
        return answer.status, answer.read().decode()
    finally:
        connection.close()


def wait_for_page(port, path, process, address="127.0.0.1"):
    """Until a page is answered with 200; fails where its process ends before."""
    deadline = time.monotonic() + READY_TIMEOUT_S
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise AssertionError(f"the process of port {port} ended with {process.returncode}")
        try:
            if page(port, path, address)[0] == 200:
                return
        except OSError:
            pass
        time.sleep(0.05)
    raise AssertionError(f"port {port} did not answer {path} in time")


def wait_until_ready(port, process):
    wait_for_page(port, "/readyz", process)


def ask(session, number, method, params, key=None, address="127.0.0.1", host=None):
    """Status, session and text that a gateway on its usual port answers to a message."""
    body = {"jsonrpc": "2.0", "method": method, "params": params}
    if number:
        body["id"] = number
    headers = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
    headers.update({"Authorization": f"Bearer {key}"} if key else {})
    headers.update({"Mcp-Session-Id": session} if session else {})
    headers.update({"Host": host} if host else {})
    connection = http.client.HTTPConnection(address, MCP_PORT, timeout=30)
    connection.request("POST", "/mcp", json.dumps(body), headers)
    answer = connection.getresponse()
    text = answer.read().decode()
    connection.close()
    return answer.status, answer.getheader("Mcp-Session-Id"), text


def initialize(key=None, **where):
    return ask(None, 1, "initialize", {"protocolVersion": "2025-11-25", "capabilities": {},
                                       "clientInfo": {"name": "test", "version": "1"}}, key, **where)


class Gateway:
    """A gateway with a record in `folder`, and with further tables of its configuration."""

    def __init__(self, folder, tables=""):
        self.mcp_port, self.metrics_port = free_port(), free_port()
        self.file = os.path.join(folder, "bartizan.toml")
        self.supervisor = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.supervisor.bind(os.path.join(folder, "notify"))
        self.supervisor.settimeout(READY_TIMEOUT_S)
        self.environment = {**os.environ, "NOTIFY_SOCKET": os.path.join(folder, "notify")}
        with open(self.file, "w", encoding="utf-8") as file:
            file.write(f'version = 1\n[listen]\naddress = "127.0.0.1:{self.mcp_port}"\n'
                       f'[metrics]\naddress = "127.0.0.1:{self.metrics_port}"\n'
                       f'[audit]\nfile = "audit.jsonl"\n{tables}')

    def start(self, **options):
        """Without waiting for it."""
        self.process = subprocess.Popen([PROGRAM, "run", self.file], env=self.environment,
                                        **{"stderr": subprocess.DEVNULL, **options})
        return self.process

    def __enter__(self):
        self.start()
        try:
            wait_until_ready(self.metrics_port, self.process)
        except AssertionError:
            self.process.kill()
            raise
        return self

    def told(self):
        """What the supervisor was told next."""
        return self.supervisor.recv(256).decode()

    def page(self, path):
        return page(self.metrics_port, path)

    def record_kinds(self):
        with open(os.path.join(os.path.dirname(self.file), "audit.jsonl"), encoding="utf-8") as file:
            return [json.loads(line)["kind"] for line in file]

    def wait_for_record(self, kind, count):
        deadline = time.monotonic() + READY_TIMEOUT_S
        while self.record_kinds().count(kind) < count:
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise AssertionError(f"no record of kind {kind}")
            time.sleep(0.05)

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(timeout=READY_TIMEOUT_S)

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.stop()
        self.supervisor.close()
