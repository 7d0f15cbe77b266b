#include "gateway/bridge/parked_calls.h"

#include <algorithm>
#include <array>
#include <utility>

#include "gateway/token/base64url.h"

namespace bartizan {
namespace {

constexpr std::array<std::string_view, 8> kLevels{"debug", "info",     "notice", "warning",
                                                  "error", "critical", "alert",  "emergency"};
constexpr std::size_t kInstancesMax = 4096;

}  // namespace

std::string ParkedCalls::park(std::shared_ptr<ModernClientCall> call, const Owner& owner,
                              Random& random) {
  const auto bytes = random.draw<16>();
  std::string name = encode_base64url({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  const std::string principal = "principal " + owner.principal;
  const std::string instance = "instance " + owner.instance;
  const std::size_t instance_max = std::max<std::size_t>(1, owner.places / 2);
  const std::scoped_lock lock(mutex_);
  const auto count = [this](const std::string& of) {
    const auto found = counts_.find(of);
    return found == counts_.end() ? 0 : found->second;
  };
  const bool is_full = parked_.size() >= limits::parked_calls_max ||
                       count(principal) >= limits::parked_of_principal_max ||
                       count(instance) >= instance_max;
  if (is_full) return "";
  ++counts_[principal];
  ++counts_[instance];
  parked_.emplace(name, Parked{std::move(call), principal, instance});
  return name;
}

std::shared_ptr<ModernClientCall> ParkedCalls::take(std::string_view name) {
  const std::scoped_lock lock(mutex_);
  const auto found = parked_.find(name);
  if (found == parked_.end()) return nullptr;
  const Parked parked = std::move(found->second);
  parked_.erase(found);
  give_back(parked.principal);
  give_back(parked.instance);
  return parked.call;
}

void ParkedCalls::give_back(const std::string& counted) {
  const auto count = counts_.find(counted);
  if (--count->second == 0) counts_.erase(count);
}

std::size_t ParkedCalls::size() const {
  const std::scoped_lock lock(mutex_);
  return parked_.size();
}

bool BridgedLogLevels::raise(const InstanceKey& key, std::string_view level) {
  const std::size_t severity = log_severity(level);
  const std::scoped_lock lock(mutex_);
  if (levels_.size() >= kInstancesMax) levels_.clear();
  const auto [found, is_new] = levels_.try_emplace(key, severity);
  if (!is_new && found->second <= severity) return false;
  found->second = severity;
  return true;
}

void BridgedLogLevels::forget(const InstanceKey& key) {
  const std::scoped_lock lock(mutex_);
  levels_.erase(key);
}

std::size_t log_severity(std::string_view level) {
  return static_cast<std::size_t>(std::ranges::find(kLevels, level) - kLevels.begin());
}

}  // namespace bartizan
