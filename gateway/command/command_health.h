#pragma once

#include <string>

#include "gateway/review/command_output.h"

namespace bartizan {

/// `bartizan health [ADDRESS]`: whether the gateway whose metrics listener has that address accepts
/// calls, as its `/readyz` says. For container engines without a shell or an HTTP client.
///
/// Errors:  kExitFailed while it does not, with the reason; also where nobody answers in 5 s.
int ask_health(const std::string& address, const CommandOutput& output);

}  // namespace bartizan
