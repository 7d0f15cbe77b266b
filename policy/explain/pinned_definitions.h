#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"
#include "policy/check/compile_policy.h"
#include "schemas/message/tool_definition.h"

namespace bartizan {

/// A tool as its server lists it, with its schemas. It must fit `limits`.
/// Input:  `volatile_members`, as in `read_tool_definition`.
/// Errors: those of `JsonDocument::read` and of `read_tool_definition`.
Result<ToolDefinition> read_listed_tool(std::string_view entry, const JsonLimits& limits,
                                        std::span<const std::string> volatile_members = {});

/// The tools of a lock file, as their servers list them. With them, a policy can be judged while no
/// server runs.
///
/// Cost: compiles every schema in the lock file.
class PinnedDefinitions {
 public:
  explicit PinnedDefinitions(const Config& config);

  /// Null if the lock file has no such tool.
  const ToolDefinition* find(std::string_view server, std::string_view tool) const;
  /// By server. Servers that the lock file lacks are absent.
  KnownNames names() const;
  /// Lifetime: views these definitions.
  KnownTools tools() const;

 private:
  std::map<std::string, std::vector<ToolDefinition>, std::less<>> servers_;
};

}  // namespace bartizan
