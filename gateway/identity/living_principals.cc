#include "gateway/identity/living_principals.h"

#include <utility>

namespace bartizan {

PrincipalPtr LivingPrincipals::find_or_make(const Policy& policy, std::string_view id,
                                            const ClaimsPtr& claims) {
  // Declared before the lock, since the release of the last reference takes the lock.
  PrincipalPtr known;
  const std::lock_guard lock(table_->mutex);
  auto found = table_->entries.find(id);
  if (found != table_->entries.end()) {
    known = found->second.newest.lock();
    // A later policy may have the address of one that was freed.
    const bool is_same_policy = found->second.policy.lock().get() == &policy;
    if (known != nullptr && is_same_policy && *known->claims == *claims) return known;
  } else {
    if (table_->entries.size() >= principals_max_) return nullptr;
    found = table_->entries.emplace(std::string(id), Entry{}).first;
  }
  const auto let_go = [table = table_](const Principal* principal) {
    const std::lock_guard guard(table->mutex);
    const auto its = table->entries.find(principal->id);
    if (--its->second.values == 0) table->entries.erase(its);
    delete principal;  // NOLINT(cppcoreguidelines-owning-memory): what this owner is for.
  };
  auto made = std::make_unique<Principal>(policy.principal_of(std::string(id), claims));
  ++found->second.values;
  PrincipalPtr living(made.release(), let_go);
  found->second.newest = living;
  found->second.policy = policy.weak_from_this();
  return living;
}

bool LivingPrincipals::has(std::string_view id) const {
  const std::lock_guard lock(table_->mutex);
  return table_->entries.contains(id);
}

std::size_t LivingPrincipals::size() const {
  const std::lock_guard lock(table_->mutex);
  return table_->entries.size();
}

}  // namespace bartizan
