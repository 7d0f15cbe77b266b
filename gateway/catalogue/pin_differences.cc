#include "gateway/catalogue/pin_differences.h"

#include "policy/definition/diff_definitions.h"

namespace bartizan {

const std::string& PinDifferences::find(const PinnedTool& pinned, const ToolDefinition& tool) {
  const auto found = kept_.find({pinned.fingerprint, tool.fingerprint});
  if (found != kept_.end()) return found->second;
  if (kept_.size() >= limits::pin_differences_max) kept_.clear();
  return kept_
      .emplace(std::pair(pinned.fingerprint, tool.fingerprint),
               difference_text(pinned.definition, tool.raw))
      .first->second;
}

}  // namespace bartizan
