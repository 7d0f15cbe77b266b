#include "gateway/circuits.h"

#include <utility>

namespace bartizan {
namespace {

CircuitTable::Time now() {
  return std::chrono::steady_clock::now().time_since_epoch();
}

/// Names of servers and ids hold no line feed.
std::string key_of(const InstanceKey& instance) {
  return instance.server + "\n" + instance.owner + "\n" + std::to_string(instance.generation);
}

}  // namespace

Circuits::Pass::Pass(Pass&& other) noexcept
    : circuits_(std::exchange(other.circuits_, nullptr)),
      key_(std::move(other.key_)),
      config_(other.config_),
      passage_(other.passage_) {}

Circuits::Pass::~Pass() {
  if (circuits_ == nullptr) return;
  const std::lock_guard lock(circuits_->mutex_);
  circuits_->table_.abandoned(key_, passage_);
}

Circuits::Change Circuits::Pass::failed() {
  if (circuits_ == nullptr) return Change::none;
  Circuits& circuits = *std::exchange(circuits_, nullptr);
  const std::lock_guard lock(circuits.mutex_);
  return circuits.table_.failed(key_, config_, passage_, now());
}

Circuits::Change Circuits::Pass::succeeded() {
  if (circuits_ == nullptr) return Change::none;
  Circuits& circuits = *std::exchange(circuits_, nullptr);
  const std::lock_guard lock(circuits.mutex_);
  return circuits.table_.succeeded(key_, passage_);
}

Circuits::Answer Circuits::ask(const InstanceKey& instance, const BreakerConfig& config) {
  std::string key = key_of(instance);
  const std::lock_guard lock(mutex_);
  const auto answer = table_.ask(key, config, now());
  if (const auto* retry_after = std::get_if<std::chrono::milliseconds>(&answer)) {
    return *retry_after;
  }
  return Pass(*this, std::move(key), config, std::get<CircuitBreaker::Passage>(answer));
}

}  // namespace bartizan
