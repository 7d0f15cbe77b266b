#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schemas/base/result.h"

namespace bartizan {

/// The texts that a configuration was read from: with them it can be read again as it was, whatever
/// has become of its files.
struct ConfigSources {
  struct File {
    std::string name = {};
    std::string text = {};
  };
  std::vector<File> files = {};  ///< The one that was named, then what it includes, in order.
  /// Schemas that profiles name, by whole path.
  std::map<std::string, std::string, std::less<>> schemas = {};
  /// Rules of gitleaks that detectors name, by whole path.
  std::map<std::string, std::string, std::less<>> rules = {};
  std::optional<std::string> lock = {};  ///< The bytes of `[pins] file`.
};

/// The texts of a configuration as one JSON object, and read back from one.
/// Errors: config_invalid for what is no such object; the errors of `JsonDocument::read`.
std::string encode_sources(const ConfigSources& sources);
Result<ConfigSources> decode_sources(std::string_view json);

}  // namespace bartizan
