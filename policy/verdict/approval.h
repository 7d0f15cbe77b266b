#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace bartizan {

/// That somebody approved exactly this call: its caller, its tool and its arguments. Whoever
/// gathers facts answers for that; rules ask who it was, and when.
///
/// Lifetime: views what it was made from.
struct Approval {
  std::string_view approver;           ///< Id of a principal.
  std::span<const std::string> roles;  ///< That the approver has now, sorted.
  std::int64_t at = 0;                 ///< Seconds since 1970 UTC.
  /// The rule, or the flow, that it was given to; empty counts for each.
  std::string_view rule = {};
};

}  // namespace bartizan
