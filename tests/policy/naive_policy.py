"""Decides about requests as docs/rules.md says, one rule after another: what the gateway's tables
are held against. Nothing is compiled, cached or shared with it but the words of the answers.

A policy is what the generator made, not what a file says: no reader stands between the two. What a
zone's clocks say, and which URIs can be read in two ways, are facts here.
"""

import ipaddress
import itertools

UNDECIDABLE = "undecidable"
ANY = {True, False, UNDECIDABLE}
DAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
ZONES = {"UTC": 0, "Asia/Kolkata": 330, "Pacific/Honolulu": -600}  # minutes, in 1970
TRUSTS = ["untrusted", "community", "verified", "system"]
NEED_NO_RULE = ["ping", "tools/list"]


def matches_segment(pattern, text):
    if not pattern:
        return not text
    if pattern[0] == "*":
        return any(matches_segment(pattern[1:], text[i:]) for i in range(len(text) + 1))
    return bool(text) and text[0] == pattern[0] and matches_segment(pattern[1:], text[1:])


def matches_name(pattern, name):
    patterns, parts = pattern.split("/"), name.split("/")
    if patterns[-1] == "**":
        # One segment or more.
        patterns[-1], parts = "*", parts[: len(patterns)]
    return len(patterns) == len(parts) and all(map(matches_segment, patterns, parts))


def covers(granted, asked):
    granted, asked = granted.split(":"), asked.split(":")
    return len(granted) == len(asked) and all(g in ("*", a) for g, a in zip(granted, asked))


def kind_of(value):
    return {int: "number", float: "number", str: "text"}.get(type(value), type(value).__name__)


def judge_value(entry, value):
    """None where it holds, or the reason of a refusal."""
    kind, asked = entry["kind"], entry["asked"]
    kinds = [kind_of(one) for one in asked] if kind == "one_of" else [kind]
    if kind_of(value) not in kinds:
        return "argument_wrong_type"
    if kind == "number":
        holds = asked.get("min", value) <= value <= asked.get("max", value)
    elif kind == "text":
        holds = len(value) <= asked["max_length"]
    else:
        holds = (kind_of(value), value) in [(kind_of(one), one) for one in asked]
    return None if holds else "argument_not_allowed"


def select(pointer, value, path=()):
    """Every branch in which a pointer ends: (what, value, steps to it)."""
    if not pointer:
        yield "value", value, path
        return
    step, slash, rest = pointer[1:].partition("/")
    is_list = isinstance(value, list)
    members = {str(i): element for i, element in enumerate(value)} if is_list else value
    if not isinstance(members, dict) or (step == "*" and not is_list):
        yield "shape", value, path
        return
    for key in (list(members) or ["*"]) if step == "*" else [step]:
        if key in members:
            yield from select(slash + rest, members[key], (*path, key))
        else:
            yield "nothing", None, (*path, key)


def leaves(value, path=()):
    is_list = isinstance(value, list)
    below = enumerate(value) if is_list else isinstance(value, dict) and value.items()
    if not below:
        yield path
    for key, member in below or ():
        yield from leaves(member, (*path, str(key)))


def is_within(window, now):
    """Whether a window that began today or yesterday, on the clocks of its zone, has not ended."""
    now = now // 60 + ZONES[window["zone"]]
    begin, end = (int(window[key][:2]) * 60 + int(window[key][3:]) for key in ("from", "to"))
    end += 0 if begin < end else 1440
    today = now // 1440
    # 1970 began on a Thursday.
    days = [day for day in (today - 1, today) if DAYS[(day + 3) % 7] in window["days"]]
    return any(day * 1440 + begin <= now < day * 1440 + end for day in days)


def is_from(networks, address):
    address = ipaddress.ip_address(address)
    address = getattr(address, "ipv4_mapped", None) or address
    return any(address in ipaddress.ip_network(network) for network in networks)


def hint_of(hint, pin, call):
    """What a person has approved, of the very definition that is listed; else the worse of both."""
    if not pin or not pin["approved"] or not (pin["same"] or call["declared"] is None):
        return hint in ("destructive", "open_world")
    reads = pin["says"].get("read_only", False)
    meant = {"read_only": False, "destructive": not reads, "idempotent": reads, "open_world": True}
    return pin["says"].get(hint, meant[hint])


def judge_fact(key, asked, policy, call):
    """What can be said: of a call one answer, of all that a list is about perhaps several."""
    if key in ("read_only", "destructive", "idempotent", "open_world"):
        pin = policy["pins"].get(call["server"] + "/" + call["name"])
        return {hint_of(key, pin, call) == asked}
    if key == "server_trust":
        return {policy["trust"][call["server"]] in asked}
    if key == "time":
        return {is_within(asked, call["now"])}
    if call[key] is None:
        # Whoever came without an address comes without one again.
        is_known = not call["open"] or key == "client_address" and call["transport"] is not None
        return {UNDECIDABLE} if is_known else ANY
    return {is_from(asked, call[key]) if key == "client_address" else call[key] in asked}


def judge_entry(key, entry, policy, call):
    if not key.startswith("/"):
        return judge_fact(key, entry, policy, call)
    if call["open"]:
        return ANY
    if call["declared"] is not None and key not in call["declared"]:
        return {UNDECIDABLE}
    missing = True if entry["kind"] == "absent" else False if entry["optional"] else UNDECIDABLE
    if call["arguments"] is None:
        return {missing}
    answers = set()
    for what, value, _ in select(key, call["arguments"]):
        if what != "value":
            answers.add(missing if what == "nothing" else UNDECIDABLE)
        elif entry["kind"] == "absent":
            answers.add(False)
        else:
            reason = judge_value(entry, value)
            answers.add({None: True, "argument_not_allowed": False}.get(reason, UNDECIDABLE))
    return answers if len(answers) == 1 else {UNDECIDABLE}


def judge_table(table, policy, call):
    entries = [judge_entry(key, entry, policy, call) for key, entry in table.items()]
    return {
        False if False in answers else UNDECIDABLE if UNDECIDABLE in answers else True
        for answers in itertools.product(*entries)
    }


def is_approved(rule, policy, call):
    return any(
        set(policy["principals"][approval["by"]]) & set(rule["approvers"])
        and (rule["self_approval"] or approval["by"] != call["principal"])
        and 0 <= call["now"] - approval["at"] < rule["valid_for"]
        for approval in call["approvals"]
    )


def rule_matches(rule, policy, call):
    """Of a list: whether a permit can match, and whether a rule that refuses must."""
    if rule["expires"] is not None and call["now"] >= rule["expires"]:
        return False
    if rule["effect"] == "require_approval" and is_approved(rule, policy, call):
        return False
    is_permit = rule["effect"] == "permit"
    whens = judge_table(rule["when"], policy, call)
    unlesses = judge_table(rule["unless"], policy, call) if rule["unless"] else {False}
    answers = {
        not is_permit if UNDECIDABLE in (when, unless) else when and not unless
        for when, unless in itertools.product(whens, unlesses)
    }
    return True in answers if is_permit else False not in answers


def speaks_of(rule, call, roles):
    subjects = rule["roles"] if rule["roles"] is not None else rule["principals"]
    mine = roles if rule["roles"] is not None else [call["principal"]]
    if "*" not in subjects and not set(subjects) & set(mine):
        return False
    patterns = rule["patterns"]
    if rule["target"] == "methods":
        return not call["open"] and any(p in ("*", call["method"]) for p in patterns)
    if rule["target"] != call["kind"]:
        return False
    if rule["target"] == "resources":
        patterns = [pattern.replace(":", "/", 1) for pattern in patterns]
    if call["twisted"]:
        servers = [pattern.split("/")[0] for pattern in patterns if rule["effect"] == "forbid"]
        return any(matches_segment(server, call["server"]) for server in servers)
    return any(matches_name(pattern, call["server"] + "/" + call["name"]) for pattern in patterns)


def deny(check, reason, rule="", path=(), hidden=False):
    pointer = "".join("/" + step for step in path)
    return {"check": check, "reason": reason, "rule": rule, "pointer": pointer, "hidden": hidden}


def judge_access(policy, call):
    """The refusal, or the permit's name; and what observed rules would have refused."""
    roles = policy["principals"][call["principal"]]
    rules = sorted(policy["rules"], key=lambda rule: rule["name"])
    rules = [r for r in rules if speaks_of(r, call, roles) and rule_matches(r, policy, call)]
    observed = [rule["name"] for rule in rules if rule["observe"]]
    refusing = [rule for rule in rules if rule["effect"] != "permit" and not rule["observe"]]
    for effect, reason in (("forbid", "forbidden"), ("require_approval", "needs_approval")):
        if first := [rule["name"] for rule in refusing if rule["effect"] == effect]:
            hidden = any(rule["hide"] for rule in refusing)
            return deny("access", reason, first[0], hidden=hidden), None, observed
    if call["twisted"] and any(rule["target"] == "resources" for rule in policy["rules"]):
        return deny("access", "path_malformed"), None, observed
    # A rule on methods grants no call of a tool.
    permits = [r["name"] for r in rules if r["effect"] == "permit" and r["target"] == call["kind"]]
    permits = [""] if call["method"] in NEED_NO_RULE else permits
    refusal = None if permits else deny("access", "no_matching_rule")
    return refusal, "".join(permits[:1]), observed


def has_permissions(policy, call, profiles):
    granted = [p for role in policy["principals"][call["principal"]] for p in policy["roles"][role]]
    asked = {permission for profile in profiles for permission in profile["permissions"]}
    return all(any(covers(one, other) for one in granted) for other in asked)


def judge_pointer(pointer, entries, arguments):
    asked = [entry for entry in entries if entry["kind"] != "absent"]
    missing = None if all(entry["optional"] for entry in asked) else "argument_missing"
    if arguments is None:
        return missing and deny("arguments", missing, path=pointer.split("/")[1:2])
    for what, value, path in select(pointer, arguments):
        if what == "shape":
            reason = "argument_wrong_type"
        elif what == "nothing":
            reason = missing
        elif len(asked) < len(entries):
            reason = "argument_not_absent"
        else:
            reasons = [judge_value(entry, value) for entry in asked]
            reason = next((one for one in reasons if one), None)
        if reason:
            return deny("arguments", reason, path=path)
    return None


def judge_arguments(policy, call, profiles):
    entries = {}
    for profile in profiles:
        for pointer, entry in profile["arguments"].items():
            entries.setdefault(pointer, []).append(entry)
    for pointer in sorted(entries):
        if refusal := judge_pointer(pointer, entries[pointer], call["arguments"]):
            return refusal
    guards = [p for p, of_one in entries.items() if any(e["kind"] != "absent" for e in of_one)]
    if policy["unguarded"] == "allow" or not guards or not call["arguments"]:
        return None
    selected = [one for pointer in guards for one in select(pointer, call["arguments"])]
    guarded = [path for what, _, path in selected if what == "value"]
    open_one = next((path for path in leaves(call["arguments"]) if path not in guarded), None)
    return open_one and deny("arguments", "argument_unguarded", path=open_one)


def profiles_of(policy, call):
    name = call["server"] + "/" + call["name"]
    is_tool = call["kind"] == "tools"
    return [one for one in policy["profiles"] if is_tool and matches_name(one["pattern"], name)]


def shows(policy, call):
    """Whether a list has an entry: what some call could reach, perhaps after an approval."""
    refusal, _, _ = judge_access(policy, call)
    profiles = profiles_of(policy, call)
    if refusal and (refusal["reason"] != "needs_approval" or refusal["hidden"]):
        return False
    if not has_permissions(policy, call, profiles) or not all(one["listed"] for one in profiles):
        return False
    least, category = call["trust_level"] or "untrusted", call["category"]
    is_trusted = TRUSTS.index(policy["trust"][call["server"]]) >= TRUSTS.index(least)
    return is_trusted and (not category or any(category in one["categories"] for one in profiles))


def judge(policy, call):
    """What the gateway answers, as the fields of its decision; or the entries that a list shows."""
    if call["open"]:
        return {"shown": [entry for entry in call["entries"] if shows(policy, {**call, **entry})]}
    refusal, permit, observed = judge_access(policy, call)
    profiles = profiles_of(policy, call)
    if not refusal and not has_permissions(policy, call, profiles):
        refusal = deny("permission", "permission_missing")
    if not refusal and call["kind"] == "tools" and call["declared"] is None:
        refusal = deny("existence", "tool_unknown")
    if not refusal and call["kind"] == "tools":
        refusal = judge_arguments(policy, call, profiles)
    return {**(refusal or deny("", "none", permit)), "observed": observed}
