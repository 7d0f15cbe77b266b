#pragma once

#include <string>

#include "config/config.h"
#include "gateway/client/clients.h"
#include "gateway/launch/launcher.h"
#include "schemas/base/result.h"

namespace bartizan {

/// The options of `bartizan run`.
struct RunOptions {
  std::string config_file;
  std::string record = {};  ///< Replaces `[audit] file`, if not empty.
  Clients clients = Clients::over_http;
  bool answers_only = false;  ///< As `[client] answers_only`.
};

/// Runs the gateway until SIGTERM or SIGINT, and over standard input and output until the client
/// leaves. Returns the exit code: 0 after an orderly stop, 1 when it could not start, when calls
/// were cut off at the end of the drain, or when no server ever served the client.
///
/// Input: a launcher that was started before anything was read.
int run_gateway(const RunOptions& options, const Launcher& launcher);

/// Changes the configuration for a process with one local client: one worker, and a session that
/// lasts as long as its connection.
/// Errors: config_invalid if no principal is configured for the local user.
Result<void> fit_to_stdio(Config& config);

/// Runs a gateway with that configuration. Returns only if it could not be opened. `config_file` is
/// read again when it changes; empty if there is no file. `record` replaces the file that `[audit]`
/// names, also after a reload; empty to keep it.
Error run_until_stopped(const Launcher& launcher, Config config, Clients clients,
                        std::string config_file = {}, std::string record = {});

/// Prepares the process for every way of running: signals as values, memory settings, and the log.
void prepare_process(LogConfig::Level level);

}  // namespace bartizan
