"""Whether SQLite itself reads a table or calls a function that policy did not see.

    sql_oracle.py PROGRAM [STATEMENTS [SEED]]

Makes statements from a grammar, spoils some of them, lets SQLite prepare each with an authorizer that
writes down what it uses, and compares with what PROGRAM (sql_names_main.cc) read. What only one of
the two understands is not a difference: refusing is safe. Ends with 1 where a name was missed, or where
fewer statements were compared than make a comparison.
"""

import random
import re
import sqlite3
import subprocess
import sys

TABLES = ("a", "b", "c", "secrets", "one")
COLUMNS = ("x", "y", "left", "window", "end", "key")
ORACLE_ACTIONS = {20: "read", 21: "select", 31: "function", 33: "recursive"}
# The names that a statement defines. SQLite tells of one that gives no column as it does of a table.
DEFINITION = re.compile(r'(\w+)"?\s*(?:\(x\))?\s+as\s+(?:not\s+)?(?:materialized\s+)?\(')
# What SQLite calls for operators, and for the columns of `USING`.
OPERATORS = {"like", "glob", "match", "regexp", "->", "->>", "coalesce"}

# The first of each is what ends a statement that has become deep enough.
GRAMMAR = {
    "query": [
        "select 1 from {table}",
        "select {expression} {alias} from {from} {where} {tail}",
        "select {expression} {alias} from {from} {where} {tail}",
        "select {distinct} {expression}, {expression} {alias} from {from} group by {expression} {tail}",
        "select * from {from} {where}",
        "with {definition} {query}",
        "with {recursive} {definition}, {definition} select {expression} from {from}",
        "{query} {set} select {expression} from {from}",
        "values ({expression}), ({expression})",
    ],
    "definition": ["q as (select 1 as x)", "{defined} (x) as (select 1 union all select x + 1 from {table})", "{defined} {columns} as {materialized} ({query})"],
    "defined": ["q", "r", "a", '"q"', "Q", "secrets"],
    "columns": ["", "", "(x)"],
    "materialized": ["", "", "materialized", "not materialized"],
    "recursive": ["", "recursive"],
    "distinct": ["", "distinct", "all"],
    "set": ["union", "union all", "except", "intersect"],
    "where": ["", "", "where {expression}"],
    "tail": ["", "", "order by {expression} {order}", "limit {expression}", "limit 1 offset {expression}"],
    "order": ["", "asc", "desc", "desc nulls last"],
    "from": [
        "{table} {alias}", "{table} {alias}", "{table} {alias}, {from}", "{table} {alias} {join} {from}",
        "{table} {alias} {join} {table} on {expression}", "({from}) {alias}", "({query}) {alias}",
        "json_each('[1]') {alias}", "{table} join {table} using (x)",
        "(with {definition} select 1 as x) as l, {table} as k",
    ],
    "join": ["join", "left join", "cross join", "natural join", "inner join", "left outer join", "full join"],
    "table": ["a", "b", "c", "secrets", "main.a", "Secrets", '"b"', "[c]", "`secrets`", "main . secrets", "q", "r", "one"],
    "alias": ["", "", "as k", "l", "'m'", '"n"', "[o]", "as left", "window", "full"],
    "expression": [
        "1", "x", "y", "'s'", "null", "k.x", "{column}", "({expression})", "({query})", "(({query}))",
        "exists ({query})", "{expression} {operator} {expression}", "{expression} {operator} {expression}",
        "{expression} in ({query})", "{expression} not in {table}", "{expression} in one", "{expression} in main.one",
        "{expression} in json_each('[1]')", "{expression} in ({expression}, {expression})",
        "{expression} between {expression} and {expression}", "{expression} is not distinct from {expression}",
        "case when {expression} then {expression} else {expression} end", "cast({expression} as varchar(9))",
        "{function}({expression})", "{function} ({distinct} {expression})", "count(*)", "not {expression}",
        "sum({expression}) over (partition by {expression} order by {expression})", "-{expression}",
        "max(x) filter (where {expression})", "{expression} collate nocase", "{expression} not null",
        "coalesce({expression}, {expression})", "({expression}, {expression}) = ({query})",
    ],
    "column": list(COLUMNS),
    "operator": ["+", "-", "*", "||", "=", "<>", "<<", "->>", "and", "or", "like", "not like", "glob", "is", "is not"],
    "function": ["lower", "abs", "max", "count", "hex", '"lower"', "[abs]", "length", "total"],
}
SPOILS = (
    "secrets", ", secrets", "(", ")", ",", "(secrets)", "from", "join", "in", "as", "select", "on", "left",
    "window", "end", "''", '"', "'", "--\n", "/**/", "/*", "*/", ";", "\\", "[", "]", "`", "::", "$a", "?", "natural",
    "not", "union", "values", "with", "over", "filter", "recursive", "cross", "full", "indexed", "x", ".", "main.",
)


def expand(chance, symbol, depth):
    choices = GRAMMAR[symbol]
    template = choices[0] if depth <= 0 else chance.choice(choices)
    return re.sub(r"\{(\w+)\}", lambda part: expand(chance, part.group(1), depth - 1), template)


def spoil(chance, sql):
    words = sql.split(" ")
    for _ in range(chance.choice((0, 0, 0, 1, 1, 2))):
        at = chance.randrange(len(words))
        what = chance.randrange(3)
        if what == 0:
            words.insert(at, chance.choice(SPOILS))
        elif what == 1:
            words[at] = chance.choice(SPOILS)
        else:
            other = chance.randrange(len(words))
            words[at], words[other] = words[other], words[at]
    return " ".join(words)


class Oracle:
    def __init__(self):
        self.database = sqlite3.connect(":memory:", isolation_level=None)
        columns = ", ".join(f'"{column}"' for column in COLUMNS)
        for table in TABLES:
            self.database.execute(f"create table {table} ({'x' if table == 'one' else columns})")
        self.database.set_authorizer(self.note)

    def note(self, action, first, second, _database, _trigger):
        kind = ORACLE_ACTIONS.get(action)
        is_defined = kind == "read" and second == "" and first.lower() in self.defined
        if kind == "read" and first.lower() in TABLES and not is_defined:
            self.used.add("t:" + first.lower())
        if kind == "function" and second.lower() not in OPERATORS:
            self.used.add("f:" + second.lower())
        if kind == "recursive":
            self.used.add("recursive")
        return sqlite3.SQLITE_OK

    def names(self, sql):
        """What the statement uses, or None where SQLite does not prepare it."""
        self.used = set()
        self.defined = set(DEFINITION.findall(sql.lower()))
        try:
            self.database.execute("explain " + sql)
        except (sqlite3.Error, sqlite3.Warning):
            return None
        return self.used


def is_missed(used, line):
    seen = set(line.split())
    tables = {name[2:] for name in seen if name[:2] in ("t:", "r:")}
    for name in used:
        if name == "recursive":
            if not any(other.startswith("r:") for other in seen):
                return True
        elif name.startswith("t:"):
            if name[2:] not in tables:
                return True
        elif name not in seen:
            return True
    return False


def main(program, count=20_000, seed=1):
    chance = random.Random(seed)
    statements = [spoil(chance, expand(chance, "query", chance.randint(2, 4))) for _ in range(count)]
    asked = "".join(sql + "\0" for sql in statements)
    lines = subprocess.run([program], input=asked, capture_output=True, text=True, check=True).stdout.splitlines()
    oracle = Oracle()
    compared = refused = missed = 0
    for sql, line in zip(statements, lines, strict=True):
        used = oracle.names(sql)
        if used is None:
            continue
        if line == "refused":
            refused += 1
            continue
        compared += 1
        if is_missed(used, line):
            missed += 1
            print(f"missed: {sql!r}: SQLite uses {sorted(used)}, we read: {line}")
    print(f"{count} statements, seed {seed}: {compared} compared, {refused} that only SQLite reads, {missed} missed")
    return 1 if missed or compared < count // 20 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], *map(int, sys.argv[2:])))
