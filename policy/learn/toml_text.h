#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace bartizan {

/// A text as TOML writes it, between quotes, on one line.
std::string toml_string(std::string_view text);

/// Texts as an array on one line.
std::string toml_array(const std::vector<std::string>& texts);

/// A JSON number. TOML's whole numbers have 64 bits; a larger one is as near as a float comes.
std::string toml_number(std::string_view token);

/// A JSON text as a value; null, which TOML has not got, is left out. Input: valid JSON.
std::string toml_of_json(std::string_view json);

/// The members of one inline table.
class InlineTable {
 public:
  InlineTable& add(std::string_view key, std::string_view value);
  /// Nothing where there are no texts.
  InlineTable& add(std::string_view key, const std::vector<std::string>& texts);
  std::string text() const { return text_.empty() ? "{}" : "{ " + text_ + " }"; }

 private:
  std::string text_;
};

}  // namespace bartizan
