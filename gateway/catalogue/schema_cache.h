#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "gateway/runtime/memory_budget.h"
#include "schemas/message/tool_schemas.h"

namespace bartizan {

/// The compiled schemas of tools by server and fingerprint, so that a list that is read again, or
/// by another principal or worker, is compiled once.
///
/// Holds what somebody else holds, and nothing longer; its memory is reserved once, however many
/// hold it. Threads: any.
class SchemaCache {
 public:
  using Compiled = std::shared_ptr<const ToolSchemas>;

  explicit SchemaCache(MemoryBudget& memory) : memory_(memory) {}

  /// Null where nobody has them.
  Compiled find(const std::string& key) const;
  /// Answers what everybody is to use: these, or those that another thread kept meanwhile. Null
  /// where the memory budget is exhausted.
  Compiled keep(const std::string& key, ToolSchemas compiled);
  /// How many keys it knows, of schemas that are gone too.
  std::size_t size() const;

 private:
  MemoryBudget& memory_;
  mutable std::mutex mutex_;
  std::unordered_map<std::string, std::weak_ptr<const ToolSchemas>> kept_;
  std::size_t sweep_at_ = 64;
};

}  // namespace bartizan
