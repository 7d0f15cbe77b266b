#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"
#include "policy/decision.h"
#include "policy/principal.h"
#include "schemas/method.h"

namespace bartizan {

/// The names that servers are known to have, by server: what rules are expanded against.
struct KnownNames {
  std::map<std::string, std::vector<std::string>, std::less<>> tools;
  std::map<std::string, std::vector<std::string>, std::less<>> prompts;
};

/// All rules, expanded against roles × known names, so that a decision is one hash probe however
/// many rules there are. Names that are not known are matched against the patterns themselves.
///
/// Forbid beats require_approval beats permit; no matching permit is a denial; the order of rules
/// never matters. Observed rules are returned beside, and count as absent.
/// Cost:    one probe for a known name, a pass over the glob rules for an unknown one.
/// Threads: immutable once built.
class AccessTable {
 public:
  AccessTable() = default;
  AccessTable(const Config& config, const KnownNames& names);

  struct Answer {
    Decision decision;                ///< permit, or deny with no_matching_rule and the like.
    std::vector<Decision> observed;   ///< What observed rules would have refused.
  };
  /// `target` of kind none is a method; `server` is then ignored.
  Answer decide(const Principal& principal, TargetKind kind, std::string_view server,
                std::string_view target) const;

 private:
  struct Cell;
  struct Compiled;
  std::shared_ptr<const Compiled> compiled_;
};

}  // namespace bartizan
