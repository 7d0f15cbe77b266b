#pragma once

#include <cstddef>
#include <string>

namespace bartizan {

/// The folder below which `bartizan wrap` keeps its records: `$XDG_STATE_HOME`, which counts only
/// where it is absolute, or `~/.local/state`; empty without a home.
/// Source: XDG Base Directory Specification.
std::string state_folder();

/// The record that a `bartizan wrap` of this account wrote to last.
struct WrapRecord {
  std::string file = {};   ///< Empty where there is none.
  std::size_t others = 0;  ///< Further records beside it.
};

/// Cost: reads the folder `bartizan` of `state_folder` and the time of each file in it.
WrapRecord newest_wrap_record();

}  // namespace bartizan
