#include <iostream>
#include <string>

#include "policy/sql/check_sql.h"

/// What SQLite's dialect is read as, for `sql_oracle.py`: of each statement on standard input,
/// ended by NUL, a line with `refused` or with a letter and a name for each name that it uses,
/// lower case and without its schema: `t` a table, `r` a definition that reads itself, `f` a
/// function.

namespace {

using namespace bartizan;

char letter(SqlUse use) {
  if (use == SqlUse::function) return 'f';
  return use == SqlUse::table ? 't' : 'r';
}

std::string line_for(const std::string& sql) {
  const auto statement = read_sql(sql, SqlDialect::sqlite);
  if (!statement) return "refused";
  std::string line = "read";
  for (const SqlUsed& used : statement->used) {
    const auto name = read_sql_name(used.text(), SqlDialect::sqlite);
    line += std::string(" ") + letter(used.use) + ":";
    line += name ? name->last().lower() : "?";
  }
  return line;
}

}  // namespace

int main() {
  std::ios::sync_with_stdio(false);
  for (std::string sql; std::getline(std::cin, sql, '\0');)
    std::cout << line_for(sql) << '\n';
  return std::cout.flush() ? 0 : 1;
}
