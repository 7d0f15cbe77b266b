#include "policy/sql/sql_statement.h"

#include <gtest/gtest.h>

#include <string>

#include "policy/sql/check_sql.h"
#include "policy/sql/sql_names.h"
#include "schemas/base/limits.h"

namespace bartizan {
namespace {

/// `select a b.c count() d*`: tables, functions, and definitions that read themselves.
std::string read(std::string_view sql, SqlDialect dialect) {
  const auto statement = read_sql(sql, dialect);
  if (!statement) return std::string(text(statement.error()));
  std::string out = statement->kind == SqlClass::select ? "select"
                    : statement->kind == SqlClass::show ? "show"
                                                        : "explain";
  for (const SqlUsed& used : statement->used) {
    out += ' ';
    const auto name = read_sql_name(used.text(), dialect);
    for (std::size_t i = 0; name && i < name->size; ++i)
      out += (i == 0 ? "" : ".") + std::string(name->part(i).text());
    if (used.use == SqlUse::function) out += "()";
    if (used.use == SqlUse::recursive_table) out += '*';
  }
  return out;
}

struct Case {
  std::string_view sql, want;
};

template <std::size_t kSize>
void expect_all(const Case (&cases)[kSize], SqlDialect dialect) {
  for (const Case& c : cases) {
    SCOPED_TRACE(c.sql);
    EXPECT_EQ(read(c.sql, dialect), c.want);
  }
}

TEST(ReadSql, ReadsQueriesInEveryDialect) {
  const Case cases[] = {
      {"SELECT 1", "select"},
      {"SELECT a, b AS c, t.* FROM t", "select t"},
      {"SELECT DISTINCT a FROM t x, u AS y, s.v", "select t u s.v"},
      {"SELECT * FROM a JOIN b ON a.x = b.x LEFT OUTER JOIN c USING (x) NATURAL JOIN d",
       "select a b c d"},
      {"SELECT * FROM a CROSS JOIN (b JOIN c ON 1 = 1)", "select a b c"},
      {"SELECT * FROM a LEFT JOIN (SELECT x FROM b) c ON c.x = a.x, d", "select a b d"},
      {"SELECT * FROM ((a)), ((SELECT 1 FROM b) UNION (SELECT 2 FROM c)) x", "select a b c"},
      {"SELECT * FROM ((SELECT 1 FROM a) x JOIN b ON 1 = 1)", "select a b"},
      {"SELECT (SELECT max(x) FROM a), ((SELECT 1 FROM b)), ((SELECT 1 FROM c) + 1)",
       "select max() a b c"},
      {"SELECT 1 FROM a WHERE EXISTS (SELECT 1 FROM b) AND x NOT IN (SELECT y FROM c)",
       "select a b c"},
      {"SELECT 1 FROM a WHERE x > ALL (SELECT y FROM b)", "select a b"},
      {"SELECT 1 FROM a GROUP BY (SELECT 1 FROM b) HAVING (SELECT 1 FROM c) > 0 "
       "ORDER BY (SELECT 1 FROM d) DESC LIMIT (SELECT 1 FROM e) OFFSET (SELECT 1 FROM f)",
       "select a b c d e f"},
      {"SELECT CASE WHEN (SELECT 1 FROM a) = 1 THEN lower(x) ELSE (SELECT 2 FROM b) END FROM c",
       "select a lower() b c"},
      {"SELECT sum(x) OVER (PARTITION BY (SELECT 1 FROM a) ORDER BY y "
       "ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM b",
       "select sum() a b"},
      {"SELECT rank() OVER w FROM a WINDOW w AS (ORDER BY abs(x))", "select rank() a abs()"},
      {"SELECT count(*) FILTER (WHERE x IN (SELECT 1 FROM a)) FROM b", "select count() a b"},
      {"SELECT CAST(x AS DECIMAL(10, 2)) FROM a", "select a"},
      {"SELECT extract(year FROM x), trim(BOTH ' ' FROM y), substring(z FROM 1 FOR 2) FROM a",
       "select extract() trim() substring() a"},
      {"SELECT a FROM t WHERE x BETWEEN 1 AND 2 AND y LIKE 'a%' ESCAPE '!' OR z IS NOT NULL",
       "select t"},
      {"SELECT x IS DISTINCT FROM y FROM t", "select t"},
      {"SELECT 1 UNION ALL SELECT 2 FROM a EXCEPT SELECT 3 FROM b", "select a b"},
      {"(SELECT 1 FROM a) UNION (SELECT 2 FROM b) ORDER BY 1", "select a b"},
      {"VALUES (1, 2), ((SELECT 1 FROM a), 4)", "select a"},
      {"TABLE a", "select a"},
      {"SELECT 'SELECT * FROM a' AS b", "select"},
      {"SELECT s.f(1), f (2)", "select s.f() f()"},
      {"SELECT 1;", "select"},
      {"SELECT 1 ; ", "select"},
      {"SELECT left(a, 1), right(b, 2), replace(c, 'x', 'y'), offset FROM t",
       "select left() right() replace() t"},
      {"SELECT a FROM t FETCH FIRST 5 ROWS ONLY", "select t"},
      {"SELECT date '2026-01-31', a.date, b.time FROM t", "select t"},
  };
  for (const SqlDialect dialect :
       {SqlDialect::ansi, SqlDialect::mysql, SqlDialect::postgres, SqlDialect::sqlite}) {
    SCOPED_TRACE(static_cast<int>(dialect));
    expect_all(cases, dialect);
  }
}

TEST(ReadSql, RefusesInEveryDialect) {
  const Case cases[] = {
      {"", "sql_malformed"},
      {"  ", "sql_malformed"},
      {";", "sql_malformed"},
      {"-- a", "sql_malformed"},
      {"/* a */", "sql_malformed"},
      {"a", "sql_malformed"},
      {"SELECT", "sql_malformed"},
      {"SELECT FROM a", "sql_malformed"},
      {"SELECT 1 FROM", "sql_malformed"},
      {"SELECT 1,", "sql_malformed"},
      {"SELECT (1", "sql_malformed"},
      {"SELECT 1)", "sql_malformed"},
      {"SELECT a b c", "sql_malformed"},
      {"SELECT 1 FROM a b c", "sql_malformed"},
      {"SELECT 1 FROM 'a'", "sql_malformed"},
      {"SELECT 1 FROM ?", "sql_malformed"},
      {"SELECT 1 FROM a.", "sql_malformed"},
      {"SELECT 1 FROM .a", "sql_malformed"},
      {"SELECT 1 FROM a JOIN", "sql_malformed"},
      {"SELECT 1 FROM a, ", "sql_malformed"},
      {"SELECT 1 FROM a WHERE", "sql_malformed"},
      {"SELECT 1 AS FROM a", "sql_malformed"},
      {"SELECT 1; SELECT 2", "sql_several"},
      {"SELECT 1;;", "sql_several"},
      {"SELECT 1\\; DELETE FROM a", "sql_malformed"},
      {"SELECT 1 INTO a", "sql_statement"},
      {"SELECT * INTO a FROM b", "sql_statement"},
      {"SELECT 1 FROM a INTO OUTFILE '/tmp/x'", "sql_statement"},
      {"SELECT 1 FROM a FOR UPDATE", "sql_statement"},
      {"SELECT 1 FROM a b FOR SHARE", "sql_statement"},
      {"SELECT 1 FROM a LOCK IN SHARE MODE", "sql_statement"},
      {"SELECT 1 FROM a PROCEDURE ANALYSE()", "sql_statement"},
      {"(SELECT 1 FROM a FOR UPDATE)", "sql_statement"},
      {"INSERT INTO a VALUES (1)", "sql_statement"},
      {"UPDATE a SET b = 1", "sql_statement"},
      {"delete from a", "sql_statement"},
      {"REPLACE INTO a VALUES (1)", "sql_statement"},
      {"MERGE INTO a USING b ON 1 = 1", "sql_statement"},
      {"CREATE TABLE a (b int)", "sql_statement"},
      {"DROP TABLE a", "sql_statement"},
      {"CALL a()", "sql_statement"},
      {"DO 1", "sql_statement"},
      {"EXECUTE a", "sql_statement"},
      {"COPY a TO '/tmp/x'", "sql_statement"},
      {"SET a = 1", "sql_statement"},
      {"EXPLAIN ANALYZE SELECT 1", "sql_statement"},
      {"EXPLAIN DELETE FROM a", "sql_statement"},
      {"WITH a AS (SELECT 1) DELETE FROM b", "sql_statement"},
      {"WITH a AS (DELETE FROM b RETURNING *) SELECT * FROM a", "sql_statement"},
      {"WITH a AS (SELECT 1) INSERT INTO b SELECT * FROM a", "sql_statement"},
      {"SELECT * FROM (DELETE FROM a RETURNING *) b", "sql_malformed"},
      {"WAITFOR DELAY '0:0:30'", "sql_statement"},
  };
  for (const SqlDialect dialect :
       {SqlDialect::ansi, SqlDialect::mysql, SqlDialect::postgres, SqlDialect::sqlite}) {
    SCOPED_TRACE(static_cast<int>(dialect));
    expect_all(cases, dialect);
  }
  EXPECT_EQ(read(std::string_view("SELECT 1\0", 9), SqlDialect::sqlite), "sql_malformed");
  EXPECT_EQ(read(std::string_view("SELECT 'a\0b'", 12), SqlDialect::sqlite), "sql_malformed");
  EXPECT_EQ(read("SELECT '\xff'", SqlDialect::sqlite), "sql_malformed");
}

TEST(ReadSql, KnowsWhereDefinitionsAreInScope) {
  const Case cases[] = {
      {"WITH q AS (SELECT * FROM a) SELECT * FROM q, b", "select a b"},
      {"WITH q(x, y) AS (SELECT 1, 2), r AS (SELECT * FROM q) SELECT * FROM r JOIN q USING (x)",
       "select"},
      {"WITH q AS (SELECT 1) SELECT (SELECT 1 FROM (SELECT * FROM q) x)", "select"},
      {"WITH q AS (SELECT 1) SELECT * FROM s.q", "select s.q"},
      {"WITH q AS (SELECT 1) SELECT * FROM q.s", "select q.s"},
      {"SELECT * FROM (WITH q AS (SELECT 1) SELECT * FROM q) x, q", "select q"},
      {"SELECT * FROM q WHERE 1 IN (WITH q AS (SELECT 1) SELECT * FROM q)", "select q"},
      {"WITH q AS (WITH r AS (SELECT 1) SELECT * FROM r) SELECT * FROM r", "select r"},
      {"WITH q AS MATERIALIZED (SELECT 1) SELECT * FROM q", "select"},
      {"WITH q AS (SELECT 1) SELECT q(1)", "select q()"},
      {"WITH RECURSIVE q AS (SELECT 1 UNION ALL SELECT x + 1 FROM q) SELECT * FROM q", "select q*"},
      {"WITH RECURSIVE q AS (SELECT * FROM (SELECT * FROM q) x) SELECT 1", "select q*"},
      {"WITH RECURSIVE q AS (SELECT * FROM r), r AS (SELECT * FROM q) SELECT 1", "select r*"},
      {"WITH RECURSIVE q AS (SELECT * FROM a) SELECT * FROM q", "select a"},
  };
  for (const SqlDialect dialect :
       {SqlDialect::ansi, SqlDialect::mysql, SqlDialect::postgres, SqlDialect::sqlite}) {
    SCOPED_TRACE(static_cast<int>(dialect));
    expect_all(cases, dialect);
  }
  // Without the word, some read themselves and for others there is a table of that name.
  const std::string_view self = "WITH q AS (SELECT * FROM q) SELECT * FROM q";
  EXPECT_EQ(read(self, SqlDialect::ansi), "select q*");
  EXPECT_EQ(read(self, SqlDialect::mysql), "select q");
  EXPECT_EQ(read(self, SqlDialect::postgres), "select q");
  EXPECT_EQ(read(self, SqlDialect::sqlite), "select q*");
  // Which spellings mean the definition.
  const std::string_view upper = "WITH q AS (SELECT 1) SELECT * FROM Q";
  EXPECT_EQ(read(upper, SqlDialect::ansi), "select");
  EXPECT_EQ(read(upper, SqlDialect::mysql), "select Q");
  EXPECT_EQ(read(upper, SqlDialect::postgres), "select");
  EXPECT_EQ(read(upper, SqlDialect::sqlite), "select");
  const std::string_view quoted = "WITH q AS (SELECT 1) SELECT * FROM \"Q\"";
  EXPECT_EQ(read(quoted, SqlDialect::ansi), "select Q");
  EXPECT_EQ(read(quoted, SqlDialect::postgres), "select Q");
  EXPECT_EQ(read(quoted, SqlDialect::sqlite), "select");
}

TEST(ReadSql, Sqlite) {
  const Case cases[] = {
      {"SELECT 1 FROM a WHERE x IN b", "select a b"},
      {"SELECT 1 FROM a WHERE x NOT IN main.b AND y", "select a main.b"},
      {"SELECT 1 WHERE x IN json_each('[1]')", "select json_each()"},
      {"WITH q AS (SELECT 1) SELECT 1 WHERE x IN q", "select"},
      {"SELECT a 'b', c \"d\", e [f] FROM `g`", "select g"},
      {"SELECT x FROM a window, b", "sql_malformed"},
      {"SELECT x FROM a STRAIGHT_JOIN b", "select a b"},
      {"SELECT x FROM a b(c)", "sql_malformed"},
      {"SELECT x GLOB 'a*', y MATCH 'b', z REGEXP 'c', w NOT NULL", "select"},
      {"SELECT * FROM pragma_table_info('a') AS p", "select pragma_table_info()"},
      {"EXPLAIN QUERY PLAN SELECT * FROM a", "explain a"},
      {"PRAGMA table_info(a)", "sql_statement"},
      {"ATTACH 'a' AS b", "sql_statement"},
      {"VACUUM INTO 'a'", "sql_statement"},
      {"SHOW TABLES", "sql_statement"},
      {"SELECT * FROM a NOT INDEXED", "sql_malformed"},
      {"SELECT * FROM lateral users", "sql_malformed"},
      {"SELECT * FROM only users", "sql_malformed"},
      {"SELECT * FROM a, lateral (SELECT 1)", "sql_malformed"},
  };
  expect_all(cases, SqlDialect::sqlite);
}

TEST(ReadSql, Postgres) {
  const Case cases[] = {
      {"SELECT a::int, (b)[1], (c).d, e[1:2]::text[] FROM ONLY t", "select t"},
      {"SELECT x::numeric(10, 2), y::timestamp with time zone FROM t", "select t"},
      {"SELECT 'a'::secrets", "select"},
      {"SELECT ARRAY[[1], [(SELECT 2 FROM a)]], ARRAY(SELECT 1 FROM b), ROW(1, 2)", "select a b"},
      {"SELECT * FROM a, LATERAL (SELECT * FROM b) x, generate_series(1, 2) WITH ORDINALITY AS "
       "g(n)",
       "select a b generate_series()"},
      {"SELECT * FROM f(1) AS t(a int, b text)", "select f()"},
      {"SELECT * FROM t, LATERAL unnest(t.a) WITH ORDINALITY AS u(x, n)", "select t unnest()"},
      {"SELECT * FROM LATERAL users", "sql_malformed"},
      {"SELECT 'a'.b FROM t", "sql_malformed"},
      {"SELECT * FROM ROWS FROM (f(1))", "sql_malformed"},
      {"SELECT * FROM t TABLESAMPLE SYSTEM (1)", "sql_malformed"},
      {"SELECT * FROM t x(a, b), u", "select t u"},
      {"SELECT DISTINCT ON (a) a FROM t", "select t"},
      {"SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY x) FROM t",
       "select percentile_cont() t"},
      {"SELECT a FROM t GROUP BY GROUPING SETS ((a), (b), ()), ROLLUP (c), CUBE (d)", "select t"},
      {"SELECT now() AT TIME ZONE 'UTC' - interval '1' day", "select now()"},
      {"SELECT data @> '{}' AND data ? 'a' AND data #>> '{a}' = 'b' FROM t", "select t"},
      {"SELECT U&\"\\0061\" FROM t", "sql_malformed"},
      {"SELECT t.from, t.select FROM public.order", "select public.order"},
      {"SHOW search_path", "show"},
      {"SHOW ALL", "show"},
      {"SHOW a; DROP TABLE b", "sql_several"},
      {"EXPLAIN SELECT 1 FROM a", "explain a"},
      {"EXPLAIN (FORMAT JSON) SELECT 1 FROM a", "explain a"},
      {"EXPLAIN (ANALYZE) SELECT 1", "sql_statement"},
      {"EXPLAIN (COSTS off, ANALYZE true) SELECT 1", "sql_statement"},
      {"DO $$ BEGIN END $$", "sql_statement"},
      {"WITH q AS NOT MATERIALIZED (UPDATE a SET b = 1 RETURNING *) SELECT 1", "sql_statement"},
  };
  expect_all(cases, SqlDialect::postgres);
}

TEST(ReadSql, Mysql) {
  const Case cases[] = {
      {"SELECT `a` FROM `b`.`c` STRAIGHT_JOIN d LIMIT 5, 10", "select b.c d"},
      {"SELECT a FROM b STRAIGHT_JOIN (secrets)", "select b secrets"},
      {"SELECT a FROM b x (secrets)", "sql_malformed"},
      {"SELECT a FROM (SELECT 1 FROM b) x (c)", "select b"},
      {"SELECT a DIV 2, b MOD 3, c XOR d, e RLIKE 'f', BINARY g FROM t", "select t"},
      {"SELECT a FROM t WHERE b > now() - INTERVAL 1 DAY GROUP BY a WITH ROLLUP", "select t now()"},
      {"SELECT group_concat(DISTINCT a ORDER BY b SEPARATOR ', ') FROM t",
       "select group_concat() t"},
      {"SELECT @@version, @@global.max_connections",
       "select @@version() @@global.max_connections()"},
      {"SELECT @a := 1", "sql_malformed"},
      {"SELECT * FROM a, LATERAL (SELECT 1 FROM b) x", "select a b"},
      {"SELECT * FROM lateral users", "sql_malformed"},
      {"SELECT * FROM a, lateral f(1)", "sql_malformed"},
      {"SELECT * FROM only users", "sql_malformed"},
      {"SELECT 1 INTO @a", "sql_statement"},
      {"SELECT t.from FROM db.select", "select db.select"},
      {"SELECT t. from secrets", "sql_malformed"},
      {"SELECT 1.e(1)", "sql_malformed"},
      {"SELECT 1 /*!; DELETE FROM t */", "sql_malformed"},
      {"SELECT /*!50000 1 */", "sql_malformed"},
      {"SELECT 1 FROM \"a\"", "sql_malformed"},
      {"SHOW TABLES", "show"},
      {"SHOW FULL COLUMNS FROM a FROM b", "show a b"},
      {"SHOW CREATE TABLE a.b", "show a.b"},
      {"SHOW CREATE USER root", "sql_statement"},
      {"SHOW GRANTS", "sql_statement"},
      {"SHOW VARIABLES LIKE 'a%'", "show"},
      {"EXPLAIN FORMAT=JSON SELECT 1 FROM a", "explain a"},
      {"LOAD DATA INFILE 'x' INTO TABLE t", "sql_statement"},
      {"HANDLER a OPEN", "sql_statement"},
  };
  expect_all(cases, SqlDialect::mysql);
}

TEST(ReadSql, Ansi) {
  const Case cases[] = {
      {"SELECT TOP 10 a FROM dbo.b", "select dbo.b"},
      {"SELECT a FROM b MINUS SELECT a FROM c", "select b c"},
      {"SELECT s.nextval FROM a", "select nextval() a"},
      {"SELECT a FROM b, LATERAL (SELECT 1 FROM c) d, LATERAL f(b.a) e", "select b c f()"},
      {"SELECT a FROM lateral users", "sql_malformed"},
      {"SELECT a FROM ONLY b", "select b"},
      {"SELECT a FROM b SHUTDOWN", "sql_malformed"},
      {"SELECT a CHECKPOINT", "sql_malformed"},
      {"SELECT a FROM b c EXEC d", "sql_malformed"},
      {"SELECT a FROM b EXEC (c)", "sql_malformed"},
      {"SELECT a AS shutdown FROM b", "select b"},
      {"SELECT NEXT VALUE FOR s", "sql_statement"},
      {"SELECT a FROM b CROSS APPLY f(b.x)", "sql_malformed"},
      {"SELECT a FROM b WITH (NOLOCK)", "sql_malformed"},
      {"SELECT a FROM b OFFSET 5 ROWS FETCH NEXT 10 ROWS ONLY", "select b"},
  };
  expect_all(cases, SqlDialect::ansi);
}

TEST(ReadSql, IsBounded) {
  const auto nested = [](std::size_t depth, std::string_view open, std::string_view close) {
    std::string sql = "SELECT ";
    for (std::size_t i = 0; i < depth; ++i)
      sql += open;
    sql += '1';
    for (std::size_t i = 0; i < depth; ++i)
      sql += close;
    return sql;
  };
  EXPECT_EQ(read(nested(30, "(", ")"), SqlDialect::postgres), "select");
  for (const auto& [open, close] : {std::pair{"(", ")"},
                                    {"(SELECT ", ")"},
                                    {"f(", ")"},
                                    {"CASE WHEN ", " THEN 1 END"},
                                    {"ARRAY[", "]"},
                                    {"a[", "]"},
                                    {"CAST(", " AS int)"},
                                    {"INTERVAL ", " day"}}) {
    SCOPED_TRACE(open);
    EXPECT_EQ(read(nested(8000, open, close), SqlDialect::postgres), "sql_too_large");
  }
  EXPECT_EQ(read(nested(30000, "NOT ", ""), SqlDialect::postgres), "sql_too_large");
  EXPECT_EQ(read(nested(10000, "NOT ", ""), SqlDialect::postgres), "select");
  std::string tables = "SELECT 1 FROM " + std::string(8000, '(') + "a";
  EXPECT_EQ(read(tables, SqlDialect::postgres), "sql_too_large");
  std::string calls = "SELECT f()";
  for (std::size_t i = 1; i < limits::sql_names_max; ++i)
    calls += ",f()";
  EXPECT_TRUE(read_sql(calls, SqlDialect::postgres));
  EXPECT_EQ(read(calls + ",f()", SqlDialect::postgres), "sql_too_large");
  std::string definitions = "WITH q AS (SELECT 1) SELECT 1 FROM q";
  for (std::size_t i = 1; i < limits::sql_names_max; ++i)
    definitions += ",q";
  EXPECT_EQ(read(definitions, SqlDialect::postgres), "select");
  EXPECT_EQ(read(definitions + ",q", SqlDialect::postgres), "sql_too_large");
  EXPECT_EQ(read("SELECT '" + std::string(limits::sql_bytes_max, 'a') + "'", SqlDialect::postgres),
            "sql_too_large");
}

}  // namespace
}  // namespace bartizan
