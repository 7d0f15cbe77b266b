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

/// A text with its letters of ASCII in lower case.
std::string in_small_letters(std::string_view text);

/// A pattern of Go's in the syntax of RE2: Go writes the name of a group also without the `P` that
/// RE2 wants. Look-behind stays as it is.
std::string in_syntax_of_re2(std::string_view regex);

/// One table of a file of gitleaks'. Keys are found whatever the case of their letters, as gitleaks
/// finds them. Every getter answers nothing for a key that is absent, or present and wrong; the
/// latter is reported. Lifetime: views the table and `problems`.
class GitleaksTable {
 public:
  /// `what` is what the table is called in errors.
  GitleaksTable(const TomlEntry& entry, std::string what, Problems& problems)
      : GitleaksTable(entry.value, std::move(what), problems) {}
  GitleaksTable(const TomlValue& table, std::string what, Problems& problems)
      : table_(table), what_(std::move(what)), problems_(problems) {}

  /// The entry of that key, which is written as gitleaks documents it; marks it as known.
  const TomlEntry* find(std::string_view key);
  const TomlEntry* find(std::string_view key, TomlValue::Type type);
  /// An empty text is none, as for gitleaks.
  std::optional<Text> text(std::string_view key);
  bool flag(std::string_view key);
  std::vector<Text> texts(std::string_view key);
  /// The tables of `[[key]]`.
  std::vector<const TomlValue*> tables(std::string_view key);
  /// Reports the keys that nobody asked for.
  void finish();

 private:
  const TomlValue& table_;
  std::string what_;
  Problems& problems_;
  std::vector<std::string_view> known_;
};

}  // namespace bartizan
