#pragma once

#include <memory>
#include <vector>

#include "config/config.h"
#include "policy/check/compile_policy.h"

namespace bartizan {

/// Known tools as their servers take them: profiles may rename arguments, and what they say of
/// arguments is said of the names that are sent. A tool that cannot be renamed is left out.
///
/// Lifetime: views the tools that nothing renames.
class SentTools {
 public:
  SentTools(const Config& config, const KnownTools& listed);

  const KnownTools& tools() const { return tools_; }

 private:
  KnownTools tools_;
  std::vector<std::shared_ptr<const ToolDefinition>> renamed_;
};

}  // namespace bartizan
