#!/usr/bin/env python3
"""Holds the gateway's policy against the naive one, on random policies and calls.

    compare_policies.py PROGRAM PAIRS [SEED]

PROGRAM is judge_policies. The first difference is shown whole, with the policy as a file.
"""

import json
import random
import subprocess
import sys

import naive_policy

CALLS_A_POLICY = 50
# Their answers fit into a pipe, so that neither side waits for the other.
POLICIES_A_BATCH = 4

SERVERS = {"s": ["read", "write", "send"], "t": ["read", "x"]}
UNLISTED = [("s", "reset"), ("t", "write")]
PATTERNS = ["*/*", "s/*", "s/read", "s/re*", "t/*", "*/write", "t/x", "s/*e*", "*/r*d"]
ROLES = ["one", "three", "two"]
PRINCIPALS = ["ann", "bob", "cat"]
PERMISSIONS = ["read:fs", "read:sql", "write:fs", "admin"]
GRANTS = PERMISSIONS + ["read:*", "*:fs", "*", "*:*"]
POINTERS = ["/a", "/b", "/a/*", "/a/b", "/b/*/c", "/a/0", "/a/*/b", "/b/c"]
SCALARS = [0, 1, 2, 3, 1.5, "x", "y", "xyz", "", True, False, None]
FACTS = {"transport": ["http", "stdio"], "revision": ["2025-06-18", "2025-11-25", "2026-07-28"]}


PERMITS_ALL = {
    "name": "all",
    "effect": "permit",
    "observe": False,
    "hide": False,
    "roles": ["*"],
    "principals": None,
    "tools": ["*/*"],
    "methods": None,
    "when": {},
    "unless": {},
    "expires": None,
    "approvers": [],
    "self_approval": False,
    "valid_for": 600,
}


class Generator:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.pick = self.random.choice

    def some(self, values, least=0, most=3):
        most = min(most, len(values))
        return sorted(self.random.sample(values, self.random.randint(min(least, most), most)))

    def chance(self, percent):
        return self.random.random() * 100 < percent

    def entry(self):
        kind = self.pick(["one_of", "number", "text", "absent"])
        asked = {
            "one_of": lambda: self.random.sample(["x", "y", 1, 2, 1.5, True], 2),
            "number": lambda: self.pick([{}, {"min": 1}, {"max": 2}, {"min": 1, "max": 2}]),
            "text": lambda: {"max_length": self.pick([0, 1, 3])},
            "absent": lambda: True,
        }[kind]()
        return {"kind": kind, "asked": asked, "optional": kind != "absent" and self.chance(70)}

    def entries(self, most):
        return {pointer: self.entry() for pointer in self.some(POINTERS, 0, most)}

    def conditions(self, on_tools):
        table = self.entries(2) if on_tools else {}
        for fact, values in FACTS.items():
            if self.chance(15):
                table[fact] = self.some(values, 1)
        return table

    def rule(self, number):
        effect = self.pick(["permit", "permit", "forbid", "require_approval"])
        refuses = effect != "permit"
        on_tools = not self.chance(8)
        by_role = self.chance(60)
        return {
            "name": self.pick("abcdefgh") + str(number),
            "effect": effect,
            "observe": refuses and self.chance(15),
            "hide": refuses and self.chance(20),
            "roles": (["*"] if self.chance(40) else self.some(ROLES, 1)) if by_role else None,
            "principals": None if by_role else (["*"] if self.chance(30) else self.some(PRINCIPALS, 1)),
            "tools": self.some(PATTERNS, 1, 2) if on_tools else None,
            "methods": None if on_tools else [self.pick(["*", "tools/call", "ping"])],
            "when": self.conditions(on_tools) if self.chance(40) else {},
            "unless": self.conditions(on_tools) if self.chance(30) else {},
            "expires": self.pick([86400, 172800]) if not refuses and self.chance(15) else None,
            "approvers": self.some(ROLES, 0, 2) if effect == "require_approval" else [],
            "self_approval": effect == "require_approval" and self.chance(40),
            "valid_for": 300 if effect == "require_approval" and self.chance(50) else 600,
        }

    def rules(self):
        rules = [self.rule(number) for number in range(self.random.randint(1, 5))]
        if self.chance(60):
            # Most calls would end at a rule that is missing, and nothing after it be compared.
            rules += [{**rules[0], **PERMITS_ALL}]
            rules = [rule for rule in rules if rule["effect"] == "permit" or self.chance(40)]
        return rules

    def profile(self, pattern):
        return {
            "pattern": pattern,
            "permissions": self.some(PERMISSIONS, 0, 2) if self.chance(30) else [],
            "arguments": self.entries(2) if self.chance(60) else {},
        }

    def policy(self):
        patterns = self.some(PATTERNS, 0, 3)
        return {
            "roles": {role: self.some(GRANTS, 0, 3) for role in ROLES},
            "principals": {name: self.some(ROLES, 0, 2) for name in PRINCIPALS},
            "rules": self.rules(),
            "profiles": [self.profile(pattern) for pattern in patterns],
            "unguarded": self.pick(["refuse", "refuse", "allow"]),
        }

    def value(self, depth):
        if depth == 0 or self.chance(55):
            return self.pick(SCALARS)
        if self.chance(50):
            return [self.value(depth - 1) for _ in range(self.random.randint(0, 3))]
        return {key: self.value(depth - 1) for key in self.some(["a", "b", "c", "0"], 0, 2)}

    def call(self):
        listed = [(server, tool) for server, tools in SERVERS.items() for tool in tools]
        server, tool = self.pick(listed + UNLISTED)
        arguments = {key: self.value(2) for key in self.some(["a", "b", "d"], 0, 2)}
        now = self.pick([0, 86399, 86400, 100000, 172800])
        approvers = self.some(PRINCIPALS, 0, 2) if self.chance(40) else []
        return {
            "principal": self.pick(PRINCIPALS),
            "server": server,
            "tool": tool,
            "arguments": None if self.chance(5) else arguments,
            "declared": None if self.chance(5) else self.some(POINTERS, 5, len(POINTERS)),
            "now": now,
            "approvals": [
                {"by": name, "at": now - self.pick([-1, 0, 299, 300, 599, 600])} for name in approvers
            ],
            "transport": self.pick(FACTS["transport"] + [None]),
            "revision": self.pick(FACTS["revision"]),
        }


def write_value(value):
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {write_value(one)}" for key, one in value.items()) + " }"
    return json.dumps(value)


def write_table(table):
    def entry(key, value):
        if not key.startswith("/"):
            return f"{key} = {json.dumps(value)}"
        optional = ", optional = true" if value["optional"] else ""
        return f'"{key}" = {{ {value["kind"]} = {write_value(value["asked"])}{optional} }}'

    return "{ " + ", ".join(entry(key, value) for key, value in table.items()) + " }"


def write_rule(rule):
    lines = [f'[rule.{rule["name"]}]', f'effect = "{rule["effect"]}"']
    for key in ("roles", "principals", "tools", "methods"):
        if rule[key] is not None:
            lines.append(f"{key} = {json.dumps(rule[key])}")
    if rule["observe"]:
        lines.append('mode = "observe"')
    if rule["hide"]:
        lines.append("hide = true")
    for key in ("when", "unless"):
        if rule[key]:
            lines.append(f"{key} = {write_table(rule[key])}")
    if rule["effect"] == "require_approval":
        lines.append(f'approvers = {json.dumps(rule["approvers"])}')
        lines.append(f'self_approval = {json.dumps(rule["self_approval"])}')
        if rule["valid_for"] != 600:
            lines.append(f'valid_for = "{rule["valid_for"]}s"')
    if rule["expires"] is not None:
        lines.append(f'expires = 1970-01-0{1 + rule["expires"] // 86400}')
    return lines


def write_policy(policy):
    lines = ["version = 1", 'audit.file = "record"']
    lines += [f'server.{server}.command = ["p"]' for server in SERVERS]
    lines.append(f'policy.unguarded_arguments = "{policy["unguarded"]}"')
    for role, permissions in policy["roles"].items():
        lines.append(f"role.{role}.permissions = {json.dumps(permissions)}")
    for name, roles in policy["principals"].items():
        lines.append(f"principal.{name}.roles = {json.dumps(roles)}")
    for profile in policy["profiles"]:
        lines.append(f'[tool."{profile["pattern"]}"]')
        lines.append(f'permissions = {json.dumps(profile["permissions"])}')
        lines.append(f'arguments = {write_table(profile["arguments"])}')
    for rule in policy["rules"]:
        lines += write_rule(rule)
    return "\n".join(lines) + "\n"


def schema_of(pointers):
    """A schema that has these pointers, and lets everything pass."""
    root = {}
    for pointer in pointers:
        at = root
        for step in pointer.split("/")[1:]:
            # An element of that index is one of the elements.
            if step in ("*", "0"):
                at = at.setdefault("items", {})
            else:
                at = at.setdefault("properties", {}).setdefault(step, {})
    return {"type": "object", **root}


def declared_by(pointers):
    """All pointers that such a schema has, of those that policies ask for."""
    schema = schema_of(pointers)

    def has(steps, at):
        if not steps:
            return True
        below = at.get("items") if steps[0] in ("*", "0") else at.get("properties", {}).get(steps[0])
        return below is not None and has(steps[1:], below)

    return [pointer for pointer in POINTERS if has(pointer.split("/")[1:], schema)]


def compare(program, pairs, seed):
    generator = Generator(seed)
    done, counts = 0, {}
    while done < pairs:
        policies, lines = [], []
        for _ in range(POLICIES_A_BATCH):
            policy = generator.policy()
            calls = [generator.call() for _ in range(CALLS_A_POLICY)]
            for call in calls:
                if call["declared"] is not None:
                    call["schema"] = schema_of(call["declared"])
                    call["declared"] = declared_by(call["declared"])
            policies.append((policy, calls))
            line = {"policy": write_policy(policy), "names": SERVERS, "calls": calls}
            lines.append(json.dumps(line, separators=(",", ":")))
        program.stdin.write("\n".join(lines) + "\n")
        program.stdin.flush()
        for policy, calls in policies:
            for call in calls:
                answer = program.stdout.readline()
                have = json.loads(answer) if answer else None
                want = naive_policy.judge(policy, call)
                if have != want:
                    print(write_policy(policy))
                    print(json.dumps(call))
                    print("the gateway:", json.dumps(have), "\nnaively:    ", json.dumps(want))
                    return False
                key = (want["check"], want["reason"])
                counts[key] = counts.get(key, 0) + 1
                done += 1
    for (check, reason), count in sorted(counts.items()):
        print(f"{count:9d} {check or 'permit'} {reason}")
    # A comparison in which nothing of a kind came up would compare nothing.
    rare = [key for key, count in counts.items() if count * 2000 < done]
    print(f"{done} pairs agree")
    return len(counts) >= 11 and not rare


def main():
    path, pairs = sys.argv[1], int(sys.argv[2])
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    with subprocess.Popen([path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as program:
        is_same = compare(program, pairs, seed)
        program.stdin.close()
    sys.exit(0 if is_same and program.returncode == 0 else 1)


if __name__ == "__main__":
    main()
