#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/choices.h"
#include "fuzz/require.h"
#include "policy/definition/diff_definitions.h"
#include "schemas/message/tool_definition.h"

/// Of an entry of `tools/list` that can be read, the same definition with other white space,
/// escapes and order of members has the same fingerprint, and nothing differs; with anything else
/// in what is approved, both say so.

namespace {

using namespace bartizan;

constexpr std::array<std::string_view, 9> kApproved{"Description", "_meta",        "annotations",
                                                    "description", "inputSchema",  "more",
                                                    "name",        "outputSchema", "title"};

class Respelling {
 public:
  explicit Respelling(FuzzChoices& choices) : choices_(choices) {}

  std::string spell(JsonValue value) {
    std::string text = blank();
    if (value.is(JsonType::string)) return text + quoted(value.text()) + blank();
    const bool is_object = value.is(JsonType::object);
    if (!is_object && !value.is(JsonType::array)) return text + std::string(value.raw()) + blank();
    std::vector<JsonValue> parts(value.begin(), value.end());
    for (std::size_t i = parts.size(); is_object && i > 1; --i)
      std::swap(parts[i - 1], parts[choices_.below(std::min<std::size_t>(i, 256))]);
    text += is_object ? '{' : '[';
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (i > 0) text += ',';
      if (is_object) text += blank() + quoted(parts[i].key()) + ":";
      text += spell(parts[i]);
    }
    return text + (is_object ? '}' : ']') + blank();
  }

 private:
  std::string blank() {
    constexpr std::array<std::string_view, 4> kBlanks{"", " ", "\n", "\t \r\n"};
    return std::string(choices_.pick(kBlanks));
  }

  /// Some of the letters as escapes.
  std::string quoted(std::string_view text) {
    constexpr std::string_view kHex = "0123456789abcdef";
    std::string plain;
    append_json_string(plain, text);
    std::string out;
    bool is_escaped = false;
    for (const char c : plain) {
      const bool is_letter = c >= 'g' && c <= 'z';
      if (!is_escaped && is_letter && choices_.one_in(4)) {
        out += "\\u00";
        out += kHex[static_cast<unsigned char>(c) >> 4];
        out += kHex[static_cast<unsigned char>(c) & 15U];
      } else {
        out += c;
      }
      is_escaped = !is_escaped && c == '\\';
    }
    return out;
  }

  FuzzChoices& choices_;
};

struct Read {
  explicit Read(std::string text) : bytes(std::move(text)) {
    const Result<JsonValue> value = document.read(bytes, kResponseLimits);
    is_json = value.has_value();
    if (is_json) root = *value;
  }
  Bytes bytes;
  JsonDocument document;
  JsonValue root;
  bool is_json = false;
};

/// An entry with another text in the place of one approved member.
std::string changed(JsonValue entry, FuzzChoices& choices) {
  const std::string_view wanted = choices.pick(kApproved);
  std::string out = "{";
  for (const JsonValue member : entry) {
    if (out.size() > 1) out += ',';
    append_json_string(out, member.key());
    out += ':';
    if (member.key() == wanted && member.is(JsonType::string)) {
      append_json_string(out, std::string(member.text()) + "x");
    } else {
      out += member.raw();
    }
  }
  return out + "}";
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 8192) return 0;
  // What is read, and behind the first zero what is chosen.
  const std::string_view all(reinterpret_cast<const char*>(data), size);
  const std::size_t end = std::min(all.find('\0'), all.size());
  FuzzChoices choices =
      FuzzChoices::from_bytes(std::span(data, size).subspan(std::min(end + 1, size)));
  const Read first(std::string(all.substr(0, end)));
  if (!first.is_json) return 0;
  const Result<ToolDefinition> tool = read_tool_definition(first.root);
  if (!tool.has_value()) return 0;
  const Read again(Respelling(choices).spell(first.root));
  require(again.is_json);
  const Result<ToolDefinition> same = read_tool_definition(again.root);
  require(same.has_value() && same->fingerprint == tool->fingerprint);
  require(diff_definitions(first.root, again.root).empty());
  const Read other(changed(first.root, choices));
  require(other.is_json);
  const Result<ToolDefinition> different = read_tool_definition(other.root);
  if (!different.has_value()) return 0;
  const bool differs = different->fingerprint != tool->fingerprint;
  const bool is_otherwise = std::ranges::any_of(kApproved, [&](std::string_view name) {
    return first.root.find(name).text() != other.root.find(name).text();
  });
  require(differs == is_otherwise);
  require(diff_definitions(first.root, other.root).empty() != differs);
  return 0;
}
