#pragma once

#include <cstdint>

#include "policy/verdict/principal.h"

namespace bartizan {

/// That somebody approved exactly this call: its caller, its tool and its arguments. Whoever
/// gathers facts answers for that; rules ask who it was, and when.
///
/// Lifetime: views the policy that the call is judged under.
struct Approval {
  const Principal* approver = nullptr;
  std::int64_t at = 0;  ///< Seconds since 1970 UTC.
};

}  // namespace bartizan
