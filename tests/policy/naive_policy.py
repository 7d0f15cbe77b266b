"""Decides about tool calls as docs/rules.md says, one rule after another: what the gateway's tables
are held against. Nothing is compiled, cached or shared with it but the words of the answers.

A policy is what the generator made, not what a file says: no reader stands between the two.
"""

UNDECIDABLE = "undecidable"


# --- names ---------------------------------------------------------------------------------------


def matches_segment(pattern, text):
    if not pattern:
        return not text
    if pattern[0] == "*":
        return any(matches_segment(pattern[1:], text[i:]) for i in range(len(text) + 1))
    return bool(text) and text[0] == pattern[0] and matches_segment(pattern[1:], text[1:])


def matches_name(pattern, name):
    patterns, parts = pattern.split("/"), name.split("/")
    if patterns[-1] == "**":
        patterns, parts = patterns[:-1], parts[: len(patterns) - 1]
    return len(patterns) == len(parts) and all(map(matches_segment, patterns, parts))


def covers(granted, asked):
    granted, asked = granted.split(":"), asked.split(":")
    return len(granted) == len(asked) and all(g in ("*", a) for g, a in zip(granted, asked))


# --- values --------------------------------------------------------------------------------------


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def is_equal(one, other):
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    return type(one) in (int, float) and type(other) in (int, float) and one == other or (
        isinstance(one, str) and isinstance(other, str) and one == other
    )


def kind_of(value):
    return "boolean" if isinstance(value, bool) else "number" if is_number(value) else type(value)


def judge_value(predicate, value):
    """None where it holds, or the reason of a refusal."""
    kind, asked = predicate
    if kind == "number":
        if not is_number(value):
            return "argument_wrong_type"
        holds = asked.get("min", value) <= value <= asked.get("max", value)
    elif kind == "one_of":
        if kind_of(value) not in [kind_of(one) for one in asked]:
            return "argument_wrong_type"
        holds = any(is_equal(value, one) for one in asked)
    elif kind == "text":
        if not isinstance(value, str):
            return "argument_wrong_type"
        holds = len(value) <= asked["max_length"]
    else:
        raise ValueError(kind)
    return None if holds else "argument_not_allowed"


def select(pointer, value):
    """Every branch in which a pointer ends: (what, value, pointer to it)."""

    def walk(steps, value, path):
        if not steps:
            yield "value", value, path
            return
        step, rest = steps[0], steps[1:]
        if step == "*":
            if not isinstance(value, list):
                yield "shape", value, path
            elif not value:
                yield "nothing", None, path + ["*"]
            else:
                for index, element in enumerate(value):
                    yield from walk(rest, element, path + [str(index)])
        elif isinstance(value, dict):
            if step in value:
                yield from walk(rest, value[step], path + [step])
            else:
                yield "nothing", None, path + [step]
        elif isinstance(value, list):
            if step.isdigit() and str(int(step)) == step and int(step) < len(value):
                yield from walk(rest, value[int(step)], path + [step])
            else:
                yield "nothing", None, path + [step]
        else:
            yield "shape", value, path

    return walk(pointer.split("/")[1:], value, [])


def to_pointer(path):
    return "".join("/" + step for step in path)


# --- conditions ----------------------------------------------------------------------------------


def judge_entry(key, entry, call):
    """True, False or UNDECIDABLE."""
    if not key.startswith("/"):
        fact = call.get(key)
        return UNDECIDABLE if fact is None else fact in entry
    declared = call["declared"]
    if declared is not None and key not in declared:
        return UNDECIDABLE
    missing = True if entry["kind"] == "absent" else False if entry["optional"] else UNDECIDABLE
    if call["arguments"] is None:
        return missing
    answers = set()
    for what, value, _ in select(key, call["arguments"]):
        if what == "nothing":
            answers.add(missing)
        elif what == "shape":
            answers.add(UNDECIDABLE)
        elif entry["kind"] == "absent":
            answers.add(False)
        else:
            reason = judge_value((entry["kind"], entry["asked"]), value)
            answers.add({None: True, "argument_not_allowed": False}.get(reason, UNDECIDABLE))
    return answers.pop() if len(answers) == 1 else UNDECIDABLE


def conjunction(table, call):
    answers = [judge_entry(key, entry, call) for key, entry in table.items()]
    if False in answers:
        return False
    return UNDECIDABLE if UNDECIDABLE in answers else True


def is_approved(rule, policy, call):
    return any(
        set(policy["principals"][approval["by"]]) & set(rule["approvers"])
        and (rule["self_approval"] or approval["by"] != call["principal"])
        and 0 <= call["now"] - approval["at"] < rule["valid_for"]
        for approval in call["approvals"]
    )


def rule_matches(rule, policy, call):
    if rule["expires"] is not None and call["now"] >= rule["expires"]:
        return False
    if rule["effect"] == "require_approval" and is_approved(rule, policy, call):
        return False
    when = conjunction(rule["when"], call)
    unless = conjunction(rule["unless"], call) if rule["unless"] else False
    if UNDECIDABLE in (when, unless):
        return rule["effect"] != "permit"
    return when and not unless


def speaks_of(rule, principal, roles, name):
    subjects = rule["roles"] if rule["roles"] is not None else rule["principals"]
    mine = roles if rule["roles"] is not None else [principal]
    if "*" not in subjects and not set(subjects) & set(mine):
        return False
    if rule["methods"] is not None:
        return any(pattern in ("*", "tools/call") for pattern in rule["methods"])
    return any(matches_name(pattern, name) for pattern in rule["tools"])


# --- the whole -----------------------------------------------------------------------------------


def deny(check, reason, rule="", pointer="", hidden=False):
    return {"check": check, "reason": reason, "rule": rule, "pointer": pointer, "hidden": hidden}


def judge_access(policy, call, name):
    """The refusal, or the permit's name; and what observed rules would have refused."""
    roles = policy["principals"][call["principal"]]
    matching = [
        rule
        for rule in sorted(policy["rules"], key=lambda rule: rule["name"])
        if speaks_of(rule, call["principal"], roles, name) and rule_matches(rule, policy, call)
    ]
    refusing = [rule for rule in matching if rule["effect"] != "permit"]
    observed = [rule["name"] for rule in refusing if rule["observe"]]
    refusing = [rule for rule in refusing if not rule["observe"]]
    hidden = any(rule["hide"] for rule in refusing)
    for effect, reason in (("forbid", "forbidden"), ("require_approval", "needs_approval")):
        first = [rule["name"] for rule in refusing if rule["effect"] == effect][:1]
        if first:
            return deny("access", reason, first[0], hidden=hidden), None, observed
    # A rule on methods grants no call of a tool.
    permits = [r["name"] for r in matching if r["effect"] == "permit" and r["methods"] is None]
    if not permits:
        return deny("access", "no_matching_rule"), None, observed
    return None, permits[0], observed


def judge_permission(policy, call, profiles):
    granted = [
        permission
        for role in policy["principals"][call["principal"]]
        for permission in policy["roles"][role]
    ]
    asked = {permission for profile in profiles for permission in profile["permissions"]}
    if all(any(covers(one, other) for one in granted) for other in asked):
        return None
    return deny("permission", "permission_missing")


def judge_pointer(pointer, entries, arguments):
    wants_absent = any(entry["kind"] == "absent" for entry in entries)
    asked = [entry for entry in entries if entry["kind"] != "absent"]
    optional = all(entry["optional"] for entry in asked)
    if arguments is None:
        first = pointer.split("/")[1]
        return None if optional else deny("arguments", "argument_missing", pointer="/" + first)
    for what, value, path in select(pointer, arguments):
        reason = None
        if what == "shape":
            reason = "argument_wrong_type"
        elif what == "nothing":
            reason = None if optional else "argument_missing"
        elif wants_absent:
            reason = "argument_not_absent"
        else:
            reasons = [judge_value((entry["kind"], entry["asked"]), value) for entry in asked]
            reason = next((one for one in reasons if one), None)
        if reason:
            return deny("arguments", reason, pointer=to_pointer(path))
    return None


def leaves(value, path):
    if isinstance(value, list):
        for index, element in enumerate(value):
            yield from leaves(element, path + [str(index)])
    elif isinstance(value, dict) and value:
        for key, member in value.items():
            yield from leaves(member, path + [key])
    else:
        yield path


def judge_arguments(policy, call, profiles):
    entries = {}
    for profile in profiles:
        for pointer, entry in profile["arguments"].items():
            entries.setdefault(pointer, []).append(entry)
    for pointer in sorted(entries):
        refusal = judge_pointer(pointer, entries[pointer], call["arguments"])
        if refusal:
            return refusal
    asks = any(entry["kind"] != "absent" for of_one in entries.values() for entry in of_one)
    if policy["unguarded"] == "allow" or not asks or not call["arguments"]:
        return None
    guarded = [
        path
        for pointer, of_one in entries.items()
        if any(entry["kind"] != "absent" for entry in of_one)
        for what, _, path in select(pointer, call["arguments"])
        if what == "value"
    ]
    for path in leaves(call["arguments"], []):
        if path not in guarded:
            return deny("arguments", "argument_unguarded", pointer=to_pointer(path))
    return None


def judge(policy, call):
    """What the gateway answers, as the fields of its decision."""
    name = call["server"] + "/" + call["tool"]
    refusal, permit, observed = judge_access(policy, call, name)
    profiles = [one for one in policy["profiles"] if matches_name(one["pattern"], name)]
    if not refusal:
        refusal = judge_permission(policy, call, profiles)
    if not refusal and call["declared"] is None:
        refusal = deny("existence", "tool_unknown")
    if not refusal:
        refusal = judge_arguments(policy, call, profiles)
    answer = refusal or {"check": "", "reason": "none", "rule": permit, "pointer": "", "hidden": False}
    return {**answer, "observed": observed}
