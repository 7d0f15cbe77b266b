#include <algorithm>
#include <string_view>
#include <utility>
#include <variant>

#include "config/problems.h"
#include "policy/check/compile_policy.h"
#include "policy/review/unused_form.h"
#include "policy/sql/check_sql.h"
#include "schemas/base/ascii.h"

namespace bartizan {
namespace {

using Severity = ConfigProblem::Severity;

/// `**`, `*`, `*.*`
bool is_every_name(std::string_view pattern) {
  return pattern.find_first_not_of("*.") == std::string_view::npos &&
         SqlNamePattern::read(pattern).has_value();
}

bool has_capital(std::string_view text) {
  return std::ranges::any_of(text, [](char c) { return lower_case(c) != c; });
}

class SqlReview {
 public:
  explicit SqlReview(const Config& config) : config_(config) {}

  std::vector<ConfigProblem> run() && {
    for (const auto& [name, sql] : config_.sqls)
      review(sql.form);
    for (const ArgumentPredicate* argument : predicates_of(config_))
      review(*argument);
    warn_of_unused<SqlPredicate>(config_, "sql", config_.sqls, problems_);
    return std::move(problems_);
  }

 private:
  void report(Severity severity, const Position& where, std::string message,
              std::string hint = {}) {
    problems_.push_back({severity, text(config_, where), std::move(message), std::move(hint)});
  }

  /// A named form is reviewed at its own place.
  void review(const ArgumentPredicate& argument) {
    const auto* sql = std::get_if<SqlPredicate>(&argument.predicate);
    if (sql == nullptr) return;
    if (sql->name.empty()) return review(sql->form);
    if (config_.sqls.contains(sql->name)) return;
    report(Severity::error, argument.where, "no [sql." + sql->name + "] is defined");
  }

  void review(const SqlForm& form) {
    review_patterns(form.tables, form.tables_where);
    review_denied(form.deny_tables, form.deny_tables_where);
    review_denied(form.deny_functions, form.deny_functions_where);
    if (form.dialect == SqlDialect::postgres) review_case(form);
    if (form.dialect == SqlDialect::sqlite) review_modules(form);
    if (!form.functions) return;
    review_patterns(*form.functions, form.functions_where);
    if (std::ranges::none_of(*form.functions, is_every_name)) return;
    report(Severity::warning, form.functions_where,
           "every function passes that is not known to do more than compute",
           "name the functions: what a database adds to those may write or read files");
  }

  void review_patterns(const std::vector<std::string>& patterns, const Position& where) {
    for (const std::string& pattern : patterns) {
      if (SqlNamePattern::read(pattern)) continue;
      report(Severity::error, where, quote(pattern) + " is not a pattern of names",
             "write a name without quotes, \"users\" or \"public.users\", with * for any run of "
             "characters in one part of it, or \"**\" alone for every name");
    }
  }

  /// The schema in which a database looks for a name is not known here.
  void review_denied(const std::vector<std::string>& patterns, const Position& where) {
    review_patterns(patterns, where);
    for (const std::string& pattern : patterns) {
      if (!pattern.ends_with(".*")) continue;
      report(Severity::warning, where,
             quote(pattern) + " denies every name without a schema too: it may be one of those",
             "in place of it, let \"tables\" name the schemas that may be read");
    }
  }

  void review_case(const SqlForm& form) {
    for (const std::string& table : form.tables) {
      if (!has_capital(table)) continue;
      report(Severity::warning, form.tables_where,
             quote(table) + " passes in double quotes only: PostgreSQL lowers other names",
             "write it in lower case if its capitals mean nothing");
    }
  }

  /// The modules that a program loads into its SQLite are not known here.
  void review_modules(const SqlForm& form) {
    if (std::ranges::none_of(form.tables, is_every_name)) return;
    report(Severity::warning, form.tables_where,
           "every table passes that is not known to be a module of SQLite",
           "name the tables: a module that reads files or fetches URLs looks like a table");
  }

  const Config& config_;
  std::vector<ConfigProblem> problems_;
};

}  // namespace

std::vector<ConfigProblem> find_sql_problems(const Config& config) {
  return SqlReview(config).run();
}

}  // namespace bartizan
