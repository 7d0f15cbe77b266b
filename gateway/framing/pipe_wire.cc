#include "gateway/framing/pipe_wire.h"

#include <optional>
#include <utility>

namespace bartizan {
namespace {

constexpr std::size_t kReadBytes = std::size_t{64} << 10;

std::unexpected<Error> dropped_line(bool is_out_of_memory) {
  if (is_out_of_memory) {
    return fail(ErrorCode::overloaded, Fault::gateway, "the memory budget is exhausted");
  }
  return fail(ErrorCode::json_size, Fault::client, "the line is longer than a request may be");
}

}  // namespace

PipeWire::PipeWire(Loop& loop, MemoryBudget& memory, Pipe input, Pipe output,
                   std::size_t message_bytes_max)
    : memory_(memory),
      input_(std::move(input)),
      output_(std::make_shared<LineWriter>(loop, memory, std::move(output))),
      lines_(message_bytes_max),
      buffer_(kReadBytes) {}

Task<Result<Bytes>> PipeWire::next() {
  while (!is_over_) {
    while (!rest_.empty()) {
      LineReader::Step step = lines_.step(rest_);
      rest_.remove_prefix(step.consumed);
      if (step.line.has_value() && !step.line->empty()) co_return *std::move(step.line);
      if (lines_.dropped_lines() > dropped_) {
        ++dropped_;
        co_return dropped_line(std::exchange(is_out_of_memory_, false));
      }
    }
    if (!hold(memory_, held_, lines_.buffered())) {
      lines_.drop_line();
      is_out_of_memory_ = true;
    }
    const auto [error, size] = co_await input_.async_read_some(asio::buffer(buffer_), kAwait);
    if (error) break;
    rest_ = {buffer_.data(), size};
  }
  // A line that was cut off is not complete.
  if (!is_over_) {
    if (std::optional<Bytes> last = lines_.take_unterminated()) co_return *std::move(last);
  }
  co_return fail(ErrorCode::closed, Fault::client, "the input has ended");
}

void PipeWire::stop_reading() {
  is_over_ = true;
  error_code ignored;
  input_.cancel(ignored);
}

}  // namespace bartizan
