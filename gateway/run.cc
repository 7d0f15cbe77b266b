#include "gateway/run.h"

#include <signal.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <utility>

#include "config/load_config.h"
#include "gateway/control.h"
#include "gateway/log.h"

namespace bartizan {

int run_gateway(const RunOptions& options) {
  LoadedConfig loaded = load_config(options.config_file);
  for (const ConfigProblem& problem : loaded.problems) {
    std::fprintf(stderr, "%s\n", text(problem).c_str());
  }
  if (!loaded.usable()) return 1;
  start_log(loaded.config.log.level);
  // A peer that closes while it is written to is an error value, not a signal.
  ::signal(SIGPIPE, SIG_IGN);
  ::signal(SIGXFSZ, SIG_IGN);  // Likewise a record file at its size limit.
  auto control = std::make_unique<Control>(std::move(loaded.config));
  const Result<void> opened = control->open();
  if (!opened.has_value()) {
    log(LogLevel::error, "cannot start", {{"detail", opened.error().detail}});
    return 1;
  }
  const int exit_code = control->run();
  std::fflush(nullptr);
  // Loops that have stopped still hold frames whose peers are gone one by one; the process ends
  // here, and everything that must be kept was written above.
  std::_Exit(exit_code);
}

}  // namespace bartizan
