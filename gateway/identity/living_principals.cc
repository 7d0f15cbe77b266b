#include "gateway/identity/living_principals.h"

#include <algorithm>
#include <utility>

namespace bartizan {

PrincipalPtr LivingPrincipals::find_or_make(const Policy& policy, std::string_view id,
                                            const ClaimsPtr& claims) {
  const std::lock_guard lock(mutex_);
  auto found = entries_.find(id);
  if (found != entries_.end()) {
    const PrincipalPtr known = found->second.principal.lock();
    // A policy that is compiled later may stand where one was that is gone.
    const bool is_same_policy = found->second.policy.lock().get() == &policy;
    if (known != nullptr && known->claims == claims && is_same_policy) return known;
  } else {
    if (entries_.size() >= principals_max_) {
      std::erase_if(entries_, [](const auto& entry) { return entry.second.principal.expired(); });
    }
    if (entries_.size() >= principals_max_) return nullptr;
    found = entries_.emplace(std::string(id), Entry{}).first;
  }
  auto made = std::make_shared<const Principal>(policy.principal_of(std::string(id), claims));
  found->second = {.principal = made, .policy = policy.weak_from_this()};
  return made;
}

bool LivingPrincipals::has(std::string_view id) const {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(id);
  return found != entries_.end() && !found->second.principal.expired();
}

std::size_t LivingPrincipals::size() const {
  const std::lock_guard lock(mutex_);
  return static_cast<std::size_t>(std::ranges::count_if(
      entries_, [](const auto& entry) { return !entry.second.principal.expired(); }));
}

}  // namespace bartizan
