#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/load/call_json.h"
#include "config/problems.h"
#include "policy/check/compile_policy.h"
#include "policy/review/example_call.h"
#include "policy/text/match.h"

namespace bartizan {
namespace {

/// By server, sorted, so that names with the same beginning are neighbours.
using Names = std::map<std::string_view, std::set<std::string_view>, std::less<>>;

/// For up to this many unknown patterns the nearest name is searched, which takes a look at each
/// name.
constexpr std::size_t kHintsMax = 200;

Names in_order(const std::map<std::string, std::vector<std::string>, std::less<>>& names) {
  Names all;
  for (const auto& [server, of_server] : names)
    all[server].insert(of_server.begin(), of_server.end());
  return all;
}

/// Looks up the patterns of one configuration among the known names.
class Search {
 public:
  Search(const Config& config, const KnownNames& names)
      : config_(config), tools_(in_order(names.tools)), prompts_(in_order(names.prompts)) {}

  std::vector<ConfigProblem> run() && {
    for (const auto& [name, rule] : config_.rules) {
      const std::string who = "rule " + quote(name);
      for (const std::string& pattern : rule.patterns) {
        const auto example = [&] { return witness(rule, pattern); };
        if (rule.target == RuleTarget::tools)
          look_up(pattern, "tool", tools_, who, rule.where, example);
        if (rule.target == RuleTarget::prompts) {
          look_up(pattern, "prompt", prompts_, who, rule.where, example);
        }
      }
    }
    for (const ToolProfile& profile : config_.tools) {
      look_up(profile.pattern, "tool", tools_,
              "profile " + quote(profile.pattern) + " guards nothing", profile.where,
              [&] { return witness_of(config_, profile.pattern); });
    }
    for (const auto& [name, limit] : config_.limits) {
      for (const auto* patterns : {&limit.tools, &limit.except_tools})
        look_up(*patterns, "limit " + quote(name), limit.where);
    }
    for (const auto& [name, rule] : config_.redactions) {
      look_up(rule.tools, "redaction " + quote(name), rule.where);
      for (const auto& [keep_name, keep] : rule.keep)
        look_up(keep.tools, "exception " + quote(keep_name), keep.where);
    }
    for (const auto& [name, rule] : config_.sanitisings)
      look_up(rule.tools, "sanitising " + quote(name), rule.where);
    return std::move(problems_);
  }

 private:
  void look_up(const std::vector<std::string>& tools, const std::string& who,
               const Position& where) {
    for (const std::string& pattern : tools)
      look_up(pattern, "tool", tools_, who, where, [&] { return witness_of(config_, pattern); });
  }

  /// `example` makes the call that shows the problem.
  void look_up(const std::string& pattern, std::string_view what, const Names& names,
               const std::string& who, const Position& where, const auto& example) {
    const std::size_t slash = pattern.find('/');
    if (slash == std::string::npos) return;  // All of all servers, or reported by its own problem.
    const std::string own = pattern.substr(slash + 1);
    if (own.find_first_not_of('*') == std::string::npos) return;
    const Glob glob(pattern);
    if (!glob.is_well_formed()) return;  // An error already.
    const Glob server(pattern.substr(0, slash));
    const std::string_view beginning = std::string_view(own).substr(0, own.find('*'));
    std::vector<std::string_view> known;
    for (const auto& [name, entry] : config_.servers) {
      if (!server.matches(name)) continue;
      const auto found = names.find(name);
      if (found == names.end() || found->second.empty()) return;
      for (auto one = found->second.lower_bound(beginning);
           one != found->second.end() && one->starts_with(beginning); ++one) {
        if (glob.matches(name + "/" + std::string(*one))) return;
      }
      known.insert(known.end(), found->second.begin(), found->second.end());
    }
    if (known.empty()) return;  // No such server, which is another error.
    const std::string verb = glob.is_literal() ? " is not a " : " matches no ";
    problems_.push_back(
        {.severity = ConfigProblem::Severity::warning,
         .where = text(config_, where),
         .message =
             who + ": " + quote(pattern) + verb + std::string(what) + " of " + server.pattern(),
         .hint = problems_.size() < kHintsMax ? hint_near(own, known) : std::string(),
         .example = call_json(example())});
  }

  DescribedCall witness(RuleConfig rule, const std::string& pattern) const {
    rule.patterns = {pattern};
    return witness_of(config_, rule);
  }

  const Config& config_;
  Names tools_, prompts_;
  std::vector<ConfigProblem> problems_;
};

}  // namespace

std::vector<ConfigProblem> find_unknown_names(const Config& config, const KnownNames& names) {
  return Search(config, names).run();
}

}  // namespace bartizan
