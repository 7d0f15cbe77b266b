#pragma once

#include <cstdint>
#include <string>

#include "policy/check/check_result.h"
#include "schemas/json/json.h"

namespace bartizan {

/// The first part of a result that holds too much.
struct TruncatedResult {
  std::string content;  ///< JSON: the blocks that fit, the last text cut, and one that says so.
  /// Of `structuredContent`, which is kept as a whole or not at all.
  bool keeps_structured_content = false;
  bool lacks_structured_content = false;  ///< Clients of the tool wait for it in vain.
};

/// Whether there is anything but its size against structured content.
enum class StructuredContent : std::uint8_t { fits, does_not_fit };

/// Cuts `content` to what the limits let pass: whole blocks in their order, of a text that is too
/// long its beginning, no character cut. What says that something was cut counts for nothing.
///
/// Input: a result that `check_result` refused.
/// Cost:  a pass over the blocks, and a copy of what is kept.
TruncatedResult truncate_result(const ResultLimits& limits, JsonValue result,
                                StructuredContent structured = StructuredContent::fits);

}  // namespace bartizan
