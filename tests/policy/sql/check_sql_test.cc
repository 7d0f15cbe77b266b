#include "policy/sql/check_sql.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>

#include "schemas/base/limits.h"
#include "schemas/json/json.h"
#include "tests/corpus.h"

namespace bartizan {
namespace {

std::vector<SqlNamePattern> patterns(std::initializer_list<std::string_view> texts) {
  std::vector<SqlNamePattern> out;
  for (const std::string_view text : texts)
    out.push_back(SqlNamePattern::read(text).value());
  return out;
}

std::string_view judge(std::string_view sql, const SqlRules& rules) {
  StepBudget steps{limits::schema_steps_max};
  const auto refusal = judge_sql(sql, rules, steps);
  return refusal ? text(*refusal) : "allowed";
}

/// The second example policy of the design.
SqlRules four_tables() {
  return {.dialect = SqlDialect::sqlite,
          .statements = {SqlClass::select},
          .tables = patterns({"system_info", "processes", "users", "listening_ports"}),
          .functions = patterns({"count", "lower", "upper", "length"}),
          .begins_with_letter = true};
}

/// Every table, reads only.
SqlRules read_only(SqlDialect dialect) {
  return {.dialect = dialect,
          .statements = {SqlClass::select, SqlClass::show},
          .tables = patterns({"**"}),
          .allow_comments = true};
}

TEST(JudgeSql, FourTables) {
  const SqlRules rules = four_tables();
  const struct {
    std::string_view sql, want;
  } cases[] = {
      // What a person would ask.
      {"SELECT * FROM processes", "allowed"},
      {"SELECT name, pid FROM processes WHERE name LIKE '%ssh%' ORDER BY pid DESC LIMIT 10;",
       "allowed"},
      {"SELECT count(*) FROM users", "allowed"},
      {"SELECT p.name, l.port, l.address FROM listening_ports AS l JOIN processes AS p USING (pid) "
       "WHERE l.port < 1024",
       "allowed"},
      {"select hostname, cpu_brand, physical_memory / 1024 / 1024 AS mb from system_info",
       "allowed"},
      {"SELECT u.username, count(*) AS n FROM users u LEFT JOIN processes p ON p.uid = u.uid "
       "GROUP BY u.username HAVING n > 3 ORDER BY n DESC",
       "allowed"},
      {"WITH busy AS (SELECT uid, count(*) AS n FROM processes GROUP BY 1) "
       "SELECT username FROM users, busy WHERE users.uid = busy.uid",
       "allowed"},
      {"SELECT * FROM \"PROCESSES\" WHERE lower(name) IN (SELECT lower(username) FROM Users)",
       "allowed"},
      // What the program behind would take for a command or a flag.
      {".tables", "sql_first_byte"},
      {".shell id", "sql_first_byte"},
      {"--config_path=/tmp/x", "sql_first_byte"},
      {"-S", "sql_first_byte"},
      {" SELECT 1", "sql_first_byte"},
      {"\nSELECT 1", "sql_first_byte"},
      {"", "sql_first_byte"},
      {"(SELECT 1)", "sql_first_byte"},
      {"/**/SELECT 1", "sql_first_byte"},
      {"SELECT 1\n.shell id", "sql_malformed"},
      {"SELECT 1;\n.shell id", "sql_several"},
      // Other tables, however they are named.
      {"SELECT * FROM shadow /* users */", "sql_comment"},
      {"SELECT * FROM shadow", "sql_table"},
      {"SELECT * FROM 'shadow'", "sql_malformed"},
      {"SELECT * FROM [shadow]", "sql_table"},
      {"SELECT * FROM users, shadow", "sql_table"},
      {"SELECT * FROM users JOIN shadow", "sql_table"},
      {"SELECT * FROM users, (SELECT * FROM shadow)", "sql_table"},
      {"SELECT * FROM (users, shadow)", "sql_table"},
      {"SELECT * FROM ((users) JOIN shadow)", "sql_table"},
      {"SELECT (SELECT password_hash FROM shadow) FROM users", "sql_table"},
      {"SELECT * FROM users WHERE uid IN (SELECT uid FROM shadow)", "sql_table"},
      {"SELECT * FROM users WHERE uid IN shadow", "sql_table"},
      {"SELECT * FROM users WHERE uid NOT IN main.shadow", "sql_table"},
      {"SELECT * FROM users UNION SELECT * FROM shadow", "sql_table"},
      {"SELECT * FROM users ORDER BY (SELECT 1 FROM shadow)", "sql_table"},
      {"SELECT * FROM users LIMIT (SELECT count(*) FROM shadow)", "sql_table"},
      {"WITH users AS (SELECT * FROM shadow) SELECT * FROM users", "sql_table"},
      {"SELECT * FROM (WITH shadow AS (SELECT 1) SELECT * FROM shadow), shadow", "sql_table"},
      {"SELECT * FROM main.users", "sql_table"},
      {"SELECT * FROM a.b.c.users", "sql_table"},
      {"SELECT * FROM sqlite_master", "sql_table"},
      {"SELECT * FROM \"users\"\"\"", "sql_table"},
      {"SELECT * FROM pragma_table_info('users')", "sql_function"},
      // Functions, statements, more than one.
      {"SELECT load_extension('/tmp/x')", "sql_function"},
      {"SELECT LOWER(hex(randomblob(1000000000)))", "sql_function"},
      {"SELECT \"load_extension\"('/tmp/x')", "sql_function"},
      {"SELECT max(pid) FROM processes", "sql_function"},
      {"EXPLAIN SELECT 1", "sql_statement"},
      {"ATTACH DATABASE '/tmp/x' AS y", "sql_statement"},
      {"PRAGMA writable_schema = 1", "sql_statement"},
      {"WITH x AS (SELECT 1) DELETE FROM users", "sql_statement"},
      {"SELECT 1; SELECT 2", "sql_several"},
      {"processes", "sql_malformed"},
      {"WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c) SELECT x FROM c",
       "sql_recursive"},
      {"WITH c AS (SELECT 1 AS x UNION ALL SELECT x+1 FROM c) SELECT x FROM c", "sql_recursive"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.sql);
    EXPECT_EQ(judge(c.sql, rules), c.want);
  }
}

TEST(JudgeSql, DeniesInEverySpelling) {
  SqlRules rules = read_only(SqlDialect::postgres);
  rules.tables = patterns({"**", "b\u00fccher"});
  rules.deny_tables = patterns({"secrets", "hr.pay*"});
  rules.functions = patterns({"*", "pg_sleep"});
  rules.deny_functions = patterns({"now", "audit.f"});
  const struct {
    std::string_view sql, want;
  } cases[] = {
      {"SELECT * FROM users", "allowed"},
      {"SELECT * FROM secrets", "sql_table"},
      {"SELECT * FROM SECRETS", "sql_table"},
      {"SELECT * FROM \"SECRETS\"", "sql_table"},
      {"SELECT * FROM public.secrets", "sql_table"},
      {"SELECT * FROM db . public . \"secrets\"", "sql_table"},
      {"SELECT * FROM hr.payroll", "sql_table"},
      {"SELECT * FROM payroll", "sql_table"},
      {"SELECT * FROM public.payroll", "allowed"},
      {"TABLE secrets", "sql_table"},
      {"SELECT * FROM \"a/b\"", "sql_table"},
      {"SELECT * FROM \"\u017fecrets\"", "sql_table"},
      {"SELECT * FROM b\u00fccher", "allowed"},
      {"SELECT my_own(1), pg_sleep(1)", "allowed"},
      {"SELECT now()", "sql_function"},
      {"SELECT \"NOW\"()", "sql_function"},
      {"SELECT pg_catalog.now()", "sql_function"},
      {"SELECT audit.f()", "sql_function"},
      {"SELECT pg_read_file('/etc/passwd')", "sql_function"},
      {"SELECT load_file('/etc/passwd')", "sql_function"},
      {"SELECT s.f()", "sql_function"},
      {"SELECT query_to_xml_and_xmlschema('SELECT 1', true, true, '')", "sql_function"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.sql);
    EXPECT_EQ(judge(c.sql, rules), c.want);
  }
}

TEST(JudgeSql, AsksEveryPartOfAFunctionsName) {
  SqlRules rules = read_only(SqlDialect::ansi);
  rules.functions = patterns({"**", "utl_raw.length"});
  EXPECT_EQ(judge("SELECT dbms_xmlgen.getxml('SELECT 1 FROM a') FROM dual", rules), "sql_function");
  EXPECT_EQ(judge("SELECT utl_http.request('http://a') FROM dual", rules), "sql_function");
  EXPECT_EQ(judge("SELECT utl_raw.length(a) FROM dual", rules), "allowed");
  EXPECT_EQ(judge("SELECT own.f(a) FROM dual", rules), "allowed");
}

// In SQLite `FROM fsdir WHERE path = …` is a call of `fsdir`.
TEST(JudgeSql, LetsAModulePassWhereItIsNamed) {
  for (const std::string_view every : {"**", "*"}) {
    SqlRules rules = read_only(SqlDialect::sqlite);
    rules.tables = patterns({every, "dbstat"});
    EXPECT_EQ(judge("SELECT data FROM fsdir WHERE path = '/etc/passwd'", rules), "sql_table");
    EXPECT_EQ(judge("SELECT 1 WHERE 'a' IN [FSDIR]", rules), "sql_table");
    EXPECT_EQ(judge("SELECT * FROM pragma_database_list", rules), "sql_table");
    EXPECT_EQ(judge("SELECT * FROM dbstat, users, sqlite_schema", rules), "allowed");
  }
}

// A name without a schema may be one of that schema's.
TEST(JudgeSql, DeniesNamesWithoutASchemaBesideAWholeSchema) {
  SqlRules rules = read_only(SqlDialect::postgres);
  rules.deny_tables = patterns({"hr.*"});
  EXPECT_EQ(judge("SELECT * FROM hr.users", rules), "sql_table");
  EXPECT_EQ(judge("SELECT * FROM users", rules), "sql_table");
  EXPECT_EQ(judge("SELECT * FROM public.users", rules), "allowed");
}

TEST(JudgeSql, LetsAnEndlessQueryPassWhereItIsNamed) {
  SqlRules rules = read_only(SqlDialect::sqlite);
  const std::string_view sql = "WITH c AS (SELECT 1 UNION ALL SELECT 1 FROM c) SELECT * FROM c";
  EXPECT_EQ(judge(sql, rules), "sql_recursive");
  rules.tables = patterns({"c*"});
  EXPECT_EQ(judge(sql, rules), "sql_recursive");
  rules.tables = patterns({"c"});
  EXPECT_EQ(judge(sql, rules), "allowed");
  rules.deny_tables = patterns({"c"});
  EXPECT_EQ(judge(sql, rules), "sql_table");
}

TEST(JudgeSql, TakesAStepForEachNameAndPattern) {
  const SqlRules rules = four_tables();
  const std::string_view sql = "SELECT count(*) FROM users";
  StepBudget enough{11};
  EXPECT_FALSE(judge_sql(sql, rules, enough));
  StepBudget few{10};
  EXPECT_EQ(judge_sql(sql, rules, few), SqlRefusal::too_costly);
}

TEST(JudgeSql, HoldsAgainstTheCorpus) {
  const auto file = corpus_file("sql-injection/read_only_policy.jsonl");
  if (file.empty()) GTEST_SKIP() << "the corpus sql-injection is absent";
  int refused = 0;
  int allowed = 0;
  for (const std::string& line : corpus_lines(file)) {
    JsonDocument document;
    const Bytes bytes{std::string_view(line)};
    const auto row = document.read(bytes);
    ASSERT_TRUE(row) << line;
    const std::string_view name = row->find("dialect").text();
    const SqlDialect dialect = name == "postgres" ? SqlDialect::postgres
                               : name == "mysql"  ? SqlDialect::mysql
                               : name == "sqlite" ? SqlDialect::sqlite
                                                  : SqlDialect::ansi;
    const bool is_read = row->find("read_only").boolean().value();
    const std::string_view got = judge(row->find("sql").text(), read_only(dialect));
    EXPECT_EQ(got == "allowed", is_read) << line << "\n" << got;
    ++(is_read ? allowed : refused);
  }
  EXPECT_GT(refused, 25);
  EXPECT_GT(allowed, 5);
}

}  // namespace
}  // namespace bartizan
