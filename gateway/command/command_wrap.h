#pragma once

#include "gateway/launch/launcher.h"
#include "gateway/setup/wrap_config.h"

namespace bartizan {

/// Serves the client on standard input and output with one wrapped server, until the client leaves.
/// Returns the exit code: 0 after an orderly end. 1 if it could not start, calls were cut off, or
/// the server never ran.
int wrap_server(const WrapOptions& options, const Launcher& launcher);

/// The configuration of the options, for the local user in the current folder.
/// Errors: `config_invalid` with the wrong option.
Result<Config> wrap_config_here(const WrapOptions& options);

/// The login name of the local user, or the user's number without one.
std::string login_name();

}  // namespace bartizan
