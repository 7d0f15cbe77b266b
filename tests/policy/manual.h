#pragma once

#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "tests/checkout.h"

namespace bartizan {

/// A page of the manual. What it publishes is held against what tests measure.
inline std::string read_manual(std::string_view page) {
  std::ifstream file(project_file("docs/") + std::string(page));
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace bartizan
