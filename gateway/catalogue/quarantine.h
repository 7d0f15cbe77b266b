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

/// The entry's name, or `(unnamed)` if it is not a valid tool name. An invalid name is never shown.
std::string shown_name(const ListedEntry& entry);

/// Why a listed tool is hidden from everybody and its calls are refused, under those profiles;
/// empty if the tool can be used. For an entry in which a detector found something, the caller
/// leaves out `where`. A pointer in `what` is the server's, within the bounds of a schema.
///
/// Cost: that of `difference`, if another definition is pinned.
PinFlaw quarantine_reason(const ToolProfiles& profiles, std::string_view server,
                          const ListedEntry& entry, const TellDifference& difference);

/// Whether there is a reason for a quarantine. Cost: almost none; finding the reason itself may
/// need to read definitions.
bool is_quarantined(const ToolProfiles& profiles, std::string_view server,
                    const ListedEntry& entry);

/// The fingerprint that a release of a listed tool would name. Empty if a release would not help:
/// the definition cannot be used, or it is refused for something that no fingerprint covers.
std::string releasable_fingerprint(const ToolProfiles& profiles, std::string_view server,
                                   const ListedEntry& entry);

/// One quarantined definition.
struct QuarantinedTool {
  std::string name;
  std::string fingerprint = {};  ///< As `releasable_fingerprint` returns it.
  auto operator<=>(const QuarantinedTool&) const = default;
};

/// The quarantined tools of one server.
struct Quarantine {
  /// The most tools shown: a server may list any number.
  static constexpr std::size_t shown_max = limits::quarantined_told_max;

  std::size_t count = 0;  ///< The number in the longest quarantine of one list.
  /// The reasons by name and definition; the first ones only.
  std::map<QuarantinedTool, std::string> tools = {};

  /// Whether that definition would be shown.
  bool has_room_for(const QuarantinedTool& tool) const;
  void take(QuarantinedTool tool, std::string why);
  /// Adds the quarantine of another list of the same server.
  void merge(const Quarantine& other);
};

/// The quarantines by server, of known lists.
using Quarantines = std::map<std::string, Quarantine, std::less<>>;

/// Finds the quarantined tools of all known lists. Cost: one visit to each tool, and `difference`
/// for the few that are shown.
Quarantines find_quarantines(const Catalogue& catalogue, const ToolProfiles& profiles,
                             const TellDifference& difference);

/// The last quarantines that one worker found, for frequent readers. It searches again only after a
/// list or the policy has changed.
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
