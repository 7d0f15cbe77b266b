#include "gateway/process/line_writer.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "schemas/base/limits.h"

namespace bartizan {
namespace {

/// Above this much, no more is asked for: a reader that is slower than its own questions must
/// feel it.
constexpr std::size_t kEnoughWaits = std::size_t{1} << 20;

}  // namespace

LineWriter::LineWriter(Loop& loop, MemoryBudget& memory, Pipe output)
    : loop_(loop),
      memory_(memory),
      output_(std::move(output)),
      room_(loop),
      deadline_(loop.wheel(), [](void* self) { static_cast<LineWriter*>(self)->expire(); }, this) {
  error_code ignored;
  output_.native_non_blocking(true, ignored);
}

bool LineWriter::has_room() const {
  return waiting_.load(std::memory_order_relaxed) <= kEnoughWaits;
}

void LineWriter::write(std::string message) {
  if (is_broken_) return;
  if (message.find('\n') != std::string::npos) std::ranges::replace(message, '\n', ' ');
  if (message.find('\r') != std::string::npos) std::ranges::replace(message, '\r', ' ');
  message += '\n';
  Line line{.text = std::move(message)};
  // One write for one message, at once: most readers wait for it.
  if (lines_.empty() && write_now(line)) return;
  if (!is_broken_) keep(std::move(line));
}

/// Writes as much as the descriptor takes. True when nothing of the line is left.
bool LineWriter::write_now(Line& line) {
  while (line.written < line.text.size()) {
    const ssize_t size = ::write(output_.native_handle(), line.text.data() + line.written,
                                 line.text.size() - line.written);
    if (size >= 0) {
      line.written += static_cast<std::size_t>(size);
      continue;
    }
    if (errno == EINTR) continue;
    if (errno != EAGAIN && errno != EWOULDBLOCK) {
      give_up(errno == EPIPE ? "the reader of standard output is gone"
                             : "standard output cannot be written");
    }
    return false;
  }
  return true;
}

void LineWriter::keep(Line line) {
  const std::size_t left = line.text.size() - line.written;
  // One large message may pass the bound when nothing else waits; a queue may not grow past it.
  const bool fits = lines_.empty() || waiting_ + left <= limits::stdio_output_bytes_max;
  if (!fits || !hold(memory_, line.memory, line.text.size())) {
    return give_up("the reader of standard output is too slow for what servers send");
  }
  waiting_ += left;
  lines_.push_back(std::move(line));
  if (lines_.size() == 1) spawn(loop_, write_waiting());
}

Task<void> LineWriter::write_waiting() {
  const auto self = shared_from_this();
  while (!lines_.empty() && !is_broken_) {
    deadline_.arm(limits::write_deadline);
    const auto [error] = co_await output_.async_wait(Pipe::wait_write, kAwait);
    deadline_.cancel();
    if (is_broken_) co_return;
    if (error) co_return give_up("standard output cannot be waited for");
    Line& line = lines_.front();
    const std::size_t before = line.written;
    const bool is_whole = write_now(line);
    if (is_broken_) co_return;
    waiting_ -= line.written - before;
    if (is_whole) lines_.pop_front();
    if (has_room()) room_.notify();
  }
}

void LineWriter::expire() {
  give_up("the reader of standard output has stalled");
}

void LineWriter::give_up(std::string_view why) {
  if (std::exchange(is_broken_, true)) return;
  lines_.clear();
  waiting_ = 0;
  error_code ignored;
  output_.cancel(ignored);
  room_.notify();
  if (broken_) std::exchange(broken_, nullptr)(why);
}

Task<void> LineWriter::wait_for_room() {
  const auto self = shared_from_this();
  while (!has_room() && !is_broken_)
    co_await room_.wait(limits::write_deadline);
}

}  // namespace bartizan
