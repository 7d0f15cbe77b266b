#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <utility>

#include "config/pinned_tool.h"
#include "schemas/message/tool_definition.h"

namespace bartizan {

namespace limits {
/// The most differences that one worker keeps.
inline constexpr std::size_t pin_differences_max = 256;
}  // namespace limits

/// A cache of the differences between tools and their pinned definitions. Repeated calls of a
/// quarantined tool do not read both definitions each time.
///
/// Threads: one at a time.
class PinDifferences {
 public:
  /// The difference between the two definitions, as text. Cost: a look-up; reads both definitions
  /// if they are not in the cache.
  const std::string& find(const PinnedTool& pinned, const ToolDefinition& tool);

 private:
  /// Keyed by the fingerprints of both.
  std::map<std::pair<std::string, std::string>, std::string> kept_;
};

}  // namespace bartizan
