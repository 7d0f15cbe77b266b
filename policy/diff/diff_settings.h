#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/config.h"

namespace bartizan {

/// One of two configurations.
enum class DiffSide : std::uint8_t { newer, older };

/// A difference in what two configurations let callers and servers do, beside decisions about one
/// call.
struct SettingChange {
  /// A setting counts as gained, too, if it is not surely stricter than before.
  enum class Kind : std::uint8_t { gained, lost } kind = Kind::gained;
  std::string what = {};  ///< `limit user`, `flow …`, `server files`, `key laptop`, `policy`.
  std::string how = {};   ///< `is gone`, `may ask clients for sampling`.
  /// The entry, as `file:line:column`. Empty if it has no line.
  std::string where = {};
  DiffSide where_in =
      DiffSide::newer;  ///< The text that `where` is in: the older one for an entry that is gone.
};

/// The differences between two configurations beside predicates: `[policy]`, who may call, limits,
/// flows, what servers may request from clients, and other settings of profiles. Keys appear by
/// their names, never by their hashes. Sorted by kind of setting, then by name.
std::vector<SettingChange> diff_settings(const Config& older, const Config& newer);

}  // namespace bartizan
