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

/// The names that servers are known to have, by server: what rules are expanded against.
struct KnownNames {
  std::map<std::string, std::vector<std::string>, std::less<>> tools;
  std::map<std::string, std::vector<std::string>, std::less<>> prompts;
};

/// All rules, expanded against roles × known names, so that a decision is one hash probe for the
/// name and one for each subject that the caller is, however many rules there are. Names that are
/// not known are matched against the patterns that have a wildcard.
///
/// Forbid beats require_approval beats permit; no matching permit is a denial; the order of rules
/// never matters: where several rules give the same answer, the first by name is named, and where
/// any of those that refuse hides, the refusal is hidden. Observed rules are returned beside, and
/// count as absent.
///
/// A rule with conditions matches when its `when` is true and its `unless` false. Where either is
/// undecidable, one that refuses matches and a permit does not.
///
/// Patterns are globs over `server/name`. A resource is `server/URI`, cut at every `/` of the URI:
/// `files/file:///srv/data/**` has the segments `files`, `file:`, two empty ones, `srv`, `data` and
/// `**`; it matches every URI below `file:///srv/data/`, that URI included, and `file:///srv/data`
/// not. A URI that could be read in two ways (`normal_resource_uri`) matches no permit, and every
/// forbid about resources of that server; it is denied as path_malformed where there is none. A
/// method is matched by its own name: `tasks/*`.
///
/// Cost:    one probe for a known name; for an unknown one a look at the patterns that begin and
/// end
///          as it does (`GlobIndex`), and building the table looks at these for each name.
///          Conditions are judged only where their rule could change the answer.
/// Threads: immutable once built.
class AccessTable {
 public:
  AccessTable() = default;
  AccessTable(const Config& config, const KnownNames& names);

  struct Answer {
    Decision decision;               ///< permit, or deny with no_matching_rule and the like.
    std::vector<Decision> observed;  ///< What observed rules would have refused.
    std::size_t comparisons = 0;     ///< Patterns that were tried: none for a known name.
    /// What a hidden refusal is told as, where it is not as a name that nobody has: what the caller
    /// would be told without the rules that refuse.
    std::optional<Reason> hidden_as = {};
  };
  /// `target` of kind none is a method; `server` is then ignored. `cell` is where the name stands,
  /// if somebody has looked already.
  Answer decide(const Principal& principal, TargetKind kind, std::string_view server,
                std::string_view target, const EvalContext& of,
                std::optional<std::uint32_t> cell = std::nullopt) const;
  /// Where `server/name` of a tool or a prompt stands here; nothing for a name that is not known.
  std::optional<std::uint32_t> find_cell(TargetKind kind, std::string_view name) const;
  /// Whether any rule could grant this principal anything of that server: false means that the
  /// server need not even be asked what it has.
  bool concerns(const Principal& principal, std::string_view server, std::int64_t now) const;

  /// Whether any rule is under observation.
  bool has_observed_rules() const;
  /// Whether a condition of any rule asks what only the world outside can tell.
  bool asks_outside() const;
  /// Whether a condition of any rule asks for the class of a tool, or of a chain.
  bool asks_class() const;

 private:
  struct Compiled;
  std::shared_ptr<const Compiled> compiled_;
};

}  // namespace bartizan
