#pragma once

#include <string>

#include "gateway/review/command_output.h"

namespace bartizan {

/// `bartizan health [ADDRESS]`: whether the gateway accepts calls, from `/readyz` of its metrics
/// listener at that address. For container engines without a shell or an HTTP client.
///
/// Errors:  kExitFailed if it does not, with the reason; also without a response in 5 s.
int ask_health(const std::string& address, const CommandOutput& output);

}  // namespace bartizan
