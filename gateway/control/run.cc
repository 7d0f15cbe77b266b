#include "gateway/control/run.h"

#include <signal.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include "config/load/load_config.h"
#include "gateway/control/beside.h"
#include "gateway/control/control.h"
#include "gateway/review/config_review.h"
#include "gateway/runtime/block_cache.h"
#include "gateway/runtime/log.h"

namespace bartizan {
namespace {

/// Longer than any connection lasts.
constexpr std::chrono::hours kForever{24 * 365 * 100};

/// What the command line has in place of the configuration.
void apply_options(Config& config, const RunOptions& options) {
  if (!options.record.empty()) config.audit.file = options.record;
  if (options.answers_only) config.client.answers_only = true;
}

/// Runs with the first set of files that no other process has.
int run_beside(const RunOptions& options, const Launcher& launcher, const Config& config) {
  const auto fit = [&options](Config& wanted, unsigned number) {
    fit_beside(wanted, number);
    apply_options(wanted, options);
  };
  const auto fitted = [&config, &fit](unsigned number) {
    Config own = config;
    fit(own, number);
    return own;
  };
  const auto run = [&](unsigned number) {
    const Config own = fitted(number);
    log(LogLevel::warning, "runs beside another gateway of this configuration",
        {{"record", own.audit.file},
         {"left_out", "[metrics], [console], [admin]"},
         {"detail", own.state.has_value()
                        ? "its state file is " + own.state->file +
                              ": revocations and approvals of the other gateway do not count here"
                        : std::string("each gateway counts its own limits")}});
    return run_until_stopped(launcher, config, options.clients, options.config_file,
                             [&fit, number](Config& wanted) { fit(wanted, number); });
  };
  const std::string why =
      run_with_free_record([&fitted](unsigned number) { return fitted(number).audit.file; }, run);
  log(LogLevel::error, "cannot start", {{"detail", why}});
  return 1;
}

}  // namespace

Result<void> fit_to_stdio(Config& config) {
  if (config.auth.stdio_principal.empty()) {
    return fail(ErrorCode::config_invalid, Fault::gateway,
                "no principal is configured for standard input; write [auth.stdio] principal = "
                "\"NAME\", where [principal.NAME] is the local user");
  }
  config.process.workers = 1;
  // A client over standard input cannot begin anew, as one over HTTP does when its session is over.
  config.session.session_timeout = config.session.idle = kForever;
  return {};
}

void prepare_process(LogConfig::Level level) {
  start_log(level);
  // A record file at its size limit is an error value, not a signal.
  ::signal(SIGXFSZ, SIG_IGN);
  ::signal(SIGIO, SIG_IGN);  // And a writer of a configuration that is just being looked at.
  // Whoever started it may have had it ignored; then nobody could learn how a child ended.
  ::signal(SIGCHLD, SIG_DFL);
}

Error run_until_stopped(const Launcher& launcher, Config config, Clients clients,
                        std::string config_file, std::function<void(Config&)> fit) {
  tune_malloc(config.process.memory_max);
  auto control = std::make_unique<Control>(launcher, std::move(config), clients,
                                           std::move(config_file), std::move(fit));
  Result<void> opened = control->open();
  if (!opened.has_value()) return std::move(opened.error());
  const int exit_code = control->run();
  // These alone: a thread that is left behind in a read of a file has its stream locked.
  std::fflush(stdout);
  std::fflush(stderr);
  // Loops that have stopped still hold frames whose peers are gone one by one; the process ends
  // here, and everything that must be kept was written above.
  std::_Exit(exit_code);
}

int run_gateway(const RunOptions& options, const Launcher& launcher) {
  LoadedConfig loaded = load_config(options.config_file);
  for (const ConfigProblem& problem : loaded.problems) {
    std::fprintf(stderr, "%s\n", text(problem).c_str());
  }
  if (!loaded.usable()) return 1;
  const std::string configured = loaded.config.audit.file;
  apply_options(loaded.config, options);
  // What a policy cannot be compiled from is no less an error.
  std::vector<ConfigProblem> problems = review_config(loaded.config);
  std::ranges::move(review_machine(loaded.config, launcher), std::back_inserter(problems));
  bool is_sound = true;
  for (const ConfigProblem& problem : problems) {
    if (problem.severity != ConfigProblem::Severity::error) continue;
    std::fprintf(stderr, "%s\n", text(problem).c_str());
    is_sound = false;
  }
  if (!is_sound) return 1;
  prepare_process(loaded.config.log.level);
  log_problems(problems);
  if (options.clients == Clients::over_stdio) {
    const Result<void> fitted = fit_to_stdio(loaded.config);
    if (!fitted.has_value()) {
      log(LogLevel::error, "cannot start", {{"detail", fitted.error().detail}});
      return 1;
    }
  }
  const bool is_local = options.clients == Clients::over_stdio;
  if (is_local && (options.beside || is_record_in_use(configured))) {
    return run_beside(options, launcher, loaded.config);
  }
  const auto fit = [&options](Config& wanted) { apply_options(wanted, options); };
  const Error error =
      run_until_stopped(launcher, loaded.config, options.clients, options.config_file, fit);
  // Another one may have been faster.
  if (is_local && is_record_in_use(configured)) {
    return run_beside(options, launcher, loaded.config);
  }
  log(LogLevel::error, "cannot start", {{"detail", error.detail}});
  return 1;
}

}  // namespace bartizan
