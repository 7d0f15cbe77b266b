#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"
#include "policy/predicate/conditions.h"
#include "policy/verdict/decision.h"
#include "policy/verdict/principal.h"
#include "schemas/message/method.h"

namespace bartizan {

/// The known names of each server, against which rules are expanded.
struct KnownNames {
  std::map<std::string, std::vector<std::string>, std::less<>> tools;
  std::map<std::string, std::vector<std::string>, std::less<>> prompts;
};

/// All rules, expanded against roles × known names. A decision takes one hash probe for the name
/// and one for each subject of the caller, however many rules there are. Unknown names are matched
/// against the patterns with a wildcard.
///
/// Forbid beats require_approval, which beats permit. A call without a matching permit is denied.
/// The order of rules never matters. If several rules give the same answer, the first by name is
/// reported. If any refusing rule hides, the refusal is hidden. Observed rules are returned
/// separately, and have no effect.
///
/// A rule with conditions matches if its `when` is true and its `unless` false. If either is
/// undecidable, a refusing rule matches and a permit does not.
///
/// Patterns are globs over `server/name`. A resource is `server/URI`, cut at every `/` of the URI.
/// `files/file:///srv/data/**` has the segments `files`, `file:`, two empty ones, `srv`, `data` and
/// `**`. It matches every URI below `file:///srv/data/`, that URI included, but not
/// `file:///srv/data`. A URI with two readings (`normal_resource_uri`) matches no permit, and
/// matches every forbid about resources of that server. Without such a forbid, it is denied as
/// path_malformed. A method is matched by its own name: `tasks/*`.
///
/// Cost:    one probe for a known name. An unknown name takes a look at the patterns with its
///          beginning and end (`GlobIndex`), and so does each name while the table is built.
///          Conditions are evaluated only if their rule could change the answer.
/// Threads: immutable once built.
class AccessTable {
 public:
  AccessTable() = default;
  AccessTable(const Config& config, const KnownNames& names);

  struct Answer {
    Decision decision;               ///< permit, or deny with no_matching_rule and similar reasons.
    std::vector<Decision> observed;  ///< The refusals of observed rules.
    std::size_t comparisons = 0;     ///< Patterns that were tried: none for a known name.
    /// The reason that the caller sees for a hidden refusal, if it is not that of an unknown name:
    /// the reason without the refusing rules.
    std::optional<Reason> hidden_as = {};
  };
  /// `target` of kind none is a method; `server` is then ignored. `cell` is the result of
  /// `find_cell`, if known.
  Answer decide(const Principal& principal, TargetKind kind, std::string_view server,
                std::string_view target, const EvalContext& of,
                std::optional<std::uint32_t> cell = std::nullopt) const;
  /// The cell of `server/name` of a tool or a prompt; nothing for an unknown name.
  std::optional<std::uint32_t> find_cell(TargetKind kind, std::string_view name) const;
  /// Whether any rule could grant this principal anything of that server. If false, the server need
  /// not be asked for its lists.
  bool concerns(const Principal& principal, std::string_view server, std::int64_t now) const;

  /// Whether any rule is under observation.
  bool has_observed_rules() const;
  /// Whether a condition of any rule asks about the disk or DNS.
  bool asks_outside() const;
  /// Whether a condition of any rule asks for the class of a tool, or of a chain.
  bool asks_class() const;

 private:
  struct Compiled;
  std::shared_ptr<const Compiled> compiled_;
};

}  // namespace bartizan
