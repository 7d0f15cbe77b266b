#include "policy/learn/toml_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <utility>

#include <fmt/format.h>

#include "schemas/json/json.h"
#include "schemas/json/json_text.h"

namespace bartizan {
namespace {

/// Control characters, characters without width, and those that change the direction of text: all
/// invisible.
bool is_deceptive(char32_t character) {
  constexpr std::array<std::pair<char32_t, char32_t>, 8> kRanges{{{0x00, 0x1F},
                                                                  {0x7F, 0x9F},
                                                                  {0xAD, 0xAD},
                                                                  {0x200B, 0x200F},
                                                                  {0x2028, 0x202E},
                                                                  {0x2060, 0x206F},
                                                                  {0xFEFF, 0xFEFF},
                                                                  {0xE0000, 0xE0FFF}}};
  return std::ranges::any_of(kRanges, [character](const auto& range) {
    return range.first <= character && character <= range.second;
  });
}

/// A JSON value; null is left out, because TOML does not have it.
std::string toml_of(JsonValue value) {
  std::string text;
  switch (value.type()) {
    case JsonType::string:
      return toml_string(value.text());
    case JsonType::number:
      return toml_number(value.raw());
    case JsonType::boolean:
      return std::string(value.raw());
    case JsonType::null:
      return {};
    case JsonType::array:
      for (const JsonValue element : value)
        text += (text.empty() ? "" : ", ") + toml_of(element);
      return "[" + text + "]";
    case JsonType::object:
      for (const JsonValue member : value) {
        text += (text.empty() ? " " : ", ") + toml_string(member.key()) + " = " + toml_of(member);
      }
      return "{" + text + " }";
  }
  return text;
}

}  // namespace

// Only quotes, backslashes and control characters can end a string or its line. Deceptive
// characters are escaped, too, because people read the file.
std::string toml_string(std::string_view text) {
  std::string quoted = "\"";
  while (!text.empty()) {
    const Utf8Character one = read_utf8(text);
    const std::string_view bytes = text.substr(0, std::max<std::size_t>(one.size, 1));
    text.remove_prefix(bytes.size());
    if (one.value == '"' || one.value == '\\') quoted += '\\';
    if (is_deceptive(one.value)) {
      const auto number = static_cast<std::uint32_t>(one.value);
      quoted +=
          number > 0xFFFF ? fmt::format("\\U{:08X}", number) : fmt::format("\\u{:04X}", number);
    } else {
      quoted += bytes;
    }
  }
  return quoted + "\"";
}

std::string toml_array(const std::vector<std::string>& texts) {
  std::string array = "[";
  for (const std::string& text : texts)
    array += (array.size() > 1 ? ", " : "") + toml_string(text);
  return array + "]";
}

std::string toml_number(std::string_view token) {
  if (token.find_first_of(".eE") != std::string_view::npos) return std::string(token);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), value);
  const bool is_whole = error == std::errc() && end == token.data() + token.size();
  return std::string(token) + (is_whole ? "" : ".0");
}

std::string toml_of_json(std::string_view json) {
  const Bytes bytes(json);
  JsonDocument document;
  const Result<JsonValue> value = document.read(bytes, kResponseLimits);
  return value.has_value() ? toml_of(*value) : "{ }";
}

InlineTable& InlineTable::add(std::string_view key, std::string_view value) {
  text_ += fmt::format("{}{} = {}", text_.empty() ? "" : ", ", key, value);
  return *this;
}

InlineTable& InlineTable::add(std::string_view key, const std::vector<std::string>& texts) {
  return texts.empty() ? *this : add(key, std::string_view(toml_array(texts)));
}

}  // namespace bartizan
