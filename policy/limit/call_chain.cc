#include "policy/limit/call_chain.h"

#include <chrono>

namespace bartizan {

bool CallChain::closes_circle(const LoopConfig& loop, std::uint64_t next) const {
  for (std::size_t length = 1; length <= loop.calls; ++length) {
    if (closes_circle_of(length, loop.repeats, next)) return true;
  }
  return false;
}

bool CallChain::closes_circle_of(std::size_t length, std::size_t repeats,
                                 std::uint64_t next) const {
  const std::size_t needed = length * repeats - 1;
  if (calls_.size() < needed || calls_[calls_.size() - length] != next) return false;
  for (std::size_t i = calls_.size() - needed; i + length < calls_.size(); ++i) {
    if (calls_[i] != calls_[i + length]) return false;
  }
  return true;
}

void CallChain::follow(const LoopConfig& loop, std::uint64_t call, Micros now) {
  const std::size_t most = std::size_t{loop.calls} * loop.repeats - 1;
  if (calls_.size() >= most) calls_.erase(calls_.begin());
  calls_.push_back(call);
  last_ = now;
}

Micros CallChain::forgotten_at(const LoopConfig& loop) const {
  return last_ + std::chrono::microseconds(loop.pause).count();
}

void CallChain::forget(const LoopConfig& loop, Micros now) {
  if (now >= forgotten_at(loop)) calls_.clear();
}

}  // namespace bartizan
