#pragma once

#include <cstddef>
#include <map>
#include <memory>

#include "policy/check/renamed_arguments.h"
#include "schemas/message/tool_definition.h"

namespace bartizan {

/// A cache of tools with renamed arguments, as their servers read them. Each is compiled once.
///
/// Bounded: by `kToolsMax`; then all are compiled again.
/// Threads: those of one worker.
class RenamedTools {
 public:
  using ToolPtr = std::shared_ptr<const ToolDefinition>;
  static constexpr std::size_t kToolsMax = 256;

  /// The tool with the renamed arguments. Null if the schema cannot be renamed.
  ToolPtr find(const ToolPtr& listed, const RenamedArguments& names);

 private:
  struct Made {
    ToolPtr listed;  ///< Held so that no other tool gets its address.
    RenamedArguments names;
    ToolPtr sent;
  };

  std::map<const ToolDefinition*, Made> made_;
};

}  // namespace bartizan
