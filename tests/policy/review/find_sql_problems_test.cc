#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "policy/check/compile_policy.h"

namespace bartizan {
namespace {

/// The problems of a configuration with that form under a name, each as `PLACE SEVERITY: MESSAGE`.
std::vector<std::string> problems_of(SqlForm form, bool is_used = true) {
  Config config;
  config.files = {"c.toml"};
  form.tables_where = {.line = 2, .column = 9};
  form.deny_tables_where = {.line = 3, .column = 9};
  form.functions_where = {.line = 4, .column = 9};
  form.deny_functions_where = {.line = 5, .column = 9};
  config.sqls["q"] = {.name = "q", .form = form, .where = {.line = 1, .column = 1}};
  if (is_used) {
    const SqlPredicate named{.name = "q", .form = form};
    config.tools = {{.pattern = "s/t", .arguments = {{.pointer = "/a", .predicate = named}}}};
  }
  std::vector<std::string> lines;
  for (const ConfigProblem& problem : find_sql_problems(config)) {
    const bool is_error = problem.severity == ConfigProblem::Severity::error;
    lines.push_back(problem.where + (is_error ? " error: " : " warning: ") + problem.message);
  }
  return lines;
}

using Lines = std::vector<std::string>;

TEST(FindSqlProblems, FindsNamesThatAreNone) {
  for (const std::string name : {"users", "public.users", "db.public.users", "public.*", "tmp_*",
                                 "*", "**", "My table", "b\u00fccher"}) {
    EXPECT_EQ(problems_of({.tables = {name}}), Lines()) << name;
  }
  for (const std::string name :
       {".", "a.", ".a", "a..b", "a.b.c.d", "a.**", "**.a", "a**", "a/b"}) {
    const std::string error = " error: \"" + name + "\" is not a pattern of names";
    EXPECT_EQ(problems_of({.tables = {"users", name}}), Lines{"c.toml:2:9" + error}) << name;
    EXPECT_EQ(problems_of({.deny_tables = {name}}), Lines{"c.toml:3:9" + error}) << name;
    EXPECT_EQ(problems_of({.functions = Lines{name}}), Lines{"c.toml:4:9" + error}) << name;
    EXPECT_EQ(problems_of({.deny_functions = {name}}), Lines{"c.toml:5:9" + error}) << name;
  }
}

TEST(FindSqlProblems, FindsWhatIsDoubtful) {
  EXPECT_EQ(problems_of({.tables = {"users"}}, false),
            Lines{"c.toml:1:1 warning: [sql.q] guards nothing: no [tool.…] and no rule names it"});
  for (const std::string every : {"**", "*", "*.*"}) {
    EXPECT_EQ(problems_of({.functions = Lines{"count", every}}),
              Lines{"c.toml:4:9 warning: every function passes that is not known to do more than "
                    "compute"});
    EXPECT_EQ(problems_of({.dialect = SqlDialect::sqlite, .tables = {"users", every}}),
              Lines{"c.toml:2:9 warning: every table passes that is not known to be a module of "
                    "SQLite"});
    EXPECT_EQ(problems_of({.dialect = SqlDialect::mysql, .tables = {every}}), Lines());
  }
  EXPECT_EQ(problems_of({.dialect = SqlDialect::postgres, .tables = {"Users"}}),
            Lines{"c.toml:2:9 warning: \"Users\" passes in double quotes only: PostgreSQL lowers "
                  "other names"});
  EXPECT_EQ(problems_of({.dialect = SqlDialect::sqlite, .tables = {"Users"}}), Lines());
  EXPECT_EQ(problems_of({.deny_tables = {"hr.*"}}),
            Lines{"c.toml:3:9 warning: \"hr.*\" denies every name without a schema too: it may be "
                  "one of those"});
}

TEST(FindSqlProblems, LooksAtPredicatesToo) {
  Config config;
  config.files = {"c.toml"};
  config.tools = {
      {.pattern = "s/t",
       .arguments = {{.pointer = "/a", .predicate = SqlPredicate{.form = {.tables = {"a..b"}}}},
                     {.pointer = "/b", .predicate = SqlPredicate{.name = "gone"}}}}};
  const auto problems = find_sql_problems(config);
  ASSERT_EQ(problems.size(), 2U);
  EXPECT_EQ(problems[0].message, "\"a..b\" is not a pattern of names");
  EXPECT_EQ(problems[1].message, "no [sql.gone] is defined");
}

}  // namespace
}  // namespace bartizan
