#include "policy/sql/check_sql.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "policy/sql/sql_functions.h"
#include "schemas/base/ascii.h"

namespace bartizan {
namespace {

using Patterns = std::vector<SqlNamePattern>;

bool is_ascii(const SqlName& name) {
  for (std::size_t i = 0; i < name.size; ++i) {
    const auto is_other = [](char c) { return static_cast<unsigned char>(c) >= 0x80; };
    if (std::ranges::any_of(name.part(i).text(), is_other)) return false;
  }
  return true;
}

/// Patterns compare parts with a slash between them.
bool has_slash(const SqlName& name) {
  for (std::size_t i = 0; i < name.size; ++i) {
    if (name.part(i).text().contains('/')) return true;
  }
  return false;
}

/// A name of a statement, and its comparison with patterns.
struct Asked {
  const SqlName& name;
  SqlNameKind kind;
  SqlDialect dialect;

  bool is_allowed(const Patterns& patterns) const {
    return std::ranges::any_of(
        patterns, [&](const SqlNamePattern& p) { return p.allows(name, kind, dialect); });
  }
  bool is_named(const Patterns& patterns) const {
    return std::ranges::any_of(patterns, [&](const SqlNamePattern& p) {
      return p.is_literal() && p.allows(name, kind, dialect);
    });
  }
  /// A name outside of ASCII must be literally in `allowed`, as it cannot be compared reliably.
  bool may_be_denied(const Patterns& denied, const Patterns& allowed) const {
    if (denied.empty()) return false;
    if (!is_ascii(name) && !is_named(allowed)) return true;
    return std::ranges::any_of(denied, [&](const SqlNamePattern& p) { return p.may_mean(name); });
  }
};

bool is_table_allowed(const SqlName& name, const SqlRules& rules) {
  const Asked asked{name, SqlNameKind::table, rules.dialect};
  if (asked.may_be_denied(rules.deny_tables, rules.tables)) return false;
  return asked.is_named(rules.tables) ||
         (asked.is_allowed(rules.tables) && !is_risky_table(name, rules.dialect));
}

bool is_recursion_allowed(const SqlName& name, const SqlRules& rules) {
  const Asked asked{name, SqlNameKind::table, rules.dialect};
  return asked.is_named(rules.tables);
}

bool is_function_allowed(const SqlName& name, const SqlRules& rules) {
  static const Patterns kNone;
  const Asked asked{name, SqlNameKind::function, rules.dialect};
  const Patterns& allowed = rules.functions ? *rules.functions : kNone;
  if (asked.may_be_denied(rules.deny_functions, allowed)) return false;
  if (!rules.functions) return is_plain_function(name);
  return asked.is_named(allowed) ||
         (asked.is_allowed(allowed) && !is_risky_function(name, rules.dialect));
}

std::optional<SqlRefusal> judge_name(const SqlUsed& used, const SqlRules& rules) {
  const bool is_call = used.use == SqlUse::function;
  const SqlRefusal refusal = is_call ? SqlRefusal::function : SqlRefusal::table;
  const auto name = read_sql_name(used.text(), rules.dialect);
  if (!name || has_slash(*name)) return refusal;
  if (used.use == SqlUse::recursive_table && !is_recursion_allowed(*name, rules)) {
    return SqlRefusal::recursive;
  }
  const bool is_allowed =
      is_call ? is_function_allowed(*name, rules) : is_table_allowed(*name, rules);
  if (!is_allowed) return refusal;
  return std::nullopt;
}

/// The most patterns with which one name is compared.
std::size_t pattern_count(const SqlRules& rules) {
  const std::size_t functions = rules.functions ? rules.functions->size() : 0;
  return std::max(rules.tables.size() + rules.deny_tables.size(),
                  functions + rules.deny_functions.size());
}

Patterns allowing(const std::vector<std::string>& texts) {
  Patterns patterns;
  for (const std::string& text : texts) {
    if (auto pattern = SqlNamePattern::read(text)) patterns.push_back(*std::move(pattern));
  }
  return patterns;
}

Patterns denying(const std::vector<std::string>& texts) {
  Patterns patterns = allowing(texts);
  if (patterns.size() < texts.size()) patterns.push_back(SqlNamePattern::every());
  return patterns;
}

}  // namespace

std::optional<SqlRefusal> judge_sql(std::string_view text, const SqlRules& rules,
                                    StepBudget& steps) {
  const bool begins_plainly = !text.empty() && is_letter(text.front());
  if (rules.begins_with_letter && !begins_plainly) return SqlRefusal::first_byte;
  const auto statement = read_sql(text, rules.dialect);
  if (!statement) return statement.error();
  if (std::ranges::find(rules.statements, statement->kind) == rules.statements.end()) {
    return SqlRefusal::statement;
  }
  if (statement->has_comment && !rules.allow_comments) return SqlRefusal::comment;
  const std::size_t patterns = pattern_count(rules);
  for (const SqlUsed& used : statement->used) {
    if (!steps.take(1 + patterns)) return SqlRefusal::too_costly;
    if (const auto refusal = judge_name(used, rules)) return refusal;
  }
  return std::nullopt;
}

SqlRules compile_sql_rules(const SqlForm& form) {
  SqlRules rules{.dialect = form.dialect,
                 .statements = form.statements,
                 .tables = allowing(form.tables),
                 .deny_tables = denying(form.deny_tables),
                 .deny_functions = denying(form.deny_functions),
                 .allow_comments = form.allow_comments,
                 .begins_with_letter = form.begins_with_letter};
  if (form.functions) rules.functions = allowing(*form.functions);
  return rules;
}

std::string_view text(SqlRefusal refusal) {
  constexpr auto kCodes = std::to_array<std::string_view>(
      {"sql_malformed", "sql_too_large", "sql_first_byte", "sql_several", "sql_statement",
       "sql_comment", "sql_table", "sql_function", "sql_recursive", "sql_too_costly"});
  return kCodes[static_cast<std::size_t>(refusal)];
}

}  // namespace bartizan
