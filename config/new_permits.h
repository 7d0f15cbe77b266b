#pragma once

#include <string>
#include <vector>

namespace bartizan {

/// A file that is to take the place of a configuration's permits, before it is there.
struct NewPermits {
  std::string name;  ///< What it is called in problems.
  std::string text;
  std::vector<std::string> tools = {};  ///< Patterns of the profiles whose place it takes, too.
};

}  // namespace bartizan
