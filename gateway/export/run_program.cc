#include "gateway/export/run_program.h"

#include <unistd.h>
#include <csignal>

#include <array>
#include <cerrno>
#include <utility>

#include "gateway/runtime/clock.h"
#include "gateway/runtime/signal.h"

namespace bartizan {
namespace {

constexpr std::chrono::milliseconds kLook{10};
constexpr std::string_view kPath = "/usr/local/bin:/usr/bin:/bin";

/// Reads and drops the available output. The descriptor does not block.
void drop_output(const Descriptor& output) {
  std::array<char, 4096> room;
  while (::read(output.get(), room.data(), room.size()) > 0) {
  }
}

/// Writes what fits in the pipe; the rest stays in `rest`.
void write_some(const Descriptor& input, std::string_view& rest) {
  while (!rest.empty()) {
    const ssize_t written = ::write(input.get(), rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    // A program that has closed its input wants no more.
    if (written < 0 && errno != EAGAIN) rest = {};
    if (written < 0) return;
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace

Task<Result<void>> run_program(Loop& loop, const Launcher& launcher,
                               std::vector<std::string> command, std::string input) {
  const auto end = steady_now() + limits::export_program_deadline;
  ChildOptions options;
  options.command = std::move(command);
  options.environment.emplace("PATH", kPath);
  Result<ChildProcess> child = launcher.launch(options);
  if (!child.has_value()) co_return std::unexpected(child.error());
  Signal pause(loop);
  std::string_view rest = input;
  bool is_killed = false;
  while (true) {
    write_some(child->standard_input, rest);
    if (rest.empty()) child->standard_input = Descriptor();
    drop_output(child->standard_output);
    drop_output(child->standard_error);
    const auto ended = child->ended();
    if (is_killed && ended.has_value()) {
      co_return fail(ErrorCode::timed_out, Fault::server,
                     options.command.front() + " did not end in time, and was killed");
    }
    if (ended.has_value()) {
      if (*ended == "exit 0") co_return Result<void>();
      co_return fail(ErrorCode::server_failed, Fault::server,
                     options.command.front() + " ended with " + *ended);
    }
    if (steady_now() >= end && !std::exchange(is_killed, true)) child->signal(SIGKILL);
    co_await pause.wait(kLook);
  }
}

}  // namespace bartizan
