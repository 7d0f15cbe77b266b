#pragma once

#include <cstddef>
#include <map>
#include <memory>

#include "policy/check/renamed_arguments.h"
#include "schemas/message/tool_definition.h"

namespace bartizan {

/// Tools whose arguments profiles rename, as their servers take them: each is compiled once.
///
/// Bounded: `kToolsMax`; then all are made anew. Threads: those of one worker.
class RenamedTools {
 public:
  using ToolPtr = std::shared_ptr<const ToolDefinition>;
  static constexpr std::size_t kToolsMax = 256;

  /// Null where the schema cannot be renamed.
  ToolPtr find(const ToolPtr& listed, const RenamedArguments& names);

 private:
  struct Made {
    ToolPtr listed;  ///< So that no other tool gets its address.
    RenamedArguments names;
    ToolPtr sent;
  };

  std::map<const ToolDefinition*, Made> made_;
};

}  // namespace bartizan
