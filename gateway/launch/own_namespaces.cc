#include "gateway/launch/own_namespaces.h"

#include <fcntl.h>
#include <linux/securebits.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "gateway/process/start_failure.h"

namespace bartizan {
namespace {

/// The kernel accepts a map only in one write of this size. Source: user_namespaces(7).
constexpr std::size_t kMapBytesMax = 4095;
constexpr std::ptrdiff_t kMapLinesMax = 340;

bool is_too_large(std::string_view map) {
  return map.size() > kMapBytesMax || std::ranges::count(map, '\n') > kMapLinesMax;
}

/// Adjacent ids share a line, as a map has little room.
template <class Id>
std::string map_to_itself(const std::set<Id>& ids) {
  std::string lines;
  for (auto id = ids.begin(); id != ids.end();) {
    const Id first = *id;
    Id count = 0;
    while (id != ids.end() && *id == first + count) {
      ++count;
      ++id;
    }
    lines += fmt::format("{0} {0} {1}\n", first, count);
  }
  return lines;
}

/// Restores errno, which closing descriptors may have changed. Returns false.
bool failed_with(int error) {
  errno = error;
  return false;
}

/// A map is accepted only in one write.
bool write_file(int folder, const char* name, std::string_view text) {
  const int file = openat(folder, name, O_WRONLY | O_CLOEXEC);
  if (file < 0) return false;
  const ssize_t written = write(file, text.data(), text.size());
  const int error = written < 0 ? errno : EINVAL;
  close(file);
  return std::cmp_equal(written, text.size()) || failed_with(error);
}

bool raise_loopback() {
  const int socket_fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (socket_fd < 0) return false;
  ifreq request = {};
  request.ifr_name[0] = 'l';
  request.ifr_name[1] = 'o';
  bool is_up = ioctl(socket_fd, SIOCGIFFLAGS, &request) == 0;
  request.ifr_flags = static_cast<short>(request.ifr_flags | IFF_UP);
  is_up = is_up && ioctl(socket_fd, SIOCSIFFLAGS, &request) == 0;
  const int error = errno;
  close(socket_fd);
  return is_up || failed_with(error);
}

bool write_maps(int process, const IdMaps& maps) {
  if (is_too_large(maps.uids) || is_too_large(maps.gids)) return failed_with(E2BIG);
  const bool keeps_groups = maps.groups == IdMaps::Groups::keep;
  if (keeps_groups && !write_file(process, "setgroups", "deny")) return false;
  return write_file(process, "uid_map", maps.uids) && write_file(process, "gid_map", maps.gids);
}

/// Runs in a process outside of the new user namespace, which keeps the privilege to map the ids of
/// other accounts. It writes the maps when the gate is closed. Exits with the error, or 0.
[[noreturn]] void map_from_outside(int process, int gate, const IdMaps& maps) {
  char byte = 0;
  while (read(gate, &byte, 1) < 0 && errno == EINTR) {
  }
  _exit(write_maps(process, maps) ? 0 : errno);
}

int wait_for(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return errno;
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : ECHILD;
}

bool unshare_with_helper(int process, const IdMaps& maps, int kinds) {
  std::array<int, 2> gate = {};
  if (pipe2(gate.data(), O_CLOEXEC) != 0) return false;
  const pid_t helper = _Fork();
  if (helper == 0) {
    close(gate[1]);
    map_from_outside(process, gate[0], maps);
  }
  const int fork_error = errno;
  const bool is_alone = helper > 0 && unshare(kinds) == 0;
  const int error = helper > 0 ? errno : fork_error;
  close(gate[0]);
  close(gate[1]);
  const int helped = helper > 0 ? wait_for(helper) : 0;
  if (!is_alone) return failed_with(error);
  return helped == 0 || failed_with(helped);
}

int kinds_of(OwnNamespaces wanted) {
  return (wanted.network ? CLONE_NEWNET : 0) |
         (wanted.processes ? CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWIPC | CLONE_NEWUTS : 0);
}

bool join(const std::expected<Descriptor, int>& user_namespace, OwnNamespaces wanted) {
  if (!user_namespace.has_value()) return failed_with(user_namespace.error());
  return setns(user_namespace->get(), CLONE_NEWUSER) == 0 && unshare(kinds_of(wanted)) == 0;
}

constexpr int kSaidFd = 3;
constexpr int kGateFd = 4;

/// Reports the error, or 0, and stays until its namespace has been opened.
[[noreturn]] void hold_user_namespace(int said, int gate, const IdMaps& maps) {
  prctl(PR_SET_NAME, "bartizan-maps");
  // Closes the other descriptors of this process before it becomes readable.
  const int high_said = fcntl(said, F_DUPFD_CLOEXEC, kGateFd + 1);
  const int high_gate = fcntl(gate, F_DUPFD_CLOEXEC, kGateFd + 1);
  if (dup2(high_said, kSaidFd) < 0 || dup2(high_gate, kGateFd) < 0) _exit(1);
  if (close_range(kGateFd + 1, ~0U, 0) != 0) _exit(1);
  prctl(PR_SET_DUMPABLE, 1);
  const int process = open("/proc/self", O_PATH | O_DIRECTORY | O_CLOEXEC);
  const bool is_made = process >= 0 && unshare(CLONE_NEWUSER) == 0 && write_maps(process, maps);
  const int error = is_made ? 0 : errno;
  static_cast<void>(write(kSaidFd, &error, sizeof error) < 0);
  char byte = 0;
  while (read(kGateFd, &byte, 1) < 0 && errno == EINTR) {
  }
  _exit(0);
}

std::expected<Descriptor, int> open_user_namespace(pid_t process) {
  Descriptor opened(open(fmt::format("/proc/{}/ns/user", process).c_str(), O_RDONLY | O_CLOEXEC));
  if (opened.get() < 0) return std::unexpected(errno);
  return opened;
}

/// The process can be examined, and so write its maps, during its lifetime.
class Dumpable {
 public:
  Dumpable() : before_(prctl(PR_GET_DUMPABLE)) { prctl(PR_SET_DUMPABLE, 1); }
  ~Dumpable() { prctl(PR_SET_DUMPABLE, before_ == 1 ? 1 : 0); }
  Dumpable(const Dumpable&) = delete;
  Dumpable& operator=(const Dumpable&) = delete;

 private:
  int before_;
};

/// For a process that may map more than its own ids.
bool make_and_enter(const IdMaps& maps, OwnNamespaces wanted) {
  const Dumpable dumpable;
  const Descriptor process(open("/proc/self", O_PATH | O_DIRECTORY | O_CLOEXEC));
  return process.get() >= 0 &&
         unshare_with_helper(process.get(), maps, CLONE_NEWUSER | kinds_of(wanted));
}

}  // namespace

IdMaps make_id_maps(const std::optional<Account>& account) {
  std::set<uid_t> uids{geteuid()};
  std::set<gid_t> gids{getegid()};
  if (account.has_value()) {
    uids.insert(account->uid);
    gids.insert(account->gid);
    gids.insert(account->groups.begin(), account->groups.end());
  }
  return {.uids = map_to_itself(uids),
          .gids = map_to_itself(gids),
          .groups = account.has_value() ? IdMaps::Groups::may_be_set : IdMaps::Groups::keep};
}

std::expected<Descriptor, int> make_user_namespace(const IdMaps& maps) {
  std::array<int, 2> said = {};
  if (pipe2(said.data(), O_CLOEXEC) != 0) return std::unexpected(errno);
  const Descriptor answer(said[0]);
  Descriptor answering(said[1]);
  std::array<int, 2> gate = {};
  if (pipe2(gate.data(), O_CLOEXEC) != 0) return std::unexpected(errno);
  Descriptor waiting(gate[0]);
  Descriptor leave(gate[1]);
  const pid_t holder = _Fork();
  if (holder == 0) hold_user_namespace(answering.get(), waiting.get(), maps);
  if (holder < 0) return std::unexpected(errno);
  answering = Descriptor();
  waiting = Descriptor();
  int error = ECHILD;
  while (read(answer.get(), &error, sizeof error) < 0 && errno == EINTR) {
  }
  std::expected<Descriptor, int> opened = std::unexpected(error);
  if (error == 0) opened = open_user_namespace(holder);
  leave = Descriptor();
  wait_for(holder);
  return opened;
}

bool enter_own_namespaces(const IdMaps& maps, OwnNamespaces wanted,
                          const std::expected<Descriptor, int>& user_namespace) {
  // Root can leave a namespace that root has made, so a level always needs a user namespace.
  if (!wanted.processes) {
    if (unshare(kinds_of(wanted)) == 0 && raise_loopback()) return true;
    if (errno != EPERM) return false;
  }
  const bool is_inside = maps.groups == IdMaps::Groups::keep ? join(user_namespace, wanted)
                                                             : make_and_enter(maps, wanted);
  if (!is_inside) return false;
  if (wanted.network && !raise_loopback()) return false;
  // User 0 there would have every capability of that namespace after the exec.
  return prctl(PR_SET_SECUREBITS, SECBIT_NOROOT | SECBIT_NOROOT_LOCKED, 0, 0, 0) == 0;
}

std::string explain_own_namespaces(int error, OwnNamespaces wanted) {
  if (error == E2BIG) {
    return "the sandbox's user is in more groups than a user namespace can have; give the server "
           "a user with fewer";
  }
  const std::string why = reason_of(error);
  const std::string hint = "let it make user and other namespaces, as docs/local-servers.md says";
  if (wanted.processes) {
    return fmt::format(
        "the machine does not let the gateway make the namespaces that a level of the sandbox asks "
        "for: {}; {}, or write level = \"none\"",
        why, hint);
  }
  return fmt::format(
      "the machine does not let the gateway make the network that sandbox = {{ network = \"none\" "
      "}} asks for: {}; {}, or write network = \"host\"",
      why, hint);
}

}  // namespace bartizan
