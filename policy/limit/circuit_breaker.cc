#include "policy/limit/circuit_breaker.h"

#include <algorithm>

namespace bartizan {

CircuitBreaker::Answer CircuitBreaker::ask(const BreakerConfig& config, Caller caller, Time now) {
  const auto wait_until = [now](Time then) {
    return std::chrono::ceil<std::chrono::milliseconds>(then - now);
  };
  if (!open_until_) return Passage();
  if (now < *open_until_) return wait_until(*open_until_);
  if (trial_ && now < trial_->until) return wait_until(trial_->until);
  // A trial that takes too long counts as failed.
  if (trial_) end_in_vain(config, now);
  if (now < *open_until_) return wait_until(*open_until_);
  const bool is_next = tried_in_vain_ && caller && tried_in_vain_->caller == caller &&
                       now - tried_in_vain_->at < config.open;
  if (is_next) return wait_until(tried_in_vain_->at + config.open);
  trial_ = Trial{++last_trial_, caller, now + config.open};
  return Passage{last_trial_};
}

/// With several callers, at most half of the failures that open the circuit count for one caller:
/// the latest.
void CircuitBreaker::note(const BreakerConfig& config, Failure failure) {
  std::erase_if(failures_,
                [&](const Failure& former) { return failure.at - former.at >= config.window; });
  const auto of_caller = std::ranges::count(failures_, failure.caller, &Failure::caller);
  if (failure.caller && of_caller >= (config.failures + 1) / 2) {
    failures_.erase(std::ranges::find(failures_, failure.caller, &Failure::caller));
  }
  failures_.push_back(failure);
}

bool CircuitBreaker::is_enough(const BreakerConfig& config) const {
  if (failures_.size() < config.failures) return false;
  const Caller first = failures_.front().caller;
  return !first || std::ranges::any_of(
                       failures_, [&](const Failure& failure) { return failure.caller != first; });
}

CircuitBreaker::Change CircuitBreaker::failed(const BreakerConfig& config, Passage passage,
                                              Caller caller, Time now) {
  if (open_until_) {
    const bool is_trial = trial_ && trial_->number == passage.trial;
    return is_trial ? end_in_vain(config, now) : Change::none;
  }
  note(config, {caller, now});
  if (!is_enough(config)) return Change::none;
  open(config, now);
  return Change::opened;
}

/// After the first failed trial, another caller may be tried at once. The circuit stays open after
/// the second caller's, or if there is only one caller.
CircuitBreaker::Change CircuitBreaker::end_in_vain(const BreakerConfig& config, Time now) {
  const Caller caller = trial_->caller;
  trial_.reset();
  const bool is_first = caller && (!tried_in_vain_ || tried_in_vain_->caller == caller);
  if (is_first) {
    tried_in_vain_ = Failure{caller, now};
    return Change::none;
  }
  open(config, now);
  return Change::opened;
}

void CircuitBreaker::open(const BreakerConfig& config, Time now) {
  open_until_ = now + config.open;
  trial_.reset();
  tried_in_vain_.reset();
  failures_.clear();
}

CircuitBreaker::Change CircuitBreaker::succeeded(Passage passage) {
  if (!trial_ || trial_->number != passage.trial) return Change::none;
  open_until_.reset();
  trial_.reset();
  tried_in_vain_.reset();
  return Change::closed;
}

void CircuitBreaker::abandoned(Passage passage) {
  if (trial_ && trial_->number == passage.trial) trial_.reset();
}

bool CircuitBreaker::is_idle(const BreakerConfig& config, Time now) const {
  return !open_until_ && std::ranges::all_of(failures_, [&](const Failure& failure) {
    return now - failure.at >= config.window;
  });
}

CircuitBreaker::Answer CircuitTable::ask(std::string_view key, const BreakerConfig& config,
                                         CircuitBreaker::Caller caller, Time now) {
  const auto found = breakers_.find(key);
  return found == breakers_.end() ? CircuitBreaker::Answer(Passage())
                                  : found->second.ask(config, caller, now);
}

CircuitTable::Change CircuitTable::failed(std::string_view key, const BreakerConfig& config,
                                          Passage passage, CircuitBreaker::Caller caller,
                                          Time now) {
  auto found = breakers_.find(key);
  if (found == breakers_.end()) {
    if (breakers_.size() >= breakers_max_) make_room(config, now);
    found = breakers_.emplace(key, CircuitBreaker()).first;
  }
  return found->second.failed(config, passage, caller, now);
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

/// A breaker protects a server and grants nothing, so one may be forgotten.
void CircuitTable::make_room(const BreakerConfig& config, Time now) {
  std::erase_if(breakers_, [&](const auto& entry) { return entry.second.is_idle(config, now); });
  if (breakers_.size() >= breakers_max_) breakers_.erase(breakers_.begin());
}

}  // namespace bartizan
