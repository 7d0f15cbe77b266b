#pragma once

#include <vector>

#include "config/load_config.h"

namespace bartizan {

/// What this machine lacks of what a configuration names: programs in the PATH that the server
/// gets, folders, secrets, certificate and key, the record's place. Warnings, since it may be meant
/// for another machine; whatever the gateway cannot start without is said again when it starts.
///
/// Cost: looks at files, reads secrets and certificates; nothing is written.
std::vector<ConfigProblem> find_machine_problems(const Config& config);

}  // namespace bartizan
