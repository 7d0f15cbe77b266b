// A library that is loaded before the gateway and lets system calls on the record fail, as told by
// the file that BARTIZAN_FAULTS names; it is read again at each call, so a story turns faults on
// and off. A line each, `CALL ERRNO PATHPART [BYTES]`: of calls on paths that contain PATHPART, a
// write writes BYTES more bytes of what it is given and then fails. `hold CALL PATHPART` lets that
// call, `fdatasync` or `write`, wait for as long as the line is there. `clock SECONDS` sets the
// clock ahead. `accept ERRNO socket` lets no connection be accepted. `dumpable` lets the process
// stay open to others of its account, whatever it asks for.
//
// Everything here goes to the kernel directly: the functions of the C library are those replaced.
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstdarg>
#include <cstdlib>
#include <ctime>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace {

struct Fault {
  int error = 0;
  std::optional<std::size_t> bytes;
};

std::string read_plan() {
  const char* path = std::getenv("BARTIZAN_FAULTS");
  if (path == nullptr) return {};
  const auto file = static_cast<int>(syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0));
  if (file < 0) return {};
  std::array<char, 4096> text;
  const long size = syscall(SYS_read, file, text.data(), text.size());
  syscall(SYS_close, file);
  return {text.data(), static_cast<std::size_t>(size < 0 ? 0 : size)};
}

std::string_view take_word(std::string_view& line) {
  const std::size_t end = std::min(line.find(' '), line.size());
  const std::string_view word = line.substr(0, end);
  line.remove_prefix(std::min(end + 1, line.size()));
  return word;
}

template <class Number>
std::optional<Number> number(std::string_view text) {
  Number value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

int error_of(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, int>, 6> kErrors = {{{"EIO", EIO},
                                                                        {"ENOSPC", ENOSPC},
                                                                        {"EROFS", EROFS},
                                                                        {"EMFILE", EMFILE},
                                                                        {"EACCES", EACCES},
                                                                        {"ENOENT", ENOENT}}};
  for (const auto& [known, error] : kErrors) {
    if (known == name) return error;
  }
  return EIO;
}

/// Calls `visit` with the first word of each line and the rest of it.
template <class Visitor>
void visit_plan(Visitor&& visit) {
  const int kept = errno;
  const std::string plan = read_plan();
  std::string_view rest = plan;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    const std::string_view call = take_word(line);
    visit(call, line);
  }
  errno = kept;
}

std::optional<Fault> fault_at(std::string_view call, std::string_view path) {
  std::optional<Fault> found;
  visit_plan([&](std::string_view planned, std::string_view rest) {
    if (planned != call || found) return;
    const int error = error_of(take_word(rest));
    const std::string_view part = take_word(rest);
    if (path.find(part) == std::string_view::npos) return;
    found = Fault{.error = error, .bytes = number<std::size_t>(rest)};
  });
  return found;
}

bool is_held(std::string_view call, std::string_view path) {
  bool found = false;
  visit_plan([&](std::string_view planned, std::string_view rest) {
    found = found || (planned == "hold" && take_word(rest) == call &&
                      path.find(take_word(rest)) != std::string_view::npos);
  });
  return found;
}

/// Where a descriptor leads; empty without a plan.
std::string path_of(int descriptor) {
  if (std::getenv("BARTIZAN_FAULTS") == nullptr) return {};
  const std::string link = "/proc/self/fd/" + std::to_string(descriptor);
  std::array<char, 1024> path;
  const int kept = errno;
  const long size = syscall(SYS_readlinkat, AT_FDCWD, link.c_str(), path.data(), path.size());
  errno = kept;
  return {path.data(), static_cast<std::size_t>(size < 0 ? 0 : size)};
}

void wait_while_held(std::string_view call, int descriptor) {
  constexpr timespec kLookAgain{.tv_sec = 0, .tv_nsec = 10'000'000};
  const std::string path = path_of(descriptor);
  while (!path.empty() && is_held(call, path))
    nanosleep(&kLookAgain, nullptr);
}

std::optional<Fault> fault_on(std::string_view call, int descriptor) {
  const std::string path = path_of(descriptor);
  return path.empty() ? std::nullopt : fault_at(call, path);
}

int failed(const Fault& fault) {
  errno = fault.error;
  return -1;
}

}  // namespace

extern "C" {

ssize_t write(int descriptor, const void* bytes, size_t size) {
  wait_while_held("write", descriptor);
  const auto fault = fault_on("write", descriptor);
  if (fault && fault->bytes && *fault->bytes > 0 && *fault->bytes < size) {
    return syscall(SYS_write, descriptor, bytes, *fault->bytes);
  }
  if (fault) return failed(*fault);
  return syscall(SYS_write, descriptor, bytes, size);
}

ssize_t pwrite64(int descriptor, const void* bytes, size_t size, off64_t offset) {
  const auto fault = fault_on("pwrite", descriptor);
  if (fault && fault->bytes && *fault->bytes > 0 && *fault->bytes < size) {
    return syscall(SYS_pwrite64, descriptor, bytes, *fault->bytes, offset);
  }
  if (fault) return failed(*fault);
  return syscall(SYS_pwrite64, descriptor, bytes, size, offset);
}

ssize_t pwrite(int descriptor, const void* bytes, size_t size, off_t offset) {
  return pwrite64(descriptor, bytes, size, offset);
}

int fdatasync(int descriptor) {
  wait_while_held("fdatasync", descriptor);
  const auto fault = fault_on("fdatasync", descriptor);
  if (fault) return failed(*fault);
  return static_cast<int>(syscall(SYS_fdatasync, descriptor));
}

int ftruncate64(int descriptor, off64_t size) noexcept {
  const auto fault = fault_on("ftruncate", descriptor);
  if (fault) return failed(*fault);
  return static_cast<int>(syscall(SYS_ftruncate, descriptor, size));
}

int ftruncate(int descriptor, off_t size) noexcept {
  return ftruncate64(descriptor, size);
}

int accept4(int listener, sockaddr* address, socklen_t* size, int flags) {
  const auto fault = fault_on("accept", listener);
  if (fault) return failed(*fault);
  return static_cast<int>(syscall(SYS_accept4, listener, address, size, flags));
}

int accept(int listener, sockaddr* address, socklen_t* size) {
  return accept4(listener, address, size, 0);
}

int prctl(int option, ...) noexcept {
  va_list arguments;
  va_start(arguments, option);
  const auto second = va_arg(arguments, unsigned long);
  const auto third = va_arg(arguments, unsigned long);
  const auto fourth = va_arg(arguments, unsigned long);
  const auto fifth = va_arg(arguments, unsigned long);
  va_end(arguments);
  bool stays_open = false;
  if (option == PR_SET_DUMPABLE) {
    visit_plan([&](std::string_view planned, std::string_view) {
      stays_open = stays_open || planned == "dumpable";
    });
  }
  if (stays_open) return 0;
  return static_cast<int>(syscall(SYS_prctl, option, second, third, fourth, fifth));
}

int rename(const char* from, const char* to) noexcept {
  const auto fault = fault_at("rename", from);
  if (fault) return failed(*fault);
  return static_cast<int>(syscall(SYS_renameat, AT_FDCWD, from, AT_FDCWD, to));
}

int unlink(const char* path) noexcept {
  const auto fault = fault_at("unlink", path);
  if (fault) return failed(*fault);
  return static_cast<int>(syscall(SYS_unlinkat, AT_FDCWD, path, 0));
}

int open64(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  const auto fault = fault_at("open", path);
  if (fault) return failed(*fault);
  return static_cast<int>(syscall(SYS_openat, AT_FDCWD, path, flags, mode));
}

int open(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  return open64(path, flags, mode);
}

int clock_gettime(clockid_t clock, timespec* time) noexcept {
  const auto result = static_cast<int>(syscall(SYS_clock_gettime, clock, time));
  if (clock != CLOCK_REALTIME || std::getenv("BARTIZAN_FAULTS") == nullptr) return result;
  visit_plan([&](std::string_view planned, std::string_view rest) {
    if (planned == "clock") time->tv_sec += number<time_t>(rest).value_or(0);
  });
  return result;
}
}
