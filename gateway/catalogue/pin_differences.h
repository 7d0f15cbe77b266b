#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <utility>

#include "config/pinned_tool.h"
#include "schemas/message/tool_definition.h"

namespace bartizan {

namespace limits {
/// Differences that one worker keeps.
inline constexpr std::size_t pin_differences_max = 256;
}  // namespace limits

/// How tools differ from what is pinned of them, kept, so that whoever calls a quarantined tool
/// again and again has nobody read both definitions each time.
///
/// Threads: one at a time.
class PinDifferences {
 public:
  /// Cost: a look-up; reads both definitions where nobody asked lately.
  const std::string& find(const PinnedTool& pinned, const ToolDefinition& tool);

 private:
  /// By the fingerprints of both.
  std::map<std::pair<std::string, std::string>, std::string> kept_;
};

}  // namespace bartizan
