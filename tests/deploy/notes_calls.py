"""What is checked of a gateway before the server of deploy/compose/notes, wherever they run."""
import http.client
import json
import platform
import re


def assert_confined(container, profile):
    """As far as the kernel says it of the container's first process."""
    status = container.status()
    assert status["Uid"].split() == ["65532"] * 4, status["Uid"]
    for kind in ("CapEff", "CapPrm", "CapBnd", "CapAmb"):
        assert int(status[kind], 16) == 0, (kind, status[kind])
    assert status["NoNewPrivs"] == "1"
    if profile and platform.machine() == "x86_64":
        assert status["Seccomp"] == "2", status["Seccomp"]
    assert status["NSpid"].split()[-1] == "1", status["NSpid"]


def assert_read_only(server):
    code, said = server.run("/usr/bin/python3", "-c", "open('/srv/notes/x', 'w')")
    assert code == 1 and "Read-only file system" in said, said


def put_key(config, printed):
    """The documented step: the printed table in the place of the one with its name."""
    key = re.search(r"\bbtz_\w+$", printed, re.M).group(0)
    digest = re.search(r'^sha256 = "(\w+)"$', printed, re.M).group(1)
    changed = re.sub(r'(?<=sha256 = ")\w+', digest, config)
    assert changed.count(digest) == 1 and len(changed) == len(config)
    return key, changed


def text_of(answer):
    assert "result" in answer, answer
    return answer["result"]["content"][0]["text"]


def assert_refused(answer, reason):
    assert answer["error"]["data"]["reason"] == reason, answer


def calls_of(server):
    """The tools that were called at the server, in order."""
    return re.findall(r"^notes: (\w+_notes?)$", server.log(), re.M)


def write_directly(port):
    """The call that the gateway refused, made without it: the server would have said so."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": {"name": "write_note", "arguments": {"name": "mine", "text": "hello"}}}
    connection.request("POST", "/mcp", json.dumps(body), {
        "Content-Type": "application/json", "Accept": "application/json"})
    assert "written" in connection.getresponse().read().decode()
    connection.close()
