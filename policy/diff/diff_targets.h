#pragma once

#include <compare>
#include <set>
#include <string>
#include <string_view>

#include "config/config.h"
#include "schemas/message/method.h"

namespace bartizan {

/// A target of calls, about which two policies are asked.
struct DiffTarget {
  TargetKind kind = TargetKind::none;
  std::string server = {};
  std::string name = {};   ///< Of a tool or prompt; or a URI, or a method.
  std::string label = {};  ///< As it was written: a pattern stands for targets that no entry names.
  auto operator<=>(const DiffTarget&) const = default;
};

/// All targets that the lock file, rules and profiles of either configuration name.
std::set<DiffTarget> find_diff_targets(const Config& older, const Config& newer);

/// The method that calls, gets or reads such a target.
std::string_view method_of(TargetKind kind);

}  // namespace bartizan
