#include "gateway/signal.h"

namespace bartizan {

template <class Handler>
struct Signal::WaiterOf final : Waiter {
  WaiterOf(Executor executor, Handler handler)
      : executor_(std::move(executor)), handler_(std::move(handler)) {}
  // Posted, not called: the notifier goes on first, so no frame is entered twice.
  void resume() override { asio::post(executor_, std::move(handler_)); }

 private:
  Executor executor_;
  Handler handler_;
};

Signal::Signal(Executor executor, TimerWheel& wheel)
    : executor_(std::move(executor)),
      deadline_(wheel, [](void* self) { static_cast<Signal*>(self)->wake(); }, this) {}

Task<Signal::Woken> Signal::wait(std::chrono::milliseconds wait) {
  if (!notified_) {
    deadline_.arm(wait);
    co_await asio::async_initiate<const asio::use_awaitable_t<Executor>, void()>(
        [this](auto handler) {
          waiter_ = std::make_unique<WaiterOf<decltype(handler)>>(executor_, std::move(handler));
        },
        asio::use_awaitable_t<Executor>());
    deadline_.cancel();
  }
  co_return std::exchange(notified_, false) ? Woken::notified : Woken::timed_out;
}

void Signal::notify() {
  notified_ = true;
  wake();
}

void Signal::wake() {
  if (waiter_ != nullptr) std::exchange(waiter_, nullptr)->resume();
}

}  // namespace bartizan
