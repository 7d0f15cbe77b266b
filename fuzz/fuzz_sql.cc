#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/require.h"
#include "policy/sql/check_sql.h"
#include "schemas/base/limits.h"

/// The first byte chooses the dialect. What passes is one statement whose names are its own; it is
/// refused beside another, and where comments are refused with a comment; no other statement around
/// it hides a name of it.

namespace {

using namespace bartizan;

SqlDialect dialect_of(char c) {
  switch (c) {
    case 'm':
      return SqlDialect::mysql;
    case 'p':
      return SqlDialect::postgres;
    case 's':
      return SqlDialect::sqlite;
    default:
      return SqlDialect::ansi;
  }
}

std::optional<SqlRefusal> judge(std::string_view sql, const SqlRules& rules) {
  StepBudget steps{limits::schema_steps_max};
  return judge_sql(sql, rules, steps);
}

SqlRules everything(SqlDialect dialect) {
  return {.dialect = dialect,
          .statements = {SqlClass::select, SqlClass::show, SqlClass::explain},
          .tables = {SqlNamePattern::read("**").value()},
          .functions = std::vector{SqlNamePattern::read("**").value()},
          .allow_comments = true};
}

void check_names(std::string_view sql, const SqlStatement& statement, SqlDialect dialect) {
  for (const SqlUsed& used : statement.used) {
    require(is_within(used.text(), sql) && !used.text().empty());
    const auto name = read_sql_name(used.text(), dialect);
    if (!name) continue;
    require(name->size > 0 && name->size <= SqlName::kPartsMax);
    for (std::size_t i = 0; i < name->size; ++i)
      require(!name->part(i).text().empty());
  }
}

/// One more table in front leaves every name where it was.
void check_within(const std::string& sql, const SqlStatement& statement, SqlDialect dialect) {
  const std::string outer = "SELECT * FROM zz_outer, (" + sql + "\n) zz_inner";
  const auto whole = read_sql(outer, dialect);
  if (!whole) {
    require(whole.error() == SqlRefusal::too_large);
    return;
  }
  require(whole->used.size() == statement.used.size() + 1);
  require(whole->used[0].text() == "zz_outer" && whole->used[0].use == SqlUse::table);
  for (std::size_t i = 0; i < statement.used.size(); ++i) {
    require(whole->used[i + 1].text() == statement.used[i].text());
    require(whole->used[i + 1].use == statement.used[i].use);
  }
}

void check_read(const std::string& sql, const SqlStatement& statement, SqlRules rules) {
  require(!read_sql(sql + "\n;" + sql, rules.dialect));
  require(!read_sql(sql + "\n;DROP TABLE a", rules.dialect));
  check_names(sql, statement, rules.dialect);
  // What may end in a semicolon cannot stand within another statement.
  const bool may_end = sql.contains(';');
  if (statement.kind == SqlClass::select && !may_end) check_within(sql, statement, rules.dialect);
  const std::string commented = sql + "\n/* a */";
  if (commented.size() > limits::sql_bytes_max) return;
  require(judge(commented, rules) == judge(sql, rules));
  rules.allow_comments = false;
  require(judge(commented, rules) == SqlRefusal::comment);
  rules.tables.clear();
  const bool reads = std::ranges::any_of(
      statement.used, [](const SqlUsed& used) { return used.use != SqlUse::function; });
  if (reads) require(judge(sql, rules).has_value());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const SqlRules rules = everything(dialect_of(input.front()));
  const std::string sql(input.substr(1));
  const auto statement = read_sql(sql, rules.dialect);
  if (statement) {
    check_read(sql, *statement, rules);
  } else {
    require(judge(sql, rules) == statement.error());
  }
  SqlNamePattern::read(sql);
  return 0;
}
