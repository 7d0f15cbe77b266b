#include "gateway/record_meaning.h"

#include <optional>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "policy/reason.h"

namespace bartizan {
namespace {

std::optional<Reason> find_reason(std::string_view code) {
  for (int i = 0; i <= static_cast<int>(kLastReason); ++i) {
    if (text(static_cast<Reason>(i)) == code) return static_cast<Reason>(i);
  }
  return std::nullopt;
}

/// The selector whose rules judge a method, and the pattern that would name this call.
std::string selector(const Record& record) {
  const std::string_view key = record.method.starts_with("tools/")       ? "tools"
                               : record.method.starts_with("prompts/")   ? "prompts"
                               : record.method.starts_with("resources/") ? "resources"
                                                                         : "methods";
  if (key == "methods" || record.target.empty()) {
    return fmt::format("methods = [\"{}\"]", record.method);
  }
  return fmt::format("{} = [\"{}/{}\"]", key, record.server, record.target);
}

std::string of_rules(const Record& record) {
  const std::string who = record.roles.empty()
                              ? fmt::format("the principal {}", record.principal)
                              : fmt::format("roles {}", fmt::join(record.roles, ", "));
  return fmt::format("no rule permits this to {}; one with {} would", who, selector(record));
}

std::string of_predicates(const Record& record) {
  return fmt::format(
      "no predicate names the {}; add its pointer to [tool.\"{}/{}\".arguments], or set [policy] "
      "unguarded_arguments = \"allow\"",
      record.detail.empty() ? std::string_view("argument") : record.detail, record.server,
      record.target);
}

}  // namespace

std::string meaning_of(const Record& record) {
  const std::optional<Reason> reason = find_reason(record.reason);
  if (record.reason.empty() || !reason.has_value()) return {};
  switch (*reason) {
    case Reason::no_matching_rule:
      return of_rules(record);
    case Reason::argument_unguarded:
      return of_predicates(record);
    case Reason::forbidden:
      return fmt::format("rule {} forbids it, and a forbid beats every permit", record.rule);
    case Reason::limited:
      if (record.rule.empty()) return "the caller was refused so often that it is not judged now";
      return fmt::format("the limit {} was used up; [limit.{}] sets it", record.rule, record.rule);
    case Reason::permission_missing:
      return "none of the caller's roles has a permission that [tool.…] asks for";
    case Reason::path_outside_root:
      return fmt::format("the {} leads outside the root of its [path.…]",
                         record.detail.empty() ? std::string_view("path") : record.detail);
    default:
      break;
  }
  std::string sentence(explanation(*reason));
  if (sentence.ends_with('.')) sentence.pop_back();
  return sentence;
}

}  // namespace bartizan
