#pragma once

#include <cstdint>
#include <string>

namespace bartizan {

/// One error or warning about a configuration.
struct ConfigProblem {
  enum class Severity : std::uint8_t { error, warning } severity = Severity::error;
  std::string where = {};    ///< `FILE:LINE:COLUMN`
  std::string message = {};  ///< Lower case; names the key and the allowed values.
  std::string hint = {};     ///< Suggested replacement, or empty: `did you mean "tools"?`
  std::string example = {};  ///< An example call, as `call_json` writes it, or empty.
};

/// The problem as a line for a terminal: `demo.toml:12:3: error: …`.
std::string text(const ConfigProblem& problem);

}  // namespace bartizan
