#include "gateway/worker/circuits.h"

#include <utility>

#include "gateway/runtime/clock.h"

namespace bartizan {
namespace {

CircuitTable::Time now() {
  return steady_now().time_since_epoch();
}

/// Names of servers and ids hold no line feed.
std::string key_of(const InstanceKey& instance) {
  return instance.server + "\n" + instance.owner + "\n" + std::to_string(instance.generation) +
         "\n" + std::to_string(instance.number);
}

}  // namespace

Circuits::Pass::Pass(Pass&& other) noexcept
    : circuits_(std::exchange(other.circuits_, nullptr)),
      config_(other.config_),
      entered_(std::move(other.entered_)) {}

Circuits::Pass& Circuits::Pass::operator=(Pass&& other) noexcept {
  if (this == &other) return *this;
  const Pass ended(std::move(*this));
  circuits_ = std::exchange(other.circuits_, nullptr);
  config_ = other.config_;
  entered_ = std::move(other.entered_);
  return *this;
}

Circuits::Pass::~Pass() {
  if (circuits_ == nullptr) return;
  const std::lock_guard lock(circuits_->mutex_);
  for (const Circuit& circuit : entered_)
    circuits_->table_.abandoned(circuit.key, circuit.passage);
}

std::vector<Circuits::News> Circuits::Pass::failed() {
  if (circuits_ == nullptr) return {};
  Circuits& circuits = *std::exchange(circuits_, nullptr);
  const std::lock_guard lock(circuits.mutex_);
  std::vector<News> news;
  for (const Circuit& circuit : entered_) {
    const Change change =
        circuits.table_.failed(circuit.key, config_, circuit.passage, circuit.caller, now());
    if (change != Change::none) news.push_back({change, circuit.scope});
  }
  return news;
}

std::vector<Circuits::News> Circuits::Pass::succeeded() {
  if (circuits_ == nullptr) return {};
  Circuits& circuits = *std::exchange(circuits_, nullptr);
  const std::lock_guard lock(circuits.mutex_);
  std::vector<News> news;
  for (const Circuit& circuit : entered_) {
    const Change change = circuits.table_.succeeded(circuit.key, circuit.passage);
    if (change != Change::none) news.push_back({change, circuit.scope});
  }
  return news;
}

Circuits::Answer Circuits::ask(const InstanceKey& instance, std::string_view principal,
                               const BreakerConfig& config) {
  Pass pass(*this, config);
  std::string key = key_of(instance);
  if (instance.owner.empty()) {
    const std::uint64_t caller = std::hash<std::string_view>()(principal);
    pass.entered_.push_back({key, Scope::instance, caller, {}});
    pass.entered_.push_back({key + "\n" + std::string(principal), Scope::caller, {}, {}});
  } else {
    pass.entered_.push_back({std::move(key), Scope::instance, {}, {}});
  }
  std::optional<std::chrono::milliseconds> retry_after;
  {
    const std::lock_guard lock(mutex_);
    for (std::size_t i = 0; i < pass.entered_.size() && !retry_after; ++i) {
      const auto answer = table_.ask(pass.entered_[i].key, config, pass.entered_[i].caller, now());
      if (const auto* passage = std::get_if<CircuitBreaker::Passage>(&answer)) {
        pass.entered_[i].passage = *passage;
        continue;
      }
      retry_after = std::get<std::chrono::milliseconds>(answer);
      pass.entered_.resize(i);
    }
  }
  // What was entered before is left as the pass ends.
  if (retry_after) return *retry_after;
  return pass;
}

}  // namespace bartizan
