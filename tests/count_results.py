#!/usr/bin/env python3
"""Counts what one stage of tests/run_tests.sh did: prints PASSED FAILED SKIPPED.

    count_results.py STAGE LOG EXIT_CODE

A stage that failed counts at least one failure, whatever its output says.
"""
import os
import re
import sys
import xml.etree.ElementTree as xml

GTEST = {
    "passed": re.compile(r"^\[  PASSED  \] (\d+) tests?\.", re.M),
    "failed": re.compile(r"^\[  FAILED  \] (\d+) tests?, listed below", re.M),
    "skipped": re.compile(r"^\[  SKIPPED \] (\d+) tests?, listed below", re.M),
}
NODE = {
    "passed": re.compile(r"^(?:#|ℹ) pass (\d+)", re.M),
    "failed": re.compile(r"^(?:#|ℹ) (?:fail|cancelled) (\d+)", re.M),
    "skipped": re.compile(r"^(?:#|ℹ) (?:skipped|todo) (\d+)", re.M),
}
UNITTEST = {
    "ran": re.compile(r"^Ran (\d+) tests? in", re.M),
    "failed": re.compile(r"^FAILED .*?(?:failures|errors)=(\d+)", re.M),
    "errors": re.compile(r"^FAILED .*failures=\d+, errors=(\d+)", re.M),
    "skipped": re.compile(r"^(?:OK|FAILED) \(.*?skipped=(\d+)", re.M),
}


def summed(patterns, text):
    return [sum(map(int, patterns[key].findall(text))) for key in ("passed", "failed", "skipped")]


def count_unittest(text):
    ran, failed, errors, skipped = (sum(map(int, found.findall(text))) for found in UNITTEST.values())
    return [ran - failed - errors - skipped, failed + errors, skipped]


def add(a, b):
    return [x + y for x, y in zip(a, b)]


def count_ctest(path):
    """Each program's own cases; a program that names none, or crashed, counts as one."""
    total = [0, 0, 0]
    for case in xml.parse(path).getroot().iter("testcase"):
        # `notrun` is a program that is not there: no test of ours asks ctest to skip it.
        failed = case.get("status") in ("fail", "notrun") or case.find("failure") is not None
        cases = summed(GTEST, case.findtext("system-out") or "")
        if failed and cases[1] == 0:
            cases[1] = 1
        if sum(cases) == 0:
            cases = [0, 0, 1] if case.get("status") == "disabled" else [1, 0, 0]
        total = add(total, cases)
    return total


def count(stage, log, code):
    text = open(log, encoding="utf-8", errors="replace").read()
    if "SKIPPED (BARTIZAN_OFFLINE=1)" in text:
        return [0, 0, 1]
    if stage == "unit":
        junit = os.path.join(os.path.dirname(log), "unit.xml")
        return count_ctest(junit) if os.path.exists(junit) else [0, 0, 0]
    if stage == "tsan":
        return summed(GTEST, text)
    if stage == "deploy":
        return count_unittest(text)
    if stage == "end_to_end":
        passed, failed, skipped = summed(NODE, text)
        # What failed and passed when it was told once more is named there.
        return [passed, failed if code else 0, skipped]
    if stage == "conformance":
        revisions = len(re.findall(r"^conformance \S+ direct \d+/\d+ gateway \d+/\d+", text, re.M))
        return [revisions if code == 0 else 0, 0, 0]
    if stage == "style":
        return [len(re.findall(r"^(?:format|tidy): ok", text, re.M)),
                len(re.findall(r"^(?:format|tidy): FAILED", text, re.M)), 0]
    return [0, 0, 0]


def main():
    stage, log, code = sys.argv[1], sys.argv[2], int(sys.argv[3])
    counts = count(stage, log, code)
    if code != 0 and counts[1] == 0:
        counts[1] = 1
    print(*counts)


main()
