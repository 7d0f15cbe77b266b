#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/problems.h"
#include "config/table_reader.h"
#include "config/toml_reader.h"

namespace bartizan {

/// The text with ASCII letters in lower case.
std::string in_small_letters(std::string_view text);

/// Converts a Go pattern to RE2 syntax. Go also accepts named groups without the `P` that RE2
/// requires. Look-behind is left unchanged.
std::string in_syntax_of_re2(std::string_view regex);

/// One table of a gitleaks file. Keys match in any letter case, as in gitleaks. Every getter
/// returns nothing for a key that is absent or invalid; it reports the latter.
/// Lifetime: views the table and `problems`.
class GitleaksTable {
 public:
  /// `what` is the table's name in errors.
  GitleaksTable(const TomlEntry& entry, std::string what, Problems& problems)
      : GitleaksTable(entry.value, std::move(what), problems) {}
  GitleaksTable(const TomlValue& table, std::string what, Problems& problems)
      : table_(table), what_(std::move(what)), problems_(problems) {}

  /// The entry of that key. `key` is spelled as in gitleaks' documentation. Marks it as known.
  const TomlEntry* find(std::string_view key);
  const TomlEntry* find(std::string_view key, TomlValue::Type type);
  /// Nothing for an empty text, as in gitleaks.
  std::optional<Text> text(std::string_view key);
  bool flag(std::string_view key);
  std::vector<Text> texts(std::string_view key);
  /// The tables of `[[key]]`.
  std::vector<const TomlValue*> tables(std::string_view key);
  /// Reports the keys that were never read.
  void finish();

 private:
  const TomlValue& table_;
  std::string what_;
  Problems& problems_;
  std::vector<std::string_view> known_;
};

}  // namespace bartizan
