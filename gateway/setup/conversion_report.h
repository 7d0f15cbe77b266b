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

/// What became of one key of another system's configuration.
struct ConvertedKey {
  std::string where;         ///< `FILE:LINE:COLUMN`
  std::string key;           ///< Dotted: `mcp.protocol.version`.
  std::string became = {};   ///< What it is in the gateway's own; empty where it was refused.
  std::string refused = {};  ///< Why there is no such thing.
  std::string instead = {};  ///< What to write instead, or empty.
};

/// Collects what becomes of each key of a document. Nothing is left out: a key that was neither
/// converted nor reported as a problem counts as refused.
/// Lifetime: views the document, `problems` and the known keys.
class ConversionReport {
 public:
  /// `keys` are those of the language that the document is in.
  ConversionReport(const TomlValue& document, std::span<const KnownKey> keys, Problems& problems);

  /// Notes what the value at that place became.
  void add(const Position& where, std::string became);

  /// All keys in the order of the file; one that is wrong in two ways stands twice.
  std::vector<ConvertedKey> keys() const;

 private:
  /// A key of the document, or a value; both have the name of the key.
  struct Named {
    Position where;
    std::string key;
  };

  void name_keys(const TomlValue& table, const std::string& name);
  bool is_table(std::string_view name) const;

  std::span<const KnownKey> known_;
  Problems& problems_;
  std::map<std::string, Named> names_;  ///< By their places.
  std::vector<const TomlEntry*> leaves_;
  std::map<std::string, std::string> became_;  ///< By the places of the values.
};

}  // namespace bartizan
