#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schemas/base/result.h"

namespace bartizan {

/// The texts that a configuration was read from. From them it can be loaded again as it was, even
/// if its files have changed.
struct ConfigSources {
  struct File {
    std::string name = {};
    std::string text = {};
  };
  std::vector<File> files = {};  ///< The file itself, then its includes in order.
  /// Schemas of tool profiles, by absolute path.
  std::map<std::string, std::string, std::less<>> schemas = {};
  /// Gitleaks rule files of detectors, by absolute path.
  std::map<std::string, std::string, std::less<>> rules = {};
  std::optional<std::string> lock = {};  ///< The bytes of `[pins] file`.
};

/// The texts of a configuration as one JSON object, and the reverse.
/// Errors: `config_invalid` for JSON of another shape; the errors of `JsonDocument::read`.
std::string encode_sources(const ConfigSources& sources);
Result<ConfigSources> decode_sources(std::string_view json);

}  // namespace bartizan
