#include "gateway/launch/launcher.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "gateway/launch/keeper.h"
#include "gateway/launch/launch_plan.h"
#include "gateway/launch/process_tree.h"
#include "gateway/launch/protect_memory.h"
#include "gateway/process/find_program.h"
#include "gateway/process/start_failure.h"
#include "gateway/process/switch_user.h"
#include "schemas/base/secret_text.h"

namespace bartizan {
namespace {

using Purpose = LaunchPlan::Purpose;

/// Control, three pipes, the plan, and an image.
constexpr std::size_t kPartsMax = 6;
constexpr std::size_t kPartsMin = 5;
constexpr int kEndRounds = 1000;
/// Ten seconds, in which keepers end their servers.
constexpr int kKeeperRounds = 5000;
constexpr int kEndPauseMs = 2;
/// The longest packet of a keeper.
constexpr std::size_t kPacketMax = 4096;

// --- The launcher's own process -----------------------------------------------------------------

/// The environment of the forked process may contain a key, and /proc shows it.
void wipe_environment() {
  for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable)
    explicit_bzero(*variable, std::strlen(*variable));
  environ = nullptr;
}

struct Request {
  std::vector<Descriptor> parts;
  char kind = kAsksPlainly;
  bool is_over = false;  ///< The gateway is gone.
};

Request receive_request(const Descriptor& socket) {
  Request request;
  iovec content{.iov_base = &request.kind, .iov_len = 1};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(kPartsMax * sizeof(int))> space = {};
  msghdr message = {};
  message.msg_iov = &content;
  message.msg_iovlen = 1;
  message.msg_control = space.data();
  message.msg_controllen = space.size();
  const ssize_t size = recvmsg(socket.get(), &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
  if (size == 0) request.is_over = true;
  if (size < 0) request.is_over = errno != EAGAIN && errno != EINTR;
  if (size <= 0) return request;
  for (cmsghdr* part = CMSG_FIRSTHDR(&message); part != nullptr;
       part = CMSG_NXTHDR(&message, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(part) + i * sizeof(int), sizeof fd);
      request.parts.emplace_back(fd);
    }
  }
  return request;
}

class LauncherLoop {
 public:
  explicit LauncherLoop(Descriptor socket) : socket_(std::move(socket)) {}

  [[noreturn]] void run() {
    const ChildWatch ends;
    std::array<pollfd, 2> watched = {pollfd{.fd = socket_.get(), .events = POLLIN, .revents = 0},
                                     pollfd{.fd = ends.get(), .events = POLLIN, .revents = 0}};
    while (true) {
      if (poll(watched.data(), watched.size(), -1) < 0) continue;
      if (watched[1].revents != 0) {
        ends.clear();
        reap();
      }
      if (watched[0].revents == 0) continue;
      Request request = receive_request(socket_);
      if (request.is_over) finish();
      fork_keeper(std::move(request.parts), request.kind);
    }
  }

 private:
  void fork_keeper(std::vector<Descriptor> parts, char kind) {
    if (parts.size() < kPartsMin) return;
    const pid_t keeper = fork();
    if (keeper > 0) keepers_.insert(keeper);
    if (keeper < 0) {
      const std::string why = kSaysFailed + ("no more processes: " + reason_of(errno));
      static_cast<void>(send(parts[0].get(), why.data(), why.size(), MSG_NOSIGNAL));
    }
    if (keeper != 0) return;
    socket_ = Descriptor();
    keep_program({.control = std::move(parts[0]),
                  .input = std::move(parts[1]),
                  .output = std::move(parts[2]),
                  .error = std::move(parts[3]),
                  .plan = std::move(parts[4]),
                  .image = parts.size() > kPartsMin ? std::move(parts[5]) : Descriptor(),
                  .needs_own_ids = kind == kAsksForOwnIds});
  }

  void reap() {
    while (true) {
      const pid_t ended = waitpid(-1, nullptr, WNOHANG);
      if (ended <= 0) break;
      keepers_.erase(ended);
    }
    // The leftovers of a killed keeper.
    kill_children([this](pid_t child) { return keepers_.contains(child); });
  }

  /// Each keeper has noticed the same, and ends its server.
  [[noreturn]] void finish() {
    for (int round = 0; round < kKeeperRounds && !keepers_.empty(); ++round) {
      const pid_t ended = waitpid(-1, nullptr, WNOHANG);
      if (ended < 0 && errno == ECHILD) break;
      if (ended > 0) keepers_.erase(ended);
      if (ended <= 0) poll(nullptr, 0, kEndPauseMs);
    }
    // The remaining keepers, and the processes that they would have ended.
    kill_children([](pid_t) { return false; });
    _exit(0);
  }

  Descriptor socket_;
  std::set<pid_t> keepers_;
};

[[noreturn]] void be_launcher(Descriptor socket) {
  prctl(PR_SET_NAME, "bartizan-launch");
  wipe_environment();
  protect_memory();
  // Not in the signal group of a terminal or service manager, as it ends after the gateway.
  setsid();
  for (const int number : {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGPIPE})
    signal(number, SIG_IGN);
  signal(SIGCHLD, SIG_DFL);
  // Closes the descriptors that the gateway was started with.
  const int kept = dup2(socket.get(), STDERR_FILENO + 1);
  if (kept != socket.get()) socket = Descriptor(kept);
  close_range(STDERR_FILENO + 2, ~0U, 0);
  const Descriptor nothing(open("/dev/null", O_RDWR | O_CLOEXEC));
  for (const int number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (nothing.get() >= 0) dup2(nothing.get(), number);
  }
  static_cast<void>(fcntl(socket.get(), F_SETFD, FD_CLOEXEC));
  adopt_descendants();
  LauncherLoop(std::move(socket)).run();
}

// --- The gateway's side -------------------------------------------------------------------------

bool holds_nul(std::string_view text) {
  return text.find('\0') != std::string_view::npos;
}

Result<void> check_text(const ChildOptions& options) {
  if (options.command.empty() || options.command[0].empty())
    return start_failed("no program is named");
  for (const std::string& argument : options.command) {
    if (holds_nul(argument)) return start_failed("an argument of the command holds a NUL");
  }
  for (const auto& [name, value] : options.environment) {
    if (name.empty() || name.contains('=') || holds_nul(name) || holds_nul(value)) {
      return start_failed(fmt::format("the environment variable \"{:.40}\" cannot be set", name));
    }
  }
  return {};
}

/// Whether this process already has the account, and only its groups.
bool is_ours(const Account& account) {
  std::vector<gid_t> groups(static_cast<std::size_t>(std::max(0, getgroups(0, nullptr))));
  const int count = getgroups(static_cast<int>(groups.size()), groups.data());
  if (count < 0) return false;
  std::set<gid_t> ours(groups.begin(), groups.begin() + count);
  ours.insert(getegid());
  std::set<gid_t> theirs(account.groups.begin(), account.groups.end());
  theirs.insert(account.gid);
  return account.uid == geteuid() && account.gid == getegid() && ours == theirs;
}

Result<LaunchPlan> make_plan(const ChildOptions& options, Purpose purpose) {
  if (Result<void> checked = check_text(options); !checked) {
    return std::unexpected(checked.error());
  }
  Result<std::string> program = find_program(options.command[0], options.environment);
  if (!program) return std::unexpected(program.error());
  LaunchPlan plan{.program = *std::move(program),
                  .arguments = options.command,
                  .cwd = options.cwd,
                  .sandbox = options.sandbox,
                  .has_image = options.image != nullptr,
                  .purpose = purpose};
  if (!options.sandbox.user.empty()) {
    Result<Account> account = find_account(options.sandbox.user);
    if (!account) return std::unexpected(account.error());
    // A process of that account needs no privilege for it, and often has none.
    if (!is_ours(*account)) plan.account = *std::move(account);
  }
  const bool is_root = plan.account.has_value() ? plan.account->uid == 0 : geteuid() == 0;
  if (is_root && options.sandbox.level != SandboxConfig::Level::none) {
    // Files of root, and the kernel's settings, check only the user id.
    return start_failed(
        "a level of the sandbox does not hold root: write sandbox.user, an account of "
        "the server's own");
  }
  for (const auto& [name, value] : options.environment)
    plan.environment.push_back(fmt::format("{}={}", name, value));
  return plan;
}

/// An unnamed file: only holders of its descriptor can read it.
Result<Descriptor> write_plan(std::string bytes) {
  Descriptor file(memfd_create("bartizan-plan", MFD_CLOEXEC));
  if (file.get() < 0) return start_failed("no memory for its plan: " + reason_of(errno));
  std::string_view rest = bytes;
  while (!rest.empty()) {
    const ssize_t written = write(file.get(), rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return start_failed("no memory for its plan: " + reason_of(errno));
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
  // They include the values of secret variables.
  wipe(bytes.data(), bytes.size());
  return file;
}

struct Pipe {
  Descriptor read;
  Descriptor write;
};

Result<Pipe> make_pipe() {
  std::array<int, 2> ends = {};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return start_failed("no pipe: " + reason_of(errno));
  return Pipe{.read = Descriptor(ends[0]), .write = Descriptor(ends[1])};
}

/// A child's three pipes, and the two ends of its control socket.
struct Ends {
  ChildProcess::Pipes ours;
  ChildProcess::Pipes theirs;
  Descriptor our_control;
  Descriptor their_control;
};

Result<Ends> make_ends() {
  Ends ends;
  Result<Pipe> input = make_pipe();
  if (!input) return std::unexpected(input.error());
  Result<Pipe> output = make_pipe();
  if (!output) return std::unexpected(output.error());
  Result<Pipe> error = make_pipe();
  if (!error) return std::unexpected(error.error());
  ends.ours = {.input = std::move(input->write),
               .output = std::move(output->read),
               .error = std::move(error->read)};
  ends.theirs = {.input = std::move(input->read),
                 .output = std::move(output->write),
                 .error = std::move(error->write)};
  // Each end of a pipe is a separate open file, so the child's ends stay blocking.
  for (const Descriptor* ours : {&ends.ours.input, &ends.ours.output, &ends.ours.error}) {
    if (fcntl(ours->get(), F_SETFL, O_NONBLOCK) != 0)
      return start_failed("a pipe cannot be set up");
  }
  std::array<int, 2> control = {};
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, control.data()) != 0)
    return start_failed("no socket for its keeper: " + reason_of(errno));
  ends.our_control = Descriptor(control[0]);
  ends.their_control = Descriptor(control[1]);
  return ends;
}

/// Returns 0, or the error. Never waits: the socket of a launcher that does not answer eventually
/// is full.
int send_parts(const Descriptor& socket, std::span<const int> parts, char kind) {
  iovec content{.iov_base = &kind, .iov_len = 1};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(kPartsMax * sizeof(int))> space = {};
  msghdr message = {};
  message.msg_iov = &content;
  message.msg_iovlen = 1;
  message.msg_control = space.data();
  message.msg_controllen = CMSG_SPACE(parts.size_bytes());
  cmsghdr* header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(parts.size_bytes());
  std::memcpy(CMSG_DATA(header), parts.data(), parts.size_bytes());
  while (sendmsg(socket.get(), &message, MSG_NOSIGNAL | MSG_DONTWAIT) < 0) {
    if (errno != EINTR) return errno;
  }
  return 0;
}

/// Waits for the first packet of a keeper, or its end.
void wait_for(const StartingChild& child) {
  pollfd watched{.fd = child.control().get(), .events = POLLIN, .revents = 0};
  const auto wait = std::chrono::milliseconds(Launcher::kStartDeadline);
  while (poll(&watched, 1, static_cast<int>(wait.count())) < 0 && errno == EINTR) {
  }
}

Result<StartingChild> ask(const Descriptor& launcher, const ChildOptions& options,
                          Purpose purpose) {
  Result<LaunchPlan> plan = make_plan(options, purpose);
  if (!plan) return std::unexpected(plan.error());
  const Result<Descriptor> file = write_plan(encode_plan(*plan));
  for (std::string& variable : plan->environment)
    wipe(variable.data(), variable.size());
  if (!file) return std::unexpected(file.error());
  Result<Ends> ends = make_ends();
  if (!ends) return std::unexpected(ends.error());
  std::vector<int> parts = {ends->their_control.get(), ends->theirs.input.get(),
                            ends->theirs.output.get(), ends->theirs.error.get(), file->get()};
  if (options.image != nullptr) parts.push_back(options.image->get());
  const bool needs_namespaces = plan->sandbox.network == SandboxConfig::Network::none ||
                                plan->sandbox.level != SandboxConfig::Level::none;
  const char kind = needs_namespaces && !plan->account.has_value() ? kAsksForOwnIds : kAsksPlainly;
  if (const int error = send_parts(launcher, parts, kind); error != 0) {
    return start_failed(error == EAGAIN
                            ? "the gateway's launcher does not answer; restart the gateway"
                            : "the gateway's launcher has ended; restart the gateway");
  }
  return StartingChild(std::move(ends->ours), std::move(ends->our_control));
}

}  // namespace

ChildOptions::~ChildOptions() {
  for (auto& [name, value] : environment)
    wipe(value.data(), value.size());
}

Result<Launcher> Launcher::start() {
  std::array<int, 2> ends = {};
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0)
    return start_failed("no socket for the launcher: " + reason_of(errno));
  Descriptor ours(ends[0]);
  Descriptor theirs(ends[1]);
  const pid_t launcher = fork();
  if (launcher == 0) {
    ours = Descriptor();
    be_launcher(std::move(theirs));
  }
  if (launcher < 0) return start_failed("no process for the launcher: " + reason_of(errno));
  return Launcher(std::move(ours), launcher);
}

Launcher::~Launcher() {
  if (socket_.get() < 0) return;
  socket_ = Descriptor();
  // It runs as long as one of its servers does.
  for (int round = 0; round < kEndRounds && waitpid(pid_, nullptr, WNOHANG) == 0; ++round)
    poll(nullptr, 0, kEndPauseMs);
}

Result<ChildProcess> StartingChild::finish() && {
  std::string packet(kPacketMax, '\0');
  const ssize_t size = recv(control_.get(), packet.data(), packet.size(), MSG_DONTWAIT);
  if (size < 0 && errno == EAGAIN) return start_failed("it was not started in time");
  packet.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
  if (packet.starts_with(kSaysFailed)) return start_failed(packet.substr(1));
  int pid = 0;
  if (packet.size() != 1 + sizeof pid || packet[0] != kSaysStarted)
    return start_failed("its keeper ended while it was started");
  std::memcpy(&pid, &packet[1], sizeof pid);
  return ChildProcess(std::move(pipes_), std::move(control_), pid);
}

Result<StartingChild> Launcher::begin(const ChildOptions& options) const {
  return ask(socket_, options, Purpose::run);
}

Result<ChildProcess> Launcher::launch(const ChildOptions& options) const {
  Result<StartingChild> child = begin(options);
  if (!child) return std::unexpected(child.error());
  wait_for(*child);
  return std::move(*child).finish();
}

Result<void> Launcher::probe(const ChildOptions& options) const {
  Result<StartingChild> child = ask(socket_, options, Purpose::probe);
  if (!child) return std::unexpected(child.error());
  wait_for(*child);
  Result<ChildProcess> tried = std::move(*child).finish();
  if (!tried) return std::unexpected(tried.error());
  return {};
}

bool Launcher::has_ended() const {
  pollfd watched{.fd = socket_.get(), .events = 0, .revents = 0};
  return poll(&watched, 1, 0) > 0 && (watched.revents & (POLLHUP | POLLERR)) != 0;
}

}  // namespace bartizan
