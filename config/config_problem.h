#pragma once

#include <cstdint>
#include <string>

namespace bartizan {

/// One thing wrong, or doubtful, with a configuration.
struct ConfigProblem {
  enum class Severity : std::uint8_t { error, warning } severity = Severity::error;
  std::string where = {};    ///< `FILE:LINE:COLUMN`
  std::string message = {};  ///< Lower case, names the key, says what is allowed.
  std::string hint = {};     ///< What to write instead, or empty: `did you mean "tools"?`
  std::string example = {};  ///< A call that shows it, as `call_json` writes it, or empty.
};

/// One problem as a line for a terminal: `demo.toml:12:3: error: …`.
std::string text(const ConfigProblem& problem);

}  // namespace bartizan
