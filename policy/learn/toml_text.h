#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace bartizan {

/// A text as a TOML string in quotes, on one line.
std::string toml_string(std::string_view text);

/// Texts as a TOML array on one line.
std::string toml_array(const std::vector<std::string>& texts);

/// A JSON number as TOML. Integers of TOML have 64 bits; a larger number becomes the nearest float.
std::string toml_number(std::string_view token);

/// A JSON text as a TOML value. Null is left out, because TOML does not have it. Input: valid JSON.
std::string toml_of_json(std::string_view json);

/// The members of one inline table.
class InlineTable {
 public:
  InlineTable& add(std::string_view key, std::string_view value);
  /// Adds nothing if there are no texts.
  InlineTable& add(std::string_view key, const std::vector<std::string>& texts);
  std::string text() const { return text_.empty() ? "{}" : "{ " + text_ + " }"; }

 private:
  std::string text_;
};

}  // namespace bartizan
