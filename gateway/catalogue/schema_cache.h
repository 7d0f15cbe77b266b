#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "gateway/runtime/memory_budget.h"
#include "schemas/message/tool_schemas.h"

namespace bartizan {

/// The compiled schemas of tools, by server and fingerprint. A list that is read again, or by
/// another principal or worker, is compiled once.
///
/// Holds only what others hold too. Its memory is reserved once, for any number of holders.
/// Threads: any.
class SchemaCache {
 public:
  using Compiled = std::shared_ptr<const ToolSchemas>;

  explicit SchemaCache(MemoryBudget& memory) : memory_(memory) {}

  /// The compiled schemas of that key. Null if nobody holds them.
  Compiled find(const std::string& key) const;
  /// Adds schemas and returns those that everybody must use: these, or those that another thread
  /// added meanwhile. Null if the memory budget is exhausted.
  Compiled keep(const std::string& key, ToolSchemas compiled);
  /// The number of known keys, including those of schemas that are gone.
  std::size_t size() const;

 private:
  MemoryBudget& memory_;
  mutable std::mutex mutex_;
  std::unordered_map<std::string, std::weak_ptr<const ToolSchemas>> kept_;
  std::size_t sweep_at_ = 64;
};

}  // namespace bartizan
