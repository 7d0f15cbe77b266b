#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/known_keys.h"
#include "config/problems.h"
#include "config/toml_reader.h"

namespace bartizan {

/// The conversion of one key of another system's configuration.
struct ConvertedKey {
  std::string where;         ///< `FILE:LINE:COLUMN`
  std::string key;           ///< Dotted: `mcp.protocol.version`.
  std::string became = {};   ///< The gateway's equivalent; empty if refused.
  std::string refused = {};  ///< The reason of a refusal.
  std::string instead = {};  ///< The suggested replacement, or empty.
};

/// Collects the conversion of each key of a document. A key that was neither converted nor reported
/// as a problem counts as refused, so that none is omitted.
/// Lifetime: views the document, `problems` and the known keys.
class ConversionReport {
 public:
  /// `keys` are the keys of the document's language.
  ConversionReport(const TomlValue& document, std::span<const KnownKey> keys, Problems& problems);

  /// Notes the equivalent of the value at that place.
  void add(const Position& where, std::string became);

  /// All keys in the order of the file. A key with two problems appears twice.
  std::vector<ConvertedKey> keys() const;

 private:
  /// The name of a key, at the place of the key or of its value.
  struct Named {
    Position where;
    std::string key;
  };

  void name_keys(const TomlValue& table, const std::string& name);
  bool is_table(std::string_view name) const;

  std::span<const KnownKey> known_;
  Problems& problems_;
  std::map<std::string, Named> names_;  ///< By place.
  std::vector<const TomlEntry*> leaves_;
  std::map<std::string, std::string> became_;  ///< By the place of the value.
};

}  // namespace bartizan
