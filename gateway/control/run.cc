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
#include "gateway/control/control.h"
#include "gateway/review/config_review.h"
#include "gateway/runtime/block_cache.h"
#include "gateway/runtime/log.h"

namespace bartizan {
namespace {

/// Longer than any connection lasts.
constexpr std::chrono::hours kForever{24 * 365 * 100};

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
                        std::string config_file, std::string record) {
  tune_malloc(config.process.memory_max);
  auto control = std::make_unique<Control>(launcher, std::move(config), clients,
                                           std::move(config_file), std::move(record));
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
  if (!options.record.empty()) loaded.config.audit.file = options.record;
  if (options.answers_only) loaded.config.client.answers_only = true;
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
  const Error error = run_until_stopped(launcher, std::move(loaded.config), options.clients,
                                        options.config_file, options.record);
  log(LogLevel::error, "cannot start", {{"detail", error.detail}});
  return 1;
}

}  // namespace bartizan
