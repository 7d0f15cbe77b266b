#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "gateway/catalogue/catalogue.h"
#include "gateway/catalogue/pin_differences.h"
#include "policy/check/check_pin.h"
#include "policy/check/compile_policy.h"
#include "policy/check/tool_profiles.h"
#include "schemas/base/limits.h"

namespace bartizan {

/// The entry's name, or `(unnamed)` where no tool could be called so: what a server makes up is no
/// name to be shown.
std::string shown_name(const ListedEntry& entry);

/// Why a listed tool is listed to nobody, and calls of it are refused, under those profiles; empty
/// where it can be used. Whoever shows it leaves `where` out of an entry that a detector found
/// something in; a pointer in `what` is the server's, within the bounds of a schema.
///
/// Cost: that of `difference`, where something else is pinned.
PinFlaw quarantine_reason(const ToolProfiles& profiles, std::string_view server,
                          const ListedEntry& entry, const TellDifference& difference);

/// Whether there is a reason. Cost: next to none, where the reason may take reading definitions.
bool is_quarantined(const ToolProfiles& profiles, std::string_view server,
                    const ListedEntry& entry);

/// The definition that a release of a listed tool would name; empty where a release would change
/// nothing, since the definition cannot be used, or would be refused for what no fingerprint
/// covers.
std::string releasable_fingerprint(const ToolProfiles& profiles, std::string_view server,
                                   const ListedEntry& entry);

/// One definition that is quarantined.
struct QuarantinedTool {
  std::string name;
  std::string fingerprint = {};  ///< As `releasable_fingerprint`.
  auto operator<=>(const QuarantinedTool&) const = default;
};

/// The tools of one server that nobody may call.
struct Quarantine {
  /// Of all that a server may list: what is shown has its making in it.
  static constexpr std::size_t shown_max = limits::quarantined_told_max;

  std::size_t count = 0;  ///< In the list that has the most of them.
  /// Why, by name and definition: the first ones.
  std::map<QuarantinedTool, std::string> tools = {};

  /// Whether that definition would be shown.
  bool has_room_for(const QuarantinedTool& tool) const;
  void take(QuarantinedTool tool, std::string why);
  /// What another list of the same server has.
  void merge(const Quarantine& other);
};

/// By server, as far as their lists are known.
using Quarantines = std::map<std::string, Quarantine, std::less<>>;

/// Cost: one visit to each tool, and `difference` of the few that are shown.
Quarantines find_quarantines(const Catalogue& catalogue, const ToolProfiles& profiles,
                             const TellDifference& difference);

/// What one worker found last, for those who look often: it looks again only where a list or the
/// policy is another.
class QuarantineView {
 public:
  const Quarantines& look(const Catalogue& catalogue, const std::shared_ptr<const Policy>& policy);

 private:
  std::uint64_t revision_ = 0;
  std::shared_ptr<const Policy> policy_;
  PinDifferences differences_;
  Quarantines found_;
};

}  // namespace bartizan
