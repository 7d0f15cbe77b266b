#include "config/load/load_sql.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/check_name.h"
#include "config/load/load_parts.h"

namespace bartizan {
namespace {

constexpr std::array<std::pair<std::string_view, SqlDialect>, 4> kDialects{
    {{"ansi", SqlDialect::ansi},
     {"mysql", SqlDialect::mysql},
     {"postgresql", SqlDialect::postgres},
     {"sqlite", SqlDialect::sqlite}}};

constexpr std::array<std::pair<std::string_view, SqlClass>, 3> kStatements{
    {{"select", SqlClass::select}, {"show", SqlClass::show}, {"explain", SqlClass::explain}}};

constexpr std::array<std::pair<std::string_view, bool>, 2> kComments{
    {{"refuse", false}, {"allow", true}}};

constexpr std::array<std::pair<std::string_view, bool>, 2> kFirstByte{
    {{"any", false}, {"keyword", true}}};

SqlDialect load_dialect(TableReader& table) {
  if (table.has("dialect")) {
    return table.choice<SqlDialect>("dialect", kDialects).value_or(SqlDialect::ansi);
  }
  table.problems().error(table.where(), "a sql needs \"dialect\"",
                         "write \"sqlite\", \"postgresql\", \"mysql\", or \"ansi\" for others");
  return SqlDialect::ansi;
}

std::vector<SqlClass> load_statements(TableReader& table) {
  static constexpr std::string_view kKey = "statements";
  if (!table.has(kKey)) return SqlForm().statements;
  if (table.is_empty_array(kKey)) {
    table.problems().error(table.where(kKey), "\"statements\" is empty",
                           "leave it out for [\"select\"]");
  }
  std::vector<SqlClass> statements;
  for (const Text& text : table.texts(kKey)) {
    const auto found =
        std::ranges::find(kStatements, text.value, [](const auto& s) { return s.first; });
    if (found != kStatements.end()) {
      statements.push_back(found->second);
      continue;
    }
    table.problems().error(text.where, fmt::format("no {} statement can pass", quote(text.value)),
                           "write \"select\", \"show\" or \"explain\": what writes is never let "
                           "through by its text");
  }
  return statements;
}

std::vector<std::string> load_tables(TableReader& table) {
  static constexpr std::string_view kKey = "tables";
  static constexpr std::string_view kHint = "write [\"**\"] for every table";
  if (!table.has(kKey)) {
    table.problems().error(table.where(), "a sql needs \"tables\"", std::string(kHint));
  }
  if (table.is_empty_array(kKey)) {
    table.problems().error(table.where(kKey), "\"tables\" is empty", std::string(kHint));
  }
  return values(table.texts(kKey));
}

}  // namespace

SqlForm load_sql_form(TableReader& table) {
  SqlForm form{.dialect = load_dialect(table),
               .statements = load_statements(table),
               .tables = load_tables(table),
               .deny_tables = values(table.texts("deny_tables")),
               .deny_functions = values(table.texts("deny_functions")),
               .tables_where = table.where("tables"),
               .deny_tables_where = table.where("deny_tables"),
               .functions_where = table.where("functions"),
               .deny_functions_where = table.where("deny_functions")};
  if (table.has("functions")) form.functions = values(table.texts("functions"));
  form.allow_comments = table.choice<bool>("comments", kComments).value_or(form.allow_comments);
  form.begins_with_letter =
      table.choice<bool>("first_byte", kFirstByte).value_or(form.begins_with_letter);
  table.finish();
  return form;
}

std::map<std::string, SqlConfig, std::less<>> load_sqls(TableReader& root) {
  std::map<std::string, SqlConfig, std::less<>> sqls;
  for (auto& [name, table] : root.named_tables("sql")) {
    check_name(name, "sql", root.problems());
    sqls.emplace(name.value,
                 SqlConfig{.name = name.value, .form = load_sql_form(table), .where = name.where});
  }
  return sqls;
}

}  // namespace bartizan
