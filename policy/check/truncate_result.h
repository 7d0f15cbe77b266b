#pragma once

#include <cstdint>
#include <string>

#include "policy/check/check_result.h"
#include "schemas/json/json.h"

namespace bartizan {

/// The first part of a result that is too large.
struct TruncatedResult {
  std::string content;  ///< JSON: the blocks that fit, the last text cut, and a notice.
  /// Of `structuredContent`, which is kept as a whole or not at all.
  bool keeps_structured_content = false;
  bool lacks_structured_content = false;  ///< Clients of the tool expect it.
};

/// Whether structured content passes apart from its size.
enum class StructuredContent : std::uint8_t { fits, does_not_fit };

/// Cuts `content` to the limits: whole blocks in their order, and the beginning of a text that is
/// too long. No character is cut. The notice about the cut does not count.
///
/// Input: a result that `check_result` refused.
/// Cost:  a pass over the blocks, and a copy of what is kept.
TruncatedResult truncate_result(const ResultLimits& limits, JsonValue result,
                                StructuredContent structured = StructuredContent::fits);

}  // namespace bartizan
