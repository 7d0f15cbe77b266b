// How the program of a server is started: its files are read, the launcher is asked, and its keeper
// waited for.
#include <cstdlib>
#include <utility>

#include "config/load/load_config.h"
#include "gateway/process/find_program.h"
#include "gateway/process/package_runner_env.h"
#include "gateway/process/switch_user.h"
#include "gateway/runtime/clock.h"
#include "gateway/upstream/stdio_upstream.h"

namespace bartizan {
namespace {

/// Between a file that is not what was approved and the next look: each reads all of them.
constexpr std::chrono::seconds kCheckPause{1};

/// The environment of a child: what the configuration sets, what it lets through, PATH and HOME.
/// Errors: config_invalid when a secret cannot be read.
Result<void> fill_environment(const ServerConfig& config,
                              std::map<std::string, std::string>& environment) {
  const auto inherit = [&](const std::string& name) {
    if (const char* value = std::getenv(name.c_str())) environment[name] = value;
  };
  inherit("PATH");
  inherit("HOME");
  if (!config.sandbox.home.empty()) {
    environment["HOME"] = config.sandbox.home;
  } else if (!config.sandbox.user.empty()) {
    // The gateway's home is another account's.
    Result<Account> account = find_account(config.sandbox.user);
    if (!account.has_value()) return std::unexpected(account.error());
    environment["HOME"] = account->home;
  }
  for (const std::string& name : config.env_allow)
    inherit(name);
  for (const auto& [name, value] : config.env)
    environment[name] = value;
  for (const auto& [name, reference] : config.env_secrets) {
    const Result<SecretText> secret = read_secret(reference);
    if (!secret.has_value()) return std::unexpected(secret.error());
    environment[name] = secret->view();
  }
  return {};
}

}  // namespace

bool StdioUpstream::may_begin() const {
  return steady_now() >= check_again_;
}

void StdioUpstream::begin() {
  spawn(home_, start_program());
}

/// The files that the server is made of are read each time, for they may be others by now.
Task<void> StdioUpstream::start_program() {
  const auto self = shared_from_this();
  ReadExecutables files;
  if (!config_.executables.empty()) {
    check_ = std::make_shared<ExecutableCheck::Wanted>(home_);
    Result<ReadExecutables> read = co_await setup_.executables.check(config_, check_);
    check_.reset();
    if (stopping_) co_return end_stopped_start();
    if (!read.has_value()) co_return refuse_files(read.error());
    files = *std::move(read);
  }
  std::optional<StartingChild> starting = begin_program(files);
  if (!starting.has_value()) co_return;
  Result<ChildProcess> child = co_await started(*std::move(starting));
  if (stopping_) co_return end_stopped_start();
  if (!child.has_value()) co_return fail_start(child.error());
  handshake_.explain(server_failed(explain_silence(config_, environment_names())));
  life_ = std::make_shared<Life>(home_, *std::move(child));
  events_.children->fetch_add(1);
  events_.state(key_, std::exchange(has_run_, true) ? kStartedAnew : "started");
  spawn(home_, read_output(life_));
  spawn(home_, read_errors(life_));
  spawn(home_, watch_end(life_));
  begin_life();
}

/// Asks the launcher. Nothing where that failed, and was said.
std::optional<StartingChild> StdioUpstream::begin_program(const ReadExecutables& files) {
  const auto refused = [this](const Error& error) {
    refuse_files(error);
    return std::nullopt;
  };
  ChildOptions options{.command = config_.command, .cwd = config_.cwd, .sandbox = config_.sandbox};
  const Result<void> filled = fill_environment(config_, options.environment);
  if (!filled.has_value()) {
    fail_start(filled.error());
    return std::nullopt;
  }
  if (!files.empty()) {
    const Result<std::string> program = find_program(config_.command.front(), options.environment);
    if (!program.has_value()) return refused(program.error());
    const Result<Image> found = find_image(files, config_.command.front(), *program);
    if (!found.has_value()) return refused(found.error());
    options.image = found->file;
  }
  const Result<void> unchanged = check_unchanged(files);
  if (!unchanged.has_value()) return refused(unchanged.error());
  Result<StartingChild> starting = setup_.launcher.begin(options);
  if (!starting.has_value()) {
    fail_start(starting.error());
    return std::nullopt;
  }
  return *std::move(starting);
}

/// Waits for its keeper; others have their turn meanwhile.
Task<Result<ChildProcess>> StdioUpstream::started(StartingChild child) {
  error_code ignored;
  Pipe answer(home_.executor());
  answer.assign(child.control().duplicate().release(), ignored);
  Deadline deadline(
      home_.wheel(),
      [](void* pipe) {
        error_code unused;
        static_cast<Pipe*>(pipe)->cancel(unused);
      },
      &answer);
  deadline.arm(Launcher::kStartDeadline);
  co_await answer.async_wait(Pipe::wait_read, kAwait);
  co_return std::move(child).finish();
}

void StdioUpstream::refuse_files(Error error) {
  check_again_ = steady_now() + kCheckPause;
  fail_start(std::move(error));
}

}  // namespace bartizan
