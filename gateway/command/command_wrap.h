#pragma once

#include "gateway/launch/launcher.h"
#include "gateway/setup/wrap_config.h"

namespace bartizan {

/// Serves the client behind standard input and output with one wrapped server, until it leaves.
/// Returns the exit code: 0 after an orderly end, 1 when it could not start, when calls were cut
/// off, or when the server never ran.
int wrap_server(const WrapOptions& options, const Launcher& launcher);

/// The configuration that options mean for the local user, in the current folder.
/// Errors: config_invalid with the option that is wrong.
Result<Config> wrap_config_here(const WrapOptions& options);

/// The login name of the local user, or its number where it has none.
std::string login_name();

}  // namespace bartizan
