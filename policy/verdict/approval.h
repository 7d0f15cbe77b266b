#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace bartizan {

/// An approval of exactly this call: its caller, its tool and its arguments. The code that gathers
/// facts guarantees that. Rules check the approver and the time.
///
/// Lifetime: views what it was made from.
struct Approval {
  std::string_view approver;           ///< Id of a principal.
  std::span<const std::string> roles;  ///< The approver's present roles, sorted.
  std::int64_t at = 0;                 ///< Seconds since 1970 UTC.
  /// The rule or the flow that it is for. Empty: it is valid for each.
  std::string_view rule = {};
};

}  // namespace bartizan
