#pragma once

#include <memory>
#include <vector>

#include "config/config.h"
#include "policy/check/compile_policy.h"

namespace bartizan {

/// Known tools as their servers take them. Profiles may rename arguments; their predicates use the
/// names that are sent. A tool that cannot be renamed is left out.
///
/// Lifetime: views the tools that are not renamed.
class SentTools {
 public:
  SentTools(const Config& config, const KnownTools& listed);

  const KnownTools& tools() const { return tools_; }

 private:
  KnownTools tools_;
  std::vector<std::shared_ptr<const ToolDefinition>> renamed_;
};

}  // namespace bartizan
