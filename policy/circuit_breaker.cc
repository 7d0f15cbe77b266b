#include "policy/circuit_breaker.h"

#include <algorithm>

namespace bartizan {

CircuitBreaker::Answer CircuitBreaker::ask(const BreakerConfig& config, Time now) {
  if (!open_until_) return Passage::any;
  if (now < *open_until_) {
    return std::chrono::ceil<std::chrono::milliseconds>(*open_until_ - now);
  }
  // How long the call that is tried will take, nobody knows.
  if (is_trying_) return config.open;
  is_trying_ = true;
  return Passage::trial;
}

CircuitBreaker::Change CircuitBreaker::failed(const BreakerConfig& config, Passage passage,
                                              Time now) {
  if (open_until_) {
    if (passage != Passage::trial) return Change::none;
    open(config, now);
    return Change::opened;
  }
  std::erase_if(failures_, [&](Time then) { return now - then >= config.window; });
  failures_.push_back(now);
  if (failures_.size() < config.failures) return Change::none;
  open(config, now);
  return Change::opened;
}

void CircuitBreaker::open(const BreakerConfig& config, Time now) {
  open_until_ = now + config.open;
  is_trying_ = false;
  failures_.clear();
}

CircuitBreaker::Change CircuitBreaker::succeeded(Passage passage) {
  if (!open_until_ || passage != Passage::trial) return Change::none;
  *this = CircuitBreaker();
  return Change::closed;
}

void CircuitBreaker::abandoned(Passage passage) {
  if (passage == Passage::trial) is_trying_ = false;
}

bool CircuitBreaker::is_idle(const BreakerConfig& config, Time now) const {
  return !open_until_ &&
         std::ranges::all_of(failures_, [&](Time then) { return now - then >= config.window; });
}

CircuitBreaker::Answer CircuitTable::ask(std::string_view key, const BreakerConfig& config,
                                         Time now) {
  const auto found = breakers_.find(key);
  return found == breakers_.end() ? CircuitBreaker::Answer(Passage::any)
                                  : found->second.ask(config, now);
}

CircuitTable::Change CircuitTable::failed(std::string_view key, const BreakerConfig& config,
                                          Passage passage, Time now) {
  auto found = breakers_.find(key);
  if (found == breakers_.end()) {
    if (breakers_.size() >= breakers_max_) make_room(config, now);
    found = breakers_.emplace(key, CircuitBreaker()).first;
  }
  return found->second.failed(config, passage, now);
}

CircuitTable::Change CircuitTable::succeeded(std::string_view key, Passage passage) {
  const auto found = breakers_.find(key);
  if (found == breakers_.end()) return Change::none;
  const Change change = found->second.succeeded(passage);
  if (change == Change::closed) breakers_.erase(found);
  return change;
}

void CircuitTable::abandoned(std::string_view key, Passage passage) {
  const auto found = breakers_.find(key);
  if (found != breakers_.end()) found->second.abandoned(passage);
}

/// A breaker protects a server and grants nobody anything, so that one may be forgotten.
void CircuitTable::make_room(const BreakerConfig& config, Time now) {
  std::erase_if(breakers_, [&](const auto& entry) { return entry.second.is_idle(config, now); });
  if (breakers_.size() >= breakers_max_) breakers_.erase(breakers_.begin());
}

}  // namespace bartizan
