#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gateway/setup/conversion_report.h"

namespace bartizan {

/// The result of converting another system's configuration.
struct Conversion {
  std::vector<ConvertedKey> keys;       ///< In the order of the file.
  std::vector<std::string> notes = {};  ///< Further steps for the operator.
  /// The gateway's configuration, TOML; empty unless every key was converted.
  std::string config = {};
  bool is_whole() const { return !config.empty(); }
};

/// Converts the configuration of a Groundhog system. Pure: reads no file, not even named ones. The
/// result has no value of a key that may be a secret.
///
/// Input:  any text; `name`, its file's name, the base of relative paths; `hosts`, further host
///         names by which clients reach the gateway.
/// Errors: none: a key that cannot be converted is refused.
Conversion convert_groundhog(std::string_view text, const std::string& name,
                             const std::vector<std::string>& hosts);

}  // namespace bartizan
