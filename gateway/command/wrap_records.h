#pragma once

#include <string>
#include <vector>

namespace bartizan {

/// The folder with the records of `bartizan wrap`: `$XDG_STATE_HOME`, if that is absolute, or
/// `~/.local/state`. Empty without a home.
/// Source: XDG Base Directory Specification.
std::string state_folder();

/// The records that `bartizan wrap` wrote for this account, the last written first.
/// Cost: reads the folder `bartizan` of `state_folder` and the time of each file in it.
std::vector<std::string> wrap_records();

}  // namespace bartizan
