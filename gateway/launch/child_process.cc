#include "gateway/launch/child_process.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include <fmt/format.h>

#include "gateway/launch/keeper.h"

namespace bartizan {
namespace {

/// A keeper ends its processes directly after the request.
constexpr int kEndDeadlineMs = 2000;

std::string text_of(int code, int status) {
  if (code == CLD_EXITED) return fmt::format("exit {}", status);
  const char* name = sigabbrev_np(status);
  if (name == nullptr) return fmt::format("signal {}", status);
  return fmt::format("signal {} (SIG{})", status, name);
}

}  // namespace

ChildProcess::~ChildProcess() {
  if (control_.get() < 0 || ended_.has_value()) return;
  shutdown(control_.get(), SHUT_WR);
  // All its processes have ended once the keeper has closed its end.
  pollfd watched{.fd = control_.get(), .events = POLLIN, .revents = 0};
  while (poll(&watched, 1, kEndDeadlineMs) > 0) {
    std::array<char, 16> packet = {};
    if (recv(control_.get(), packet.data(), packet.size(), 0) <= 0) return;
  }
}

void ChildProcess::signal(int number) const {
  if (ended_.has_value()) return;
  const char byte = static_cast<char>(number);
  static_cast<void>(send(control_.get(), &byte, 1, MSG_NOSIGNAL | MSG_DONTWAIT));
}

std::optional<std::string> ChildProcess::ended() {
  if (ended_.has_value()) return ended_;
  std::array<char, 1 + 2 * sizeof(int)> packet = {};
  const ssize_t size = recv(control_.get(), packet.data(), packet.size(), MSG_DONTWAIT);
  if (size < 0 && (errno == EAGAIN || errno == EINTR)) return std::nullopt;
  std::array<int, 2> how = {};
  if (size == static_cast<ssize_t>(packet.size()) && packet[0] == kSaysEnded) {
    std::memcpy(how.data(), &packet[1], sizeof how);
    ended_ = text_of(how[0], how[1]);
  } else {
    ended_ = "killed with its keeper";
  }
  return ended_;
}

}  // namespace bartizan
