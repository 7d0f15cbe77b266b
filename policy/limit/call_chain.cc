#include "policy/limit/call_chain.h"

#include <algorithm>
#include <chrono>

namespace bartizan {

bool CallChain::closes_circle(const LoopConfig& loop, std::uint64_t next) const {
  return std::ranges::find(stopped_, next) != stopped_.end() || circle_closed_by(loop, next) > 0;
}

void CallChain::stop(const LoopConfig& loop, std::uint64_t next) {
  const auto length = static_cast<std::ptrdiff_t>(circle_closed_by(loop, next));
  if (length > 0) stopped_.assign(calls_.end() - length, calls_.end());
}

std::size_t CallChain::circle_closed_by(const LoopConfig& loop, std::uint64_t next) const {
  for (std::size_t length = 1; length <= loop.calls; ++length) {
    if (closes_circle_of(length, loop.repeats, next)) return length;
  }
  return 0;
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
  stopped_.clear();
  last_ = now;
}

Micros CallChain::forgotten_at(const LoopConfig& loop) const {
  return last_ + std::chrono::microseconds(loop.pause).count();
}

void CallChain::forget(const LoopConfig& loop, Micros now) {
  if (now < forgotten_at(loop)) return;
  calls_.clear();
  stopped_.clear();
}

}  // namespace bartizan
