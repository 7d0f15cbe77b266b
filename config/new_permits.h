#pragma once

#include <string>
#include <vector>

namespace bartizan {

/// A file that will replace the permits of a configuration, before it is written.
struct NewPermits {
  std::string name;  ///< Its name in problems.
  std::string text;
  std::vector<std::string> tools = {};  ///< Patterns of the profiles that it replaces as well.
};

}  // namespace bartizan
