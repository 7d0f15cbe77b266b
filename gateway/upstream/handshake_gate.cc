#include "gateway/upstream/handshake_gate.h"

#include <utility>

namespace bartizan {

void HandshakeGate::begin() {
  is_going_on_ = true;
}

void HandshakeGate::end() {
  is_going_on_ = false;
  for (const auto& waiter : std::exchange(waiters_, {}))
    waiter->notify();
}

void HandshakeGate::fail(Error error) {
  failure_ = std::move(error);
  end();
}

Task<void> HandshakeGate::wait(std::chrono::milliseconds longest) {
  if (!is_going_on_) co_return;
  auto waiter = std::make_shared<Signal>(home_);
  waiters_.push_back(waiter);
  co_await waiter->wait(longest);
}

}  // namespace bartizan
