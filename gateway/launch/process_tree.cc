#include "gateway/launch/process_tree.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

namespace bartizan {
namespace {

constexpr int kRoundPauseMs = 1;
constexpr int kRoundsMax = 10'000;

/// Reads the kernel's own list. It has every child, also if /proc hides processes of others
/// (`hidepid`). Nothing if it cannot be read.
std::optional<std::string> read_children() {
  const std::string own = std::to_string(getpid());
  const Descriptor file(
      open(("/proc/" + own + "/task/" + own + "/children").c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) return std::nullopt;
  std::string text;
  std::array<char, 4096> part = {};
  while (true) {
    const ssize_t size = read(file.get(), part.data(), part.size());
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return std::nullopt;
    if (size == 0) return text;
    text.append(part.data(), static_cast<std::size_t>(size));
  }
}

std::vector<pid_t> children() {
  std::vector<pid_t> found;
  std::istringstream numbers(read_children().value_or(std::string()));
  for (pid_t number = 0; numbers >> number;)
    found.push_back(number);
  return found;
}

}  // namespace

bool adopt_descendants() {
  return prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0 && read_children().has_value();
}

ChildWatch::ChildWatch() {
  sigset_t wanted;
  sigemptyset(&wanted);
  sigaddset(&wanted, SIGCHLD);
  sigprocmask(SIG_SETMASK, &wanted, nullptr);
  ends_ = Descriptor(signalfd(-1, &wanted, SFD_CLOEXEC | SFD_NONBLOCK));
}

void ChildWatch::clear() const {
  signalfd_siginfo ignored = {};
  while (read(ends_.get(), &ignored, sizeof ignored) > 0) {
  }
}

void kill_children(const std::function<bool(pid_t)>& spares) {
  for (int round = 0; round < kRoundsMax; ++round) {
    bool has_killed = false;
    for (const pid_t child : children()) {
      if (spares(child)) continue;
      has_killed = true;
      kill(child, SIGKILL);
      waitpid(child, nullptr, WNOHANG);
    }
    if (!has_killed) return;
    poll(nullptr, 0, kRoundPauseMs);
  }
}

}  // namespace bartizan
