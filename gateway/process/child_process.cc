#include "gateway/process/child_process.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include <fmt/format.h>

#include "gateway/process/account.h"
#include "gateway/process/find_program.h"
#include "gateway/process/own_network.h"
#include "gateway/runtime/open_files.h"

namespace bartizan {
namespace {

/// What the child was doing when it failed. Told to the parent as a number: between fork and exec
/// nothing may allocate, so sentences are made on the parent's side.
enum class Step : int {
  group,
  descriptors,
  limits,
  network,
  account,
  directory,
  privileges,
  parent,
  exec
};

struct ChildFailure {
  Step step;
  int error;
};

/// Everything the child needs, made before the fork; the child only reads it.
struct Preparation {
  std::string program;
  std::vector<std::string> environment;
  std::vector<char*> argv;
  std::vector<char*> envp;
  std::optional<Account> account;
  std::optional<IdMaps> network;  ///< Of a child that gets a network of its own.
};

struct Pipe {
  Descriptor read;
  Descriptor write;
};

/// A child's three pipes and the one on which it tells why it could not become the program.
struct Pipes {
  Pipe input;
  Pipe output;
  Pipe error;
  Pipe failure;
};

std::unexpected<Error> failed(std::string detail) {
  return fail(ErrorCode::server_failed, Fault::server, std::move(detail));
}

std::string reason_of(int error) {
  return fmt::format("{} (errno {})", std::strerror(error),
                     error);  // NOLINT(concurrency-mt-unsafe)
}

bool holds_nul(std::string_view text) {
  return text.find('\0') != std::string_view::npos;
}

Result<void> check_text(const ChildOptions& options) {
  if (options.command.empty() || options.command[0].empty()) return failed("no program is named");
  for (const std::string& argument : options.command) {
    if (holds_nul(argument)) return failed("an argument of the command holds a NUL");
  }
  for (const auto& [name, value] : options.environment) {
    if (name.empty() || name.contains('=') || holds_nul(name) || holds_nul(value)) {
      return failed(fmt::format("the environment variable \"{:.40}\" cannot be set", name));
    }
  }
  return {};
}

std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  // execve takes char* const for historical reasons and writes through none of them.
  for (const std::string& text : texts)
    pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

Result<Preparation> prepare(const ChildOptions& options) {
  if (Result<void> checked = check_text(options); !checked) {
    return std::unexpected(checked.error());
  }
  Result<std::string> program = find_program(options.command[0], options.environment);
  if (!program) return std::unexpected(program.error());
  Preparation ready;
  ready.program = *std::move(program);
  if (!options.user.empty()) {
    Result<Account> account = find_account(options.user);
    if (!account) return std::unexpected(account.error());
    // Who already is that account needs, and often has, no privilege to become it.
    const bool is_us = account->uid == geteuid() && account->gid == getegid();
    if (!is_us) ready.account = *std::move(account);
  }
  if (options.network == ChildOptions::Network::none) ready.network = make_id_maps(ready.account);
  for (const auto& [name, value] : options.environment) {
    ready.environment.push_back(fmt::format("{}={}", name, value));
  }
  ready.argv = pointers_to(options.command);
  ready.envp = pointers_to(ready.environment);
  return ready;
}

/// A descriptor below 3, free because the gateway was started without standard streams, would be
/// overwritten by the child's dup2.
Descriptor above_standard(int fd) {
  if (fd > STDERR_FILENO) return Descriptor(fd);
  const Descriptor low(fd);
  return Descriptor(fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
}

Result<Pipe> make_pipe() {
  std::array<int, 2> ends = {};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return failed("no pipe: " + reason_of(errno));
  Pipe pipe{.read = above_standard(ends[0]), .write = above_standard(ends[1])};
  if (pipe.read.get() < 0 || pipe.write.get() < 0) return failed("no pipe: too many open files");
  return pipe;
}

Result<Pipes> make_pipes() {
  Pipes pipes;
  for (Pipe* pipe : {&pipes.input, &pipes.output, &pipes.error, &pipes.failure}) {
    Result<Pipe> made = make_pipe();
    if (!made) return std::unexpected(made.error());
    *pipe = *std::move(made);
  }
  // Each end of a pipe is an open file of its own, so the child's ends stay blocking.
  for (const Descriptor* ours : {&pipes.input.write, &pipes.output.read, &pipes.error.read}) {
    if (fcntl(ours->get(), F_SETFL, O_NONBLOCK) != 0) return failed("a pipe cannot be set up");
  }
  return pipes;
}

// Between fork and exec only async-signal-safe calls are allowed: another thread may have held
// any lock at the fork. The functions below therefore touch no heap, no stdio and no locale.

[[noreturn]] void give_up(int failure_fd, Step step) {
  const ChildFailure failure{.step = step, .error = errno};
  // Eight bytes into an empty pipe are written at once or not at all; without them the parent
  // still sees the exit.
  [[maybe_unused]] const ssize_t written = write(failure_fd, &failure, sizeof failure);
  _exit(127);
}

/// Ignored signals and the blocked mask would otherwise pass through exec into the program. Asked
/// of the kernel itself: the library refuses the two signals that it keeps for its own use, which a
/// parent may have left ignored.
void reset_signals() {
  struct {
    void (*handler)(int) = nullptr;  // SIG_DFL.
    unsigned long flags = 0;
    void (*restorer)() = nullptr;
    std::uint64_t mask = 0;
  } const standard;
  for (int number = 1; number < NSIG; ++number)
    syscall(SYS_rt_sigaction, number, &standard, nullptr, sizeof(standard.mask));
  const sigset_t none{};
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

constexpr int kFailureFd = 3;
constexpr int kImageFd = 4;
bool place_descriptors(const Pipes& pipes, const Descriptor* image) {
  if (dup2(pipes.input.read.get(), STDIN_FILENO) < 0) return false;
  if (dup2(pipes.output.write.get(), STDOUT_FILENO) < 0) return false;
  if (dup2(pipes.error.write.get(), STDERR_FILENO) < 0) return false;
  // Out of the way first: its number may be the one that the other is to have.
  const int kept = image == nullptr ? -1 : fcntl(image->get(), F_DUPFD_CLOEXEC, kImageFd + 1);
  if (image != nullptr && kept < 0) return false;
  const int failure = pipes.failure.write.get();
  if (failure != kFailureFd && dup3(failure, kFailureFd, O_CLOEXEC) < 0) return false;
  if (image != nullptr && dup3(kept, kImageFd, O_CLOEXEC) < 0) return false;
  return close_range(image == nullptr ? kImageFd : kImageFd + 1, ~0U, 0) == 0;
}

bool set_limit(__rlimit_resource what, std::uint64_t value) {
  const rlimit limit{.rlim_cur = value, .rlim_max = value};
  return setrlimit(what, &limit) == 0;
}

bool set_limits(const ChildOptions& options) {
  const auto [memory, files] = std::pair(options.memory_bytes_max, options.open_files_max);
  return set_limit(RLIMIT_CORE, 0) && (memory == 0 || set_limit(RLIMIT_AS, memory)) &&
         (files == 0 ? lower_open_files() : set_limit(RLIMIT_NOFILE, files));
}

[[noreturn]] void become_program(const ChildOptions& options, const Preparation& ready,
                                 const Pipes& pipes, pid_t parent) {
  if (!place_descriptors(pipes, options.image))
    give_up(pipes.failure.write.get(), Step::descriptors);
  if (setpgid(0, 0) != 0) give_up(kFailureFd, Step::group);
  if (!set_limits(options)) give_up(kFailureFd, Step::limits);
  // While it may still do what the gateway may: as the account, it could not map the account's id.
  if (ready.network && !enter_own_network(*ready.network)) give_up(kFailureFd, Step::network);
  if (ready.account && !become(*ready.account)) give_up(kFailureFd, Step::account);
  // As the account that will run there: what it may not enter is refused here.
  if (!options.cwd.empty() && chdir(options.cwd.c_str()) != 0) {
    give_up(kFailureFd, Step::directory);
  }
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) give_up(kFailureFd, Step::privileges);
  // Capabilities that a unit lent the gateway, to become other accounts, would outlive the exec.
  if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) != 0) {
    give_up(kFailureFd, Step::privileges);
  }
  // After the change of account, which clears it; and a parent that died before is noticed below.
  if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != 0) give_up(kFailureFd, Step::privileges);
  if (getppid() != parent) give_up(kFailureFd, Step::parent);
  reset_signals();
  if (options.image != nullptr) {
    syscall(SYS_execveat, kImageFd, "", ready.argv.data(), ready.envp.data(), AT_EMPTY_PATH);
  } else {
    execve(ready.program.c_str(), ready.argv.data(), ready.envp.data());
  }
  give_up(kFailureFd, Step::exec);
}

/// Forks with every signal blocked, so that no handler of ours runs in the child.
pid_t fork_program(const ChildOptions& options, const Preparation& ready, const Pipes& pipes) {
  const pid_t parent = getpid();
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const pid_t child = fork();
  if (child == 0) become_program(options, ready, pipes, parent);
  const int error = errno;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = error;
  return child;
}

std::string explain(const ChildFailure& failure, const ChildOptions& options,
                    const std::string& program) {
  const std::string why = reason_of(failure.error);
  switch (failure.step) {
    case Step::group:
      return "no process group of its own: " + why;
    case Step::descriptors:
      return "its pipes cannot be placed: " + why;
    case Step::limits:
      return "its memory or open-file limit cannot be set: " + why;
    case Step::network:
      return explain_own_network(failure.error);
    case Step::account:
      return fmt::format("cannot become user \"{:.40}\": {}", options.user, why);
    case Step::directory:
      return fmt::format("directory \"{:.200}\": {}", options.cwd, why);
    case Step::privileges:
      return "its privileges cannot be fixed: " + why;
    case Step::parent:
      return "the gateway ended while it was started";
    case Step::exec:
      break;
  }
  if (failure.error == ENOENT) {
    // The file itself was found a moment ago.
    return fmt::format("program \"{:.200}\": the interpreter it names is missing", program);
  }
  return fmt::format("program \"{:.200}\" cannot be executed: {}", program, why);
}

/// Nothing when the exec closed the pipe: the program runs.
std::optional<ChildFailure> read_failure(const Descriptor& pipe) {
  ChildFailure failure{.step = Step::exec, .error = 0};
  ssize_t size = 0;
  do {
    size = read(pipe.get(), &failure, sizeof failure);
  } while (size < 0 && errno == EINTR);
  if (size == 0) return std::nullopt;
  return failure;
}

/// By number: glibc 2.36 declares pidfd_open without extern "C", so C++ cannot link to it.
Descriptor open_pidfd(pid_t pid) {
  return Descriptor(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
}

void reap(pid_t pid) {
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
}

std::string text_of(const siginfo_t& end) {
  if (end.si_code == CLD_EXITED) return fmt::format("exit {}", end.si_status);
  const char* name = sigabbrev_np(end.si_status);
  if (name == nullptr) return fmt::format("signal {}", end.si_status);
  return fmt::format("signal {} (SIG{})", end.si_status, name);
}

}  // namespace

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  if (this == &other) return *this;
  if (fd_ >= 0) close(fd_);
  fd_ = std::exchange(other.fd_, -1);
  return *this;
}

Descriptor Descriptor::duplicate() const {
  return Descriptor(::fcntl(fd_, F_DUPFD_CLOEXEC, 0));
}

Descriptor::~Descriptor() {
  if (fd_ >= 0) close(fd_);
}

Result<ChildProcess> ChildProcess::start(const ChildOptions& options) {
  Result<Preparation> ready = prepare(options);
  if (!ready) return std::unexpected(ready.error());
  Result<Pipes> pipes = make_pipes();
  if (!pipes) return std::unexpected(pipes.error());

  ChildProcess child;
  child.pid_ = fork_program(options, *ready, *pipes);
  if (child.pid_ < 0) return failed("no more processes: " + reason_of(errno));
  // Also from here, so that the group exists however the two processes are scheduled; after the
  // exec the kernel refuses it, and then the child has done it.
  setpgid(child.pid_, child.pid_);
  pipes->failure.write = Descriptor();
  if (const std::optional<ChildFailure> failure = read_failure(pipes->failure.read)) {
    return failed(explain(*failure, options, ready->program));
  }
  child.pidfd_ = open_pidfd(child.pid_);
  if (child.pidfd_.get() < 0) return failed("its end cannot be watched: " + reason_of(errno));
  child.standard_input = std::move(pipes->input.write);
  child.standard_output = std::move(pipes->output.read);
  child.standard_error = std::move(pipes->error.read);
  return child;
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : standard_input(std::move(other.standard_input)),
      standard_output(std::move(other.standard_output)),
      standard_error(std::move(other.standard_error)),
      pid_(std::exchange(other.pid_, -1)),
      pidfd_(std::move(other.pidfd_)),
      ended_(std::move(other.ended_)) {}

ChildProcess& ChildProcess::operator=(ChildProcess&& other) noexcept {
  if (this == &other) return *this;
  kill_and_reap();
  standard_input = std::move(other.standard_input);
  standard_output = std::move(other.standard_output);
  standard_error = std::move(other.standard_error);
  pid_ = std::exchange(other.pid_, -1);
  pidfd_ = std::move(other.pidfd_);
  ended_ = std::move(other.ended_);
  return *this;
}

ChildProcess::~ChildProcess() {
  kill_and_reap();
}

void ChildProcess::kill_and_reap() {
  if (pid_ <= 1 || ended_) return;
  kill(-pid_, SIGKILL);
  reap(pid_);
  pid_ = -1;
}

void ChildProcess::signal(int number) const {
  // A pid of -1 or 1 would turn this into a signal to every process there is.
  if (pid_ <= 1 || ended_) return;
  kill(-pid_, number);
}

std::optional<std::string> ChildProcess::ended() {
  if (pid_ <= 1 || ended_) return ended_;
  siginfo_t end = {};
  const int waited = waitid(P_PID, static_cast<id_t>(pid_), &end, WEXITED | WNOHANG | WNOWAIT);
  if (waited != 0 || end.si_pid == 0) return std::nullopt;
  // While the child is a zombie its number cannot be given to another group.
  kill(-pid_, SIGKILL);
  reap(pid_);
  ended_ = text_of(end);
  return ended_;
}

}  // namespace bartizan
