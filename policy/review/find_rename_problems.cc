#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/problems.h"
#include "policy/check/compile_policy.h"
#include "policy/check/renamed_arguments.h"
#include "policy/text/match.h"
#include "schemas/base/contains.h"
#include "schemas/schema/json_schema.h"
#include "schemas/schema/metaschemas.h"

namespace bartizan {
namespace {

using Severity = ConfigProblem::Severity;

/// Finds settings about arguments under names that no server receives: they would have no effect.
class RenameReview {
 public:
  explicit RenameReview(const Config& config) : config_(config) {}

  std::vector<ConfigProblem> run() && {
    for (const ToolProfile& profile : config_.tools) {
      if (!profile.renames.empty()) review(profile);
    }
    return std::move(problems_);
  }

 private:
  /// Reviews a profile of one tool: only such a profile can rename.
  void review(const ToolProfile& profile) {
    const RenamedArguments names(profile.renames);
    review_names(profile, names);
    for (const ToolProfile& other : config_.tools) {
      if (!Glob(other.pattern).matches(profile.pattern)) continue;
      for (const ArgumentPredicate& argument : other.arguments)
        look_up(profile, names, argument.pointer, argument.where,
                "the profile " + quote(other.pattern));
      review_schema(profile, names, other);
    }
    for (const auto& [name, rule] : config_.rules) {
      if (rule.target != RuleTarget::tools || !matches_any(rule.patterns, profile)) continue;
      for (const RuleConditions* conditions : {&rule.when, &rule.unless}) {
        for (const ArgumentPredicate& argument : conditions->arguments)
          look_up(profile, names, argument.pointer, argument.where, "rule " + quote(name));
      }
    }
    for (const auto& [name, rule] : config_.redactions)
      review(profile, names, rule);
  }

  /// A parent may have either of its names. The loader does not know that they are the same place.
  void review_names(const ToolProfile& profile, const RenamedArguments& names) {
    std::set<std::string_view> all(names.gone().begin(), names.gone().end());
    all.insert(names.sent().begin(), names.sent().end());
    if (all.size() == 2 * profile.renames.size()) return;
    report(Severity::error, profile.renames.front().where,
           "two renames of " + quote(profile.pattern) + " name one argument");
  }

  void review_schema(const ToolProfile& profile, const RenamedArguments& names,
                     const ToolProfile& other) {
    if (other.schema.empty()) return;
    const auto schema = JsonSchema::compile(other.schema, metaschemas());
    if (!schema.has_value()) return;  // An error already.
    for (const std::string& pointer : schema->named_pointers())
      look_up(profile, names, pointer, other.schema_where, "the schema of " + quote(other.pattern));
  }

  void review(const ToolProfile& profile, const RenamedArguments& names,
              const RedactionConfig& rule) {
    if (!contains(rule.in, Carrier::arguments)) return;
    // In other messages, the pointer may mean something else.
    const auto severity = rule.in.size() == 1 ? Severity::error : Severity::warning;
    if (rule.tools.empty() || matches_any(rule.tools, profile)) {
      for (const std::string& pointer : rule.pointers)
        look_up(profile, names, pointer, rule.where, "the redaction " + quote(rule.name), severity);
    }
    for (const auto& [name, keep] : rule.keep) {
      if (!keep.tools.empty() && !matches_any(keep.tools, profile)) continue;
      for (const std::string& pointer : keep.pointers)
        look_up(profile, names, pointer, keep.where, "the exception " + quote(name), severity);
    }
  }

  static bool matches_any(const std::vector<std::string>& patterns, const ToolProfile& profile) {
    return std::ranges::any_of(patterns, [&](const std::string& pattern) {
      return Glob(pattern).matches(profile.pattern);
    });
  }

  /// Reports `who` if it names an argument that calls of that tool never have.
  void look_up(const ToolProfile& profile, const RenamedArguments& names, std::string_view pointer,
               const Position& where, const std::string& who, Severity severity = Severity::error) {
    for (std::size_t i = 0; i < names.gone().size(); ++i) {
      const std::string& gone = names.gone()[i];
      const bool is_gone =
          pointer == gone || (pointer.starts_with(gone) && pointer[gone.size()] == '/');
      if (!is_gone) continue;
      return report(severity, where,
                    who + " names " + quote(pointer) + ", which no call of " +
                        quote(profile.pattern) + " is judged by: it is renamed to " +
                        quote(names.sent()[i]),
                    "write the name that the server reads, or leave that tool out");
    }
  }

  void report(Severity severity, const Position& where, std::string message,
              std::string hint = {}) {
    problems_.push_back({severity, text(config_, where), std::move(message), std::move(hint)});
  }

  const Config& config_;
  std::vector<ConfigProblem> problems_;
};

}  // namespace

std::vector<ConfigProblem> find_rename_problems(const Config& config) {
  return RenameReview(config).run();
}

}  // namespace bartizan
