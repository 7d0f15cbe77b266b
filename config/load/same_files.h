#pragma once

#include "config/load/load_config.h"

namespace bartizan {

/// Whether the files of a configuration that was read still are those, and say the same: what
/// reading them once more would find out, without understanding them once more. False also where
/// that cannot be told, such as of a file that could not be read.
///
/// Cost: reads each file, and understands none.
bool has_same_files(const LoadedConfig& loaded);

}  // namespace bartizan
