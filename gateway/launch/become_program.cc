#include "gateway/launch/become_program.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "gateway/launch/file_access.h"
#include "gateway/process/start_failure.h"
#include "gateway/process/switch_user.h"
#include "gateway/runtime/fd_limit.h"

namespace bartizan {
namespace {

constexpr int kFailureFd = 3;
constexpr int kImageFd = 4;
constexpr int kRulesFd = 5;
constexpr int kFirstClosed = 6;

[[noreturn]] void give_up(int failure, const std::string& why) {
  // A pipe takes a sentence in one write. Without it the keeper still sees the end.
  [[maybe_unused]] const ssize_t written = write(failure, why.data(), why.size());
  _exit(127);
}

/// For steps whose error is in errno.
void require(bool has_worked, std::string_view what) {
  if (has_worked) return;
  const std::string reason = reason_of(errno);
  give_up(kFailureFd, fmt::format("{}: {}", what, reason));
}

/// Ignored signals and the blocked mask would otherwise be inherited through exec. This calls the
/// kernel directly, as the library refuses its two internal signals, which a parent may have
/// ignored.
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

/// Moves each descriptor to its number. All are first moved to higher numbers, as the number of one
/// may be the target of another.
bool place_descriptors(const ProgramParts& parts) {
  const std::pair<int, int> places[] = {
      {parts.input.get(), STDIN_FILENO},
      {parts.output.get(), STDOUT_FILENO},
      {parts.error.get(), STDERR_FILENO},
      {parts.failure.get(), kFailureFd},
      {parts.image.get(), kImageFd},
      {parts.file_rules.has_value() ? parts.file_rules->get() : -1, kRulesFd}};
  std::vector<std::pair<int, int>> moved;
  for (const auto& [from, to] : places) {
    if (from < 0) continue;
    const int high = fcntl(from, F_DUPFD_CLOEXEC, kFirstClosed);
    if (high < 0) return false;
    moved.emplace_back(high, to);
  }
  for (const auto& [from, to] : moved) {
    const bool is_kept = to <= STDERR_FILENO;
    if ((is_kept ? dup2(from, to) : dup3(from, to, O_CLOEXEC)) < 0) return false;
  }
  return close_range(kFirstClosed, ~0U, 0) == 0;
}

bool set_limit(__rlimit_resource what, std::uint64_t value) {
  const rlimit limit{.rlim_cur = value, .rlim_max = value};
  return setrlimit(what, &limit) == 0;
}

bool set_limits(const SandboxConfig& sandbox) {
  return set_limit(RLIMIT_CORE, 0) &&
         (sandbox.memory == 0 || set_limit(RLIMIT_AS, sandbox.memory)) &&
         (sandbox.open_files == 0 ? lower_open_files()
                                  : set_limit(RLIMIT_NOFILE, sandbox.open_files));
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

std::string explain_exec(int error, const LaunchPlan& plan) {
  // The file itself was found before.
  if (error == ENOENT && plan.sandbox.level != SandboxConfig::Level::container) {
    return fmt::format("program \"{:.200}\": the interpreter it names is missing", plan.program);
  }
  const bool has_lists = plan.sandbox.level != SandboxConfig::Level::none;
  return fmt::format("program \"{:.200}\" cannot be executed: {}{}", plan.program, reason_of(error),
                     has_lists ? "; sandbox.read must name its folder, and those of its "
                                 "interpreter and libraries, such as /usr"
                               : "");
}

}  // namespace

void become_program(const LaunchPlan& plan, const ProgramParts& parts) {
  // First, while its descriptor is open.
  if (parts.group != nullptr && !parts.group->enter()) {
    const std::string reason = reason_of(errno);
    give_up(parts.failure.get(), "its control group cannot be entered: " + reason);
  }
  if (!place_descriptors(parts)) {
    const std::string reason = reason_of(errno);
    give_up(parts.failure.get(), "its pipes cannot be placed: " + reason);
  }
  require(setpgid(0, 0) == 0, "no process group of its own");
  require(set_limits(plan.sandbox), "its memory or open-file limit cannot be set");
  if (plan.account.has_value())
    require(switch_user(*plan.account),
            fmt::format("cannot become user \"{:.40}\"", plan.sandbox.user));
  // Drops the session keys of the gateway's starter. If the call is filtered, it is also filtered
  // for the program.
  constexpr int kJoinSessionKeyring = 1;
  syscall(SYS_keyctl, kJoinSessionKeyring, nullptr);
  // With the program's account, so that a forbidden folder is refused here.
  if (!plan.cwd.empty())
    require(chdir(plan.cwd.c_str()) == 0, fmt::format("directory \"{:.200}\"", plan.cwd));
  constexpr std::string_view kPrivileges = "its privileges cannot be fixed";
  require(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0, kPrivileges);
  // Ambient capabilities that a unit gave the gateway, to switch accounts, would survive the exec.
  require(prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) == 0, kPrivileges);
  // After the change of account, which clears it. A parent that died earlier is noticed below.
  require(prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) == 0, kPrivileges);
  if (getppid() != parts.parent) give_up(kFailureFd, "the gateway ended while it was started");
  if (parts.file_rules.has_value()) {
    const Descriptor rules(kRulesFd);
    require(enter_file_rules(rules), "its rules for files cannot be set");
  }
  if (plan.purpose == LaunchPlan::Purpose::probe) _exit(0);
  const std::vector<char*> argv = pointers_to(plan.arguments);
  const std::vector<char*> envp = pointers_to(plan.environment);
  reset_signals();
  if (plan.has_image) {
    syscall(SYS_execveat, kImageFd, "", argv.data(), envp.data(), AT_EMPTY_PATH);
  } else {
    execve(plan.program.c_str(), argv.data(), envp.data());
  }
  give_up(kFailureFd, explain_exec(errno, plan));
}

}  // namespace bartizan
