#include "gateway/client/sse_client_wire.h"

#include <utility>

#include "schemas/base/limits.h"

namespace bartizan {

SseClientWire::SseClientWire(Loop& loop, MemoryBudget& memory, std::shared_ptr<StreamWire> stream,
                             Owner owner)
    : memory_(memory), stream_(std::move(stream)), owner_(std::move(owner)), news_(loop) {}

bool SseClientWire::take(Bytes text) {
  Posted posted{.text = std::move(text)};
  const bool has_place =
      !is_over_ && posted_.size() < kWaitingMax && hold(memory_, posted.memory, posted.text.size());
  if (!has_place) return false;
  posted_.push_back(std::move(posted));
  news_.notify();
  return true;
}

Task<void> SseClientWire::watch_end() {
  const auto stream = stream_;
  // Only its end can arrive.
  static_cast<void>(co_await stream->next());
  has_ended_ = true;
  stop_reading();
}

Task<Result<Bytes>> SseClientWire::next() {
  while (!is_over_) {
    if (!posted_.empty()) {
      Posted first = std::move(posted_.front());
      posted_.pop_front();
      if (!first.text.empty()) co_return std::move(first.text);
      continue;
    }
    co_await news_.wait(limits::write_deadline);
  }
  co_return fail(ErrorCode::closed, Fault::client, "the event stream has ended");
}

void SseClientWire::stop_reading() {
  is_over_ = true;
  news_.notify();
}

void SseClientWire::break_off(std::string_view why) {
  stop_reading();
  stream_->break_off(why);
}

void SseClientWire::close(std::string_view why) {
  stop_reading();
  stream_->close(why);
}

}  // namespace bartizan
