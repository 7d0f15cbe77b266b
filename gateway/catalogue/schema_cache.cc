#include "gateway/catalogue/schema_cache.h"

#include <algorithm>
#include <utility>

namespace bartizan {

namespace {

/// Schemas with their reserved memory.
struct Kept {
  ToolSchemas schemas;
  MemoryBudget::Reservation memory;
};

}  // namespace

SchemaCache::Compiled SchemaCache::find(const std::string& key) const {
  const std::lock_guard lock(mutex_);
  const auto found = kept_.find(key);
  return found == kept_.end() ? nullptr : found->second.lock();
}

SchemaCache::Compiled SchemaCache::keep(const std::string& key, ToolSchemas compiled) {
  auto made = std::make_shared<Kept>();
  if (!hold(memory_, made->memory, compiled.memory())) return nullptr;
  made->schemas = std::move(compiled);
  const std::lock_guard lock(mutex_);
  // Expired entries are swept when the map has doubled since the last sweep.
  if (kept_.size() >= sweep_at_) {
    std::erase_if(kept_, [](const auto& entry) { return entry.second.expired(); });
    sweep_at_ = std::max<std::size_t>(64, 2 * kept_.size());
  }
  std::weak_ptr<const ToolSchemas>& kept = kept_[key];
  if (Compiled others = kept.lock()) return others;
  Compiled ours(made, &made->schemas);
  kept = ours;
  return ours;
}

std::size_t SchemaCache::size() const {
  const std::lock_guard lock(mutex_);
  return kept_.size();
}

}  // namespace bartizan
