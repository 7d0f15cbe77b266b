#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/config.h"

namespace bartizan {

/// One of two configurations.
enum class DiffSide : std::uint8_t { newer, older };

/// What one of two configurations lets callers and servers do beside what decides about one call.
struct SettingChange {
  /// Gained is also what is not surely stricter than it was.
  enum class Kind : std::uint8_t { gained, lost } kind = Kind::gained;
  std::string what = {};  ///< `limit user`, `flow …`, `server files`, `key laptop`, `policy`.
  std::string how = {};   ///< `is gone`, `may ask clients for sampling`.
  /// The entry, as `file:line:column`. Empty where it has no line.
  std::string where = {};
  DiffSide where_in =
      DiffSide::newer;  ///< In which text that stands: in the older, of what is gone.
};

/// What differs between two configurations of `[policy]`, who may speak (keys by their names, never
/// by what they hash), limits, flows, what servers may ask of clients, and what profiles say beside
/// predicates; by kind of setting, then by name.
std::vector<SettingChange> diff_settings(const Config& older, const Config& newer);

}  // namespace bartizan
