#pragma once

#include <string>
#include <vector>

#include "config/config_sources.h"
#include "config/load_config.h"

namespace bartizan {

/// A file that is to take the place of a configuration's permits, before it is there.
struct NewPermits {
  std::string name;  ///< What it is called in problems.
  std::string text;
  std::vector<std::string> tools = {};  ///< Patterns of the profiles whose place it takes, too.
};

/// `sources` as it will be once its permits and these profiles are gone, and the file is included.
/// Errors: none: what does not load is a problem.
LoadedConfig load_with_permits(const ConfigSources& sources, const NewPermits& permits);

}  // namespace bartizan
