#include "gateway/upstream/call_queue.h"

#include <algorithm>
#include <utility>

#include "schemas/base/limits.h"

namespace bartizan {

void CallQueue::take(Waiting&& call, bool is_ready) {
  if (is_ready && in_flight_.has_room()) return begin_(std::move(call));
  if (waiting_.size() >= limits::server_queue_calls_max) {
    return call.pending->fail(
        {ErrorCode::overloaded, Fault::server, "too many calls wait for the server"});
  }
  waiting_.push_back(std::move(call));
}

void CallQueue::begin_waiting() {
  while (!waiting_.empty() && in_flight_.has_room()) {
    Waiting next = std::move(waiting_.front());
    waiting_.pop_front();
    begin_(std::move(next));
  }
}

bool CallQueue::forget(const std::shared_ptr<PendingCall>& pending) {
  const auto found = std::ranges::find(waiting_, pending, &Waiting::pending);
  if (found == waiting_.end()) return false;
  waiting_.erase(found);
  return true;
}

void CallQueue::fail(const Error& error) {
  for (Waiting& waiting : std::exchange(waiting_, {}))
    waiting.pending->fail(error);
}

}  // namespace bartizan
