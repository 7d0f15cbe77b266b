#include "policy/limit/limit_window.h"

#include <algorithm>
#include <chrono>

namespace bartizan {
namespace {

/// The lowest level of a window. With any capacity it fits 63 bits.
constexpr std::int64_t kDebtMax = LimitWindow::kForever / 4;
constexpr std::int64_t kCapacityMax = LimitWindow::kForever - kDebtMax;
/// Bytes are many, so their windows count time in milliseconds.
constexpr Micros kByteTick = 1000;

Micros tick_of(const Rate& rate) {
  return rate.unit == LimitUnit::bytes ? kByteTick : 1;
}

std::int64_t token_of(const Rate& rate) {
  const Micros window = std::chrono::microseconds(rate.window).count();
  return std::max<std::int64_t>(1, window / tick_of(rate));
}

/// At most as many tokens as a window can hold.
std::int64_t bounded(std::uint64_t tokens, std::int64_t token) {
  const auto most = static_cast<std::uint64_t>(kCapacityMax / token);
  return static_cast<std::int64_t>(std::min(tokens, most));
}

std::uint64_t burst_of(const LimitConfig& limit, const Rate& rate) {
  return rate.unit == LimitUnit::calls ? limit.burst.value_or(rate.count) : rate.count;
}

std::int64_t ticks_until(const LimitWindow& window, std::int64_t level, std::int64_t wanted) {
  if (level >= wanted) return 0;
  if (window.refill == 0) return LimitWindow::kForever;
  return (wanted - level - 1) / window.refill + 1;
}

std::int64_t weight_of_tokens(const LimitWindow& window, std::uint64_t tokens) {
  const auto most = static_cast<std::uint64_t>(LimitWindow::kForever / window.token);
  return tokens > most ? LimitWindow::kForever : static_cast<std::int64_t>(tokens) * window.token;
}

}  // namespace

LimitWindow::LimitWindow(const LimitConfig& limit, const Rate& rate)
    : unit(rate.unit),
      tick(tick_of(rate)),
      token(token_of(rate)),
      refill(bounded(rate.count, token)),
      capacity(bounded(burst_of(limit, rate), token) * token) {}

std::int64_t LimitWindow::refilled(std::int64_t level, Micros then, Micros now) const {
  // Most windows count microseconds, and need no division.
  const std::int64_t ticks = tick == 1 ? now - then : now / tick - then / tick;
  return ticks >= ticks_until(*this, level, capacity) ? capacity : level + ticks * refill;
}

Micros LimitWindow::until(std::int64_t level, std::int64_t wanted) const {
  const std::int64_t ticks = ticks_until(*this, level, wanted);
  if (tick == 1) return ticks;
  return ticks > kForever / tick ? kForever : ticks * tick;
}

std::int64_t LimitWindow::indebted(std::int64_t level, const CallWeight& call) const {
  return std::max(level - std::min(weight_of(call), kDebtMax), -kDebtMax);
}

std::int64_t LimitWindow::weight_of(const CallWeight& call) const {
  switch (unit) {
    case LimitUnit::cost:
      return weight_of_tokens(*this, call.cost);
    case LimitUnit::bytes:
      return weight_of_tokens(*this, call.bytes);
    default:
      return token;
  }
}

}  // namespace bartizan
