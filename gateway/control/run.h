#pragma once

#include <functional>
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
  /// Over standard input: with files of its own even where no other gateway uses those of the
  /// configuration yet.
  bool beside = false;
};

/// Runs the gateway until SIGTERM or SIGINT, and over standard input and output until the client
/// leaves. Where another gateway writes the record of the configuration, a process over standard
/// input runs beside it, see `fit_beside`. Returns the exit code: 0 after an orderly stop, 1 when
/// it could not start, when calls were cut off at the end of the drain, or when no server ever
/// served the client.
///
/// Input: a launcher that was started before anything was read.
int run_gateway(const RunOptions& options, const Launcher& launcher);

/// Changes the configuration for a process with one local client: one worker, and a session that
/// lasts as long as its connection.
/// Errors: config_invalid if no principal is configured for the local user.
Result<void> fit_to_stdio(Config& config);

/// Runs what a configuration says; does not return, unless it could not be opened. `config_file` is
/// read again when it changes; empty where the configuration is no file. `fit` is given the
/// configuration before it is used, also when it was read again: what the command line has in place
/// of it. It may be empty.
Error run_until_stopped(const Launcher& launcher, Config config, Clients clients,
                        std::string config_file = {}, std::function<void(Config&)> fit = {});

/// Prepares the process for every way of running: signals as values, memory settings, and the log.
void prepare_process(LogConfig::Level level);

}  // namespace bartizan
