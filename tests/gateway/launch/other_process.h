#pragma once

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <functional>
#include <string>

#include "gateway/process/descriptor.h"

namespace bartizan {

/// ThreadSanitizer has a thread of its own in every process, and a process of several threads gets
/// no user namespace.
#if __has_feature(thread_sanitizer)
inline constexpr bool kHasOwnThread = true;
#else
inline constexpr bool kHasOwnThread = false;
#endif
inline constexpr const char* kNoThreads = "a thread of the sanitizer's forbids user namespaces";

/// Waits without a deadline of its own: a hang is the test runner's to report.
inline void wait_until(const Descriptor& descriptor) {
  pollfd wanted{.fd = descriptor.get(), .events = POLLIN, .revents = 0};
  while (poll(&wanted, 1, -1) < 0 && errno == EINTR) {
  }
}

inline std::string read_all(const Descriptor& descriptor) {
  std::string text;
  std::array<char, 4096> part = {};
  while (true) {
    const ssize_t size = read(descriptor.get(), part.data(), part.size());
    if (size == 0) return text;
    if (size > 0) text.append(part.data(), static_cast<std::size_t>(size));
    if (size < 0 && errno != EAGAIN && errno != EINTR) return text + "cannot be read";
    if (size < 0) wait_until(descriptor);
  }
}

inline std::string read_line(const Descriptor& descriptor) {
  std::string line;
  char byte = 0;
  while (true) {
    const ssize_t size = read(descriptor.get(), &byte, 1);
    if (size == 0 || (size == 1 && byte == '\n')) return line;
    if (size == 1) line += byte;
    if (size < 0 && errno != EAGAIN && errno != EINTR) return line + "cannot be read";
    if (size < 0) wait_until(descriptor);
  }
}

/// What a process of its own says, so that this one keeps its rights.
inline std::string say_elsewhere(const std::function<std::string()>& say) {
  std::array<int, 2> ends = {};
  if (pipe(ends.data()) != 0) return "no pipe";
  const Descriptor ours(ends[0]);
  Descriptor theirs(ends[1]);
  const pid_t other = fork();
  if (other == 0) {
    const std::string said = say();
    _exit(write(theirs.get(), said.data(), said.size()) < 0 ? 1 : 0);
  }
  theirs = Descriptor();
  std::string said = read_all(ours);
  waitpid(other, nullptr, 0);
  return said;
}

}  // namespace bartizan
