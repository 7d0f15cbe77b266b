#pragma once

#include <string>
#include <vector>

namespace bartizan {

/// The folder below which `bartizan wrap` keeps its records: `$XDG_STATE_HOME`, which counts only
/// where it is absolute, or `~/.local/state`; empty without a home.
/// Source: XDG Base Directory Specification.
std::string state_folder();

/// The records that `bartizan wrap` wrote for this account, the one that was written last first.
/// Cost: reads the folder `bartizan` of `state_folder` and the time of each file in it.
std::vector<std::string> wrap_records();

}  // namespace bartizan
