#pragma once

#include <cstdint>
#include <string_view>

#include "gateway/call/call_frame.h"

namespace bartizan {

/// Counts a call that has ended in the metrics of its worker.
/// Input: how long it took, from the whole message read to the answer ready.
void count_call(const CallFrame& frame, const Ending& ending, std::uint64_t duration_us);

/// The name in records and metrics of a call that took longer than `slow`.
inline constexpr std::string_view kSlowExecution = "slow_execution";

/// Whether a tool call took longer at its server than `slow`.
bool is_slow(const CallFrame& frame, const Ending& ending);
/// Counts a slow call in the metrics of its worker.
void count_slow(const CallFrame& frame);

}  // namespace bartizan
