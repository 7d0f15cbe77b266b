#include "gateway/upstream/stdio_upstream.h"

#include <fcntl.h>

#include <algorithm>
#include <utility>

#include "gateway/runtime/clock.h"
#include "schemas/base/limits.h"

namespace bartizan {
namespace {

constexpr std::size_t kReadBytes = std::size_t{64} << 10;
/// Lines of one server that are handled before others have their turn.
constexpr std::size_t kLinesPerTurn = 64;
/// Lines of one child's standard error that are logged in one second.
constexpr std::size_t kErrorLinesPerSecond = 100;
/// How long the end of a program is waited for whose output has ended: its keeper says how it ended
/// once nothing of it is left.
constexpr std::chrono::milliseconds kEndWait{250};

}  // namespace

StdioUpstream::Life::Life(Loop& home, ChildProcess child)
    : process(std::move(child)),
      input(home.executor(), process.standard_input.release()),
      output(home.executor(), process.standard_output.release()),
      error(home.executor(), process.standard_error.release()),
      ending(home.executor()),
      over_for_output(home),
      over_for_ending(home) {
  error_code ignored;
  // Without it, the end is seen when the child's output ends.
  ending.assign(process.control().duplicate().release(), ignored);
}

StdioUpstream::StdioUpstream(Loop& home, MemoryBudget& memory, ServerConfig config, InstanceKey key,
                             UpstreamEvents events, StdioUpstreamSetup setup)
    : DuplexUpstream(home, memory, std::move(config), std::move(key), std::move(events)),
      setup_(setup) {}

StdioUpstream::~StdioUpstream() = default;

// --- The pipes ----------------------------------------------------------------------------------

bool StdioUpstream::write(std::string line, std::uint64_t id) {
  if (life_ == nullptr || life_->over) return false;
  // One large message may pass the bound when nothing else waits; a queue may not grow past it.
  if (!life_->lines.empty() &&
      life_->line_bytes + line.size() > limits::server_write_queue_bytes_max) {
    return false;
  }
  // A judged message may be spread over lines, which JSON allows and this framing does not: the
  // only line ends in accepted JSON are white space between tokens.
  std::replace(line.begin(), line.end(), '\n', ' ');
  std::replace(line.begin(), line.end(), '\r', ' ');
  line += '\n';
  if (!hold(memory_, life_->memory, life_->line_bytes + line.size())) return false;
  life_->line_bytes += line.size();
  life_->lines.push_back({.id = id, .text = std::move(line)});
  if (!life_->writing) {
    life_->writing = true;
    spawn(home_, write_input(life_));
  }
  return true;
}

std::optional<pid_t> StdioUpstream::process() const {
  if (life_ == nullptr || life_->over) return std::nullopt;
  return life_->process.pid();
}

/// Takes back the line of a call. False when the pipe has begun to take it.
bool StdioUpstream::unwrite(std::uint64_t id) {
  if (life_ == nullptr) return false;
  const auto found = std::find_if(life_->lines.begin(), life_->lines.end(),
                                  [id](const Life::Line& line) { return line.id == id; });
  if (found == life_->lines.end()) return false;
  life_->line_bytes -= found->text.size();
  life_->lines.erase(found);
  static_cast<void>(hold(memory_, life_->memory, life_->line_bytes));
  return true;
}

Task<void> StdioUpstream::write_input(LifePtr life) {
  const auto self = shared_from_this();
  while (!life->over && !life->lines.empty()) {
    const Life::Line line = std::move(life->lines.front());
    life->lines.pop_front();
    const auto [error, size] =
        co_await asio::async_write(life->input, asio::buffer(line.text), kAwait);
    life->line_bytes -= line.text.size();
    if (error) break;
    // Fewer bytes always fit.
    static_cast<void>(hold(memory_, life->memory, life->line_bytes));
  }
  life->writing = false;
}

Task<void> StdioUpstream::read_output(LifePtr life) {
  const auto self = shared_from_this();
  LineReader lines(limits::response_bytes_max);
  MemoryBudget::Reservation held;
  std::vector<char> buffer(kReadBytes);
  std::uint64_t dropped = 0;
  while (true) {
    const auto [error, size] = co_await life->output.async_read_some(asio::buffer(buffer), kAwait);
    if (error) break;
    std::string_view rest(buffer.data(), size);
    std::size_t taken = 0;
    while (!rest.empty()) {
      LineReader::Step step = lines.step(rest);
      rest.remove_prefix(step.consumed);
      if (!step.line.has_value() || step.line->empty()) continue;
      if (life->over) break;  // Of a process that was given up.
      held.release();         // The line is now the message's to account for.
      take_text(std::move(*step.line));
      if (++taken % kLinesPerTurn == 0) co_await asio::post(home_.executor(), kAwait);
    }
    if (!hold(memory_, held, lines.buffered())) lines.drop_line();
    for (; dropped < lines.dropped_lines(); ++dropped)
      events_.dropped(key_, "line_too_long");
  }
  if (lines.take_unterminated().has_value()) events_.dropped(key_, "line_unterminated");
  // Its output ends a moment before the program does, and how that ended is worth knowing.
  if (!life->over && !life->process.ended().has_value()) {
    co_await life->over_for_output.wait(kEndWait);
  }
  on_over(life);
}

Task<void> StdioUpstream::read_errors(LifePtr life) {
  const auto self = shared_from_this();
  LineReader lines(limits::line_bytes_max);
  std::vector<char> buffer(4096);
  std::chrono::steady_clock::time_point second;
  std::size_t logged = 0;
  while (true) {
    const auto [error, size] = co_await life->error.async_read_some(asio::buffer(buffer), kAwait);
    if (error) break;
    const auto now = steady_now();
    if (now - second >= std::chrono::seconds(1)) {
      second = now;
      logged = 0;
    }
    std::string_view rest(buffer.data(), size);
    while (!rest.empty()) {
      const LineReader::Step step = lines.step(rest);
      rest.remove_prefix(step.consumed);
      if (!step.line.has_value()) continue;
      // A server may talk; it may not fill the disk behind the gateway's log.
      if (++logged > kErrorLinesPerSecond) {
        events_.dropped(key_, "stderr_line");
      } else {
        events_.said(key_, step.line->view());
      }
    }
  }
}

}  // namespace bartizan
