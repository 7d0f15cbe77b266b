#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gateway/setup/conversion_report.h"

namespace bartizan {

/// What a configuration of another system became.
struct Conversion {
  std::vector<ConvertedKey> keys;       ///< In the order of the file.
  std::vector<std::string> notes = {};  ///< What the operator has to do beside it.
  std::string config = {};  ///< The gateway's own, TOML; empty unless all was converted.
  bool is_whole() const { return !config.empty(); }
};

/// Converts the configuration of a Groundhog system. Pure: no file is read, also none that is
/// named. The result holds no value of a key that may be a secret.
///
/// Input: any text; `name` is that of its file, against whose folder relative paths resolve.
/// `hosts`
///        are names of the gateway that its clients use, beside its address; each a host.
/// Errors: none: what cannot be converted is a refused key.
Conversion convert_groundhog(std::string_view text, const std::string& name,
                             const std::vector<std::string>& hosts);

}  // namespace bartizan
