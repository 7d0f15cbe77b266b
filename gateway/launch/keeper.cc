#include "gateway/launch/keeper.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <expected>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "gateway/launch/become_program.h"
#include "gateway/launch/control_group.h"
#include "gateway/launch/file_access.h"
#include "gateway/launch/launch_plan.h"
#include "gateway/launch/own_namespaces.h"
#include "gateway/launch/own_root.h"
#include "gateway/launch/process_tree.h"

namespace bartizan {
namespace {

using Level = SandboxConfig::Level;

constexpr std::size_t kSentenceMax = 1000;

void say(const Descriptor& control, std::string_view packet) {
  // The end of the gateway is handled elsewhere.
  static_cast<void>(send(control.get(), packet.data(), packet.size(), MSG_NOSIGNAL));
}

template <class... Numbers>
std::string packet_of(char kind, Numbers... numbers) {
  std::string packet(1, kind);
  const auto add = [&packet](int number) {
    packet.append(reinterpret_cast<const char*>(&number), sizeof number);
  };
  (add(numbers), ...);
  return packet;
}

std::optional<LaunchPlan> read_plan(const Descriptor& file) {
  struct stat status = {};
  if (fstat(file.get(), &status) != 0) return std::nullopt;
  std::string bytes(static_cast<std::size_t>(status.st_size), '\0');
  std::size_t have = 0;
  while (have < bytes.size()) {
    const ssize_t size =
        pread(file.get(), bytes.data() + have, bytes.size() - have, static_cast<off_t>(have));
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return std::nullopt;
    have += static_cast<std::size_t>(size);
  }
  return decode_plan(bytes);
}

/// The lists of a plan, with its home and its program.
FileLists lists_of(const LaunchPlan& plan) {
  FileLists lists{.read = plan.sandbox.read, .write = plan.sandbox.write};
  if (!plan.sandbox.home.empty()) lists.write.push_back(plan.sandbox.home);
  // Last: in its own root it may be in a folder that was mounted before.
  lists.read.push_back(plan.program);
  return lists;
}

/// Whether a path is `/proc`, a part of it, or contains it.
bool has_processes_in(const FileLists& lists) {
  const auto is_there = [](const std::string& path) {
    return path == "/" || path == "/proc" || path.starts_with("/proc/");
  };
  return std::ranges::any_of(lists.read, is_there) || std::ranges::any_of(lists.write, is_there);
}

/// A program in a user namespace could create another one, in which it has capabilities.
void forbid_more_namespaces() {
  const Descriptor file(open("/proc/sys/user/max_user_namespaces", O_WRONLY | O_CLOEXEC));
  static_cast<void>(write(file.get(), "0", 1) < 0);
}

/// The program's reason why it could not start; empty after its exec, which closes the pipe.
std::string read_failure(const Descriptor& pipe) {
  std::string said;
  std::array<char, 512> part = {};
  while (true) {
    const ssize_t size = read(pipe.get(), part.data(), part.size());
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return said;
    said.append(part.data(), static_cast<std::size_t>(size));
  }
}

/// A keeper, or its part that is the first process of its own namespaces.
class Keeper {
 public:
  Keeper(LaunchPlan plan, KeeperParts parts, std::expected<Descriptor, int> user_namespace)
      : plan_(std::move(plan)),
        parts_(std::move(parts)),
        user_namespace_(std::move(user_namespace)) {}

  [[noreturn]] void run() {
    if (!adopt_descendants()) fail("its descendants cannot be kept");
    if (wants_control_group(plan_.sandbox)) {
      Result<ControlGroup> made = ControlGroup::make(plan_.sandbox);
      if (!made.has_value()) fail(made.error().detail);
      group_.emplace(*std::move(made));
    }
    const OwnNamespaces wanted{.network = plan_.sandbox.network == SandboxConfig::Network::none,
                               .processes = plan_.sandbox.level != Level::none};
    if (wanted.any() &&
        !enter_own_namespaces(make_id_maps(plan_.account), wanted, user_namespace_)) {
      fail(explain_own_namespaces(errno, wanted));
    }
    user_namespace_ = std::unexpected(0);
    if (wanted.processes) {
      forbid_more_namespaces();
      run_outside();
    }
    start_and_keep();
  }

 private:
  [[noreturn]] void leave(int code) {
    group_.reset();
    _exit(code);
  }

  [[noreturn]] void fail(std::string_view why) {
    say(parts_.control, kSaysFailed + std::string(why.substr(0, kSentenceMax)));
    leave(1);
  }

  /// Waits for its part inside the namespaces.
  [[noreturn]] void run_outside() {
    std::array<int, 2> gate = {};
    if (pipe2(gate.data(), O_CLOEXEC) != 0) fail("no pipe for its start");
    const pid_t inside = fork();
    if (inside == 0) {
      close(gate[1]);
      run_inside(gate[0]);
    }
    if (inside < 0) fail("no more processes");
    // The process id outside is not known inside.
    static_cast<void>(write(gate[1], &inside, sizeof inside) < 0);
    parts_ = {};
    while (waitpid(inside, nullptr, 0) < 0 && errno == EINTR) {
    }
    leave(0);
  }

  [[noreturn]] void run_inside(int gate) {
    if (group_.has_value()) group_->disown();
    // The namespace ends with its first process, and that process with its keeper.
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    if (read(gate, &shown_, sizeof shown_) != sizeof shown_) leave(1);
    close(gate);
    const FileLists lists = lists_of(plan_);
    if (plan_.sandbox.level == Level::container) {
      const Result<void> entered = enter_own_root(lists);
      if (!entered.has_value()) fail(entered.error().detail);
    } else {
      if (has_processes_in(lists)) {
        const Result<void> mounted = mount_own_processes();
        if (!mounted.has_value()) fail(mounted.error().detail);
      }
      const Result<void> kept = keep_from_changing(lists.write);
      if (!kept.has_value()) fail(kept.error().detail);
    }
    start_and_keep();
  }

  /// Forks the program, waits until it runs, and keeps it.
  [[noreturn]] void start_and_keep() {
    std::array<int, 2> ends = {};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) fail("no pipe for its start");
    const Descriptor failure(ends[0]);
    ProgramParts program{.input = std::move(parts_.input),
                         .output = std::move(parts_.output),
                         .error = std::move(parts_.error),
                         .image = std::move(parts_.image),
                         .failure = Descriptor(ends[1]),
                         .file_rules = {},
                         .group = group_.has_value() ? &*group_ : nullptr,
                         .parent = getpid()};
    if (plan_.sandbox.level == Level::process) {
      Result<Descriptor> rules = make_file_rules(lists_of(plan_));
      if (!rules.has_value()) fail(rules.error().detail);
      program.file_rules = *std::move(rules);
    } else if (plan_.sandbox.level == Level::container) {
      program.file_rules = make_scope_rules();
    }
    program_ = fork();
    if (program_ == 0) {
      prctl(PR_SET_NAME, "bartizan-start");
      become_program(plan_, program);
    }
    if (program_ < 0) fail("no more processes");
    // Also from here, so that the group exists in any order of scheduling. After the exec the
    // kernel refuses it, but then the child has done it.
    setpgid(program_, program_);
    program = {};
    const std::string why = read_failure(failure);
    if (!why.empty()) fail(why);
    if (group_.has_value()) group_->begin();
    if (plan_.purpose == LaunchPlan::Purpose::probe) end_probe();
    say(parts_.control, packet_of(kSaysStarted, shown_ == 0 ? program_ : shown_));
    keep();
  }

  /// A killed probe is not a success.
  void end_probe() {
    int status = 0;
    while (waitpid(program_, &status, 0) < 0 && errno == EINTR) {
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) fail("it was killed while it was tried");
    say(parts_.control, packet_of(kSaysStarted, program_));
    leave(0);
  }

  [[noreturn]] void keep() {
    const ChildWatch ends;
    std::array<pollfd, 2> watched = {
        pollfd{.fd = parts_.control.get(), .events = POLLIN, .revents = 0},
        pollfd{.fd = ends.get(), .events = POLLIN, .revents = 0}};
    while (true) {
      if (const std::optional<siginfo_t> end = ended()) {
        end_all();
        group_.reset();
        say(parts_.control, packet_of(kSaysEnded, end->si_code, end->si_status));
        leave(0);
      }
      if (poll(watched.data(), watched.size(), -1) < 0) continue;
      if (watched[0].revents != 0) obey();
      ends.clear();
    }
  }

  /// How the program ended, before it is reaped, as its id is then still its own. Reaps all other
  /// ended children.
  std::optional<siginfo_t> ended() const {
    while (true) {
      siginfo_t end = {};
      if (waitid(P_ALL, 0, &end, WEXITED | WNOHANG | WNOWAIT) != 0 || end.si_pid == 0)
        return std::nullopt;
      if (end.si_pid == program_) return end;
      waitpid(end.si_pid, nullptr, WNOHANG);
    }
  }

  void end_all() const {
    kill(-program_, SIGKILL);
    if (getpid() != 1) return kill_children([](pid_t) { return false; });
    // In the first process of a namespace: all other processes there.
    kill(-1, SIGKILL);
    while (waitpid(-1, nullptr, 0) > 0 || errno == EINTR) {
    }
  }

  /// Handles a signal request of the gateway, or its end.
  void obey() {
    char number = 0;
    const ssize_t size = recv(parts_.control.get(), &number, 1, MSG_DONTWAIT);
    if (size < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (size > 0) {
      kill(-program_, number);
      return;
    }
    end_all();
    leave(0);
  }

  LaunchPlan plan_;
  KeeperParts parts_;
  std::expected<Descriptor, int> user_namespace_;
  std::optional<ControlGroup> group_;
  pid_t program_ = 0;
  pid_t shown_ = 0;  ///< The id of the first process of its namespace, as the machine numbers it.
};

}  // namespace

void keep_program(KeeperParts parts) {
  prctl(PR_SET_NAME, "bartizan-keeper");
  // Before the plan is read, as it contains secrets.
  std::expected<Descriptor, int> user_namespace = std::unexpected(EPERM);
  if (parts.needs_own_ids) user_namespace = make_user_namespace(make_id_maps(std::nullopt));
  std::optional<LaunchPlan> plan = read_plan(parts.plan);
  if (!plan.has_value()) {
    say(parts.control, kSaysFailed + std::string("the plan of its start cannot be read"));
    _exit(1);
  }
  parts.plan = Descriptor();
  Keeper(*std::move(plan), std::move(parts), std::move(user_namespace)).run();
}

}  // namespace bartizan
