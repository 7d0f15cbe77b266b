#pragma once

#include <string>

#include "config/config.h"
#include "gateway/client/clients.h"
#include "gateway/launch/launcher.h"
#include "schemas/base/result.h"

namespace bartizan {

/// What `bartizan run` was asked for.
struct RunOptions {
  std::string config_file;
  std::string record = {};  ///< Instead of `[audit] file`; empty: that one.
  Clients clients = Clients::over_http;
  bool answers_only = false;  ///< As `[client] answers_only`.
};

/// Runs the gateway until SIGTERM or SIGINT, and over standard input and output until the client
/// leaves. Returns the exit code: 0 after an orderly stop, 1 when it could not start, when calls
/// were cut off at the end of the drain, or when no server ever served the client.
///
/// Input: a launcher that was started before anything was read.
int run_gateway(const RunOptions& options, const Launcher& launcher);

/// Changes what a process with one local client needs otherwise than a listener: one worker, and a
/// session that lasts as long as its connection.
/// Errors: config_invalid when nobody says who the local user is.
Result<void> fit_to_stdio(Config& config);

/// Runs what a configuration says; does not return, unless it could not be opened. `config_file` is
/// read again when it changes; empty where the configuration is no file. `record` stands for the
/// file that it names, also when it is read again; empty where it is that one.
Error run_until_stopped(const Launcher& launcher, Config config, Clients clients,
                        std::string config_file = {}, std::string record = {});

/// What every way of running needs of the process: signals that are values, memory that is kept,
/// and the log.
void prepare_process(LogConfig::Level level);

}  // namespace bartizan
