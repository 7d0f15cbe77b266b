#pragma once

#include "config/load/load_config.h"

namespace bartizan {

/// Whether a loaded configuration still has the same files with the same contents, so that a reload
/// would find no change. False also if this cannot be determined, such as for a file that could not
/// be read.
///
/// Cost: reads each compared file, parses none.
bool has_same_files(const LoadedConfig& loaded);

}  // namespace bartizan
