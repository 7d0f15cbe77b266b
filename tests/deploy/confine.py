#!/usr/bin/env python3
"""Becomes a program under a seccomp profile, as a container engine would, without one.

    confine.py PROFILE.json PROGRAM [ARGUMENT…]

Reads the form that container engines and Kubernetes read, as far as our profile uses it, and fails
on everything else: a part that is passed over would be a hole in the test.
"""
import ctypes
import json
import os
import platform
import re
import struct
import sys

NUMBERS = "/usr/include/x86_64-linux-gnu/asm/unistd_64.h"
AUDIT_ARCH_X86_64 = 0xC000003E
X32 = 0x40000000
PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 38, 22, 2
LOAD, JUMP_EQUAL, JUMP_AT_LEAST, AND, RETURN = 0x20, 0x15, 0x35, 0x54, 0x06
ALLOW, ERRNO, KILL = 0x7FFF0000, 0x00050000, 0x80000000
OFFSET_NUMBER, OFFSET_ARCHITECTURE, OFFSET_ARGUMENTS = 0, 4, 16


def numbers():
    """Name to number of every system call of this machine."""
    with open(NUMBERS, encoding="ascii") as header:
        found = re.findall(r"^#define __NR_(\w+)\s+(\d+)", header.read(), re.M)
    return {name: int(number) for name, number in found}


def action(rule, default_errno=1):
    if rule["action"] == "SCMP_ACT_ALLOW":
        return ALLOW
    if rule["action"] == "SCMP_ACT_ERRNO":
        return ERRNO | rule.get("errnoRet", default_errno)
    raise ValueError(f"action {rule['action']}")


def condition(argument, otherwise):
    """Instructions that go on where the argument is as wanted, and skip `otherwise` where not."""
    offset = OFFSET_ARGUMENTS + 8 * argument["index"]
    mask, wanted = 0xFFFFFFFFFFFFFFFF, argument["value"]
    if argument["op"] == "SCMP_CMP_MASKED_EQ":
        mask, wanted = argument["value"], argument["valueTwo"]
    elif argument["op"] != "SCMP_CMP_EQ":
        raise ValueError(f"operator {argument['op']}")
    halves = []
    for part in (0, 4):
        halves.append((offset + part, (mask >> 8 * part) & 0xFFFFFFFF, (wanted >> 8 * part) & 0xFFFFFFFF))
    code = []
    for at, (place, bits, value) in enumerate(halves):
        left = 3 * (len(halves) - at - 1)
        code += [(LOAD, 0, 0, place), (AND, 0, 0, bits), (JUMP_EQUAL, 0, left + otherwise, value)]
    return code


def rule_code(number, rule, known):
    """The action for one call, guarded by its number and by its arguments."""
    body = [(RETURN, 0, 0, action(rule))]
    for argument in reversed(rule.get("args", [])):
        body = condition(argument, len(body)) + body
    return [(LOAD, 0, 0, OFFSET_NUMBER), (JUMP_EQUAL, 0, len(body), number)] + body


def compile_profile(profile):
    known = numbers()
    code = [
        (LOAD, 0, 0, OFFSET_ARCHITECTURE),
        (JUMP_EQUAL, 1, 0, AUDIT_ARCH_X86_64),
        (RETURN, 0, 0, KILL),
        (LOAD, 0, 0, OFFSET_NUMBER),
        (JUMP_AT_LEAST, 0, 1, X32),
        (RETURN, 0, 0, KILL),
    ]
    for rule in profile["syscalls"]:
        for name in rule["names"]:
            code += rule_code(known[name], rule, known)
    default = {"action": profile["defaultAction"], "errnoRet": profile["defaultErrnoRet"]}
    return code + [(RETURN, 0, 0, action(default))]


def confine(code):
    """Puts this process, and whatever it becomes, under a compiled profile."""
    assert len(code) <= 4096, "more instructions than the kernel takes"
    packed = b"".join(struct.pack("=HBBI", *instruction) for instruction in code)
    buffer = ctypes.create_string_buffer(packed, len(packed))
    program = ctypes.create_string_buffer(struct.pack("HxxxxxxP", len(code), ctypes.addressof(buffer)))
    library = ctypes.CDLL(None, use_errno=True)
    for request in ((PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0),
                    (PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(program), 0, 0)):
        if library.prctl(*request) != 0:
            raise OSError(ctypes.get_errno(), "prctl")


def main():
    if platform.machine() != "x86_64":
        sys.exit("confine.py: only for x86-64")
    with open(sys.argv[1], encoding="utf-8") as file:
        profile = json.load(file)
    confine(compile_profile(profile))
    os.execvp(sys.argv[2], sys.argv[2:])


if __name__ == "__main__":
    main()
