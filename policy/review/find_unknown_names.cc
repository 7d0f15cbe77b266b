#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "config/load/call_json.h"
#include "config/problems.h"
#include "policy/check/compile_policy.h"
#include "policy/review/witness.h"
#include "policy/text/match.h"

namespace bartizan {
namespace {

using Names = std::map<std::string, std::vector<std::string>, std::less<>>;

/// Looks up the patterns of one configuration among the names that are known.
class Search {
 public:
  Search(const Config& config, const KnownNames& names) : config_(config), names_(names) {}

  std::vector<ConfigProblem> run() && {
    for (const auto& [name, rule] : config_.rules) {
      const std::string who = "rule " + quote(name);
      for (const std::string& pattern : rule.patterns) {
        if (rule.target == RuleTarget::tools)
          look_up(pattern, "tool", names_.tools, who, rule.where, witness(rule, pattern));
        if (rule.target == RuleTarget::prompts) {
          look_up(pattern, "prompt", names_.prompts, who, rule.where, witness(rule, pattern));
        }
      }
    }
    for (const ToolProfile& profile : config_.tools) {
      look_up(profile.pattern, "tool", names_.tools,
              "profile " + quote(profile.pattern) + " guards nothing", profile.where,
              witness_of(config_, profile.pattern));
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
      look_up(pattern, "tool", names_.tools, who, where, witness_of(config_, pattern));
  }

  void look_up(const std::string& pattern, std::string_view what, const Names& names,
               const std::string& who, const Position& where, const DescribedCall& example) {
    const std::size_t slash = pattern.find('/');
    if (slash == std::string::npos) return;  // All of all servers, or reported as what it is.
    const std::string own = pattern.substr(slash + 1);
    if (own.find_first_not_of('*') == std::string::npos) return;
    const Glob glob(pattern);
    if (!glob.is_well_formed()) return;  // An error already.
    const Glob server(pattern.substr(0, slash));
    std::vector<std::string_view> known;
    for (const auto& [name, entry] : config_.servers) {
      if (!server.matches(name)) continue;
      const auto found = names.find(name);
      if (found == names.end() || found->second.empty()) return;
      for (const std::string& one : found->second) {
        std::string whole = name;
        whole.append("/").append(one);
        if (glob.matches(whole)) return;
        known.push_back(one);
      }
    }
    if (known.empty()) return;  // No such server, which is an error of its own.
    const std::string verb = glob.is_literal() ? " is no " : " matches no ";
    problems_.push_back({.severity = ConfigProblem::Severity::warning,
                         .where = text(config_, where),
                         .message = who + ": " + quote(pattern) + verb + std::string(what) +
                                    " of " + server.pattern(),
                         .hint = hint_near(own, known),
                         .example = call_json(example)});
  }

  DescribedCall witness(RuleConfig rule, const std::string& pattern) const {
    rule.patterns = {pattern};
    return witness_of(config_, rule);
  }

  const Config& config_;
  const KnownNames& names_;
  std::vector<ConfigProblem> problems_;
};

}  // namespace

std::vector<ConfigProblem> find_unknown_names(const Config& config, const KnownNames& names) {
  return Search(config, names).run();
}

}  // namespace bartizan
