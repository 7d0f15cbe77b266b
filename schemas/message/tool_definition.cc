#include "schemas/message/tool_definition.h"

#include <algorithm>
#include <array>

#include "schemas/base/ascii.h"
#include "schemas/base/limits.h"
#include "schemas/base/sha256.h"
#include "schemas/json/canonical_json.h"
#include "schemas/json/json_text.h"

namespace bartizan {
namespace {

constexpr std::string_view kAnnotation = "x-mcp-header";
/// The most bytes of a server's name for a tool, and of its part in an alias.
constexpr std::size_t kOwnNameBytesMax = 1024;
constexpr std::size_t kAliasBytesMax = 100;

/// Keywords whose value is a schema, or an array of schemas.
constexpr std::array<std::string_view, 16> kSchemaKeywords{"items",
                                                           "prefixItems",
                                                           "additionalItems",
                                                           "contains",
                                                           "additionalProperties",
                                                           "propertyNames",
                                                           "not",
                                                           "if",
                                                           "then",
                                                           "else",
                                                           "allOf",
                                                           "anyOf",
                                                           "oneOf",
                                                           "unevaluatedItems",
                                                           "unevaluatedProperties",
                                                           "contentSchema"};
/// Keywords whose value maps names to schemas, except `properties`.
constexpr std::array<std::string_view, 5> kSchemaMaps{"$defs", "definitions", "dependencies",
                                                      "dependentSchemas", "patternProperties"};

bool is_alphanumeric(char c) {
  return is_digit(c) || is_letter(c);
}

bool is_name_character(char c) {
  return is_alphanumeric(c) || c == '_' || c == '-' || c == '.';
}

/// Source: RFC 9110 §5.6.2.
bool is_token(std::string_view text) {
  constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";
  return !text.empty() && std::ranges::all_of(text, [kMarks](char c) {
    return is_alphanumeric(c) || kMarks.find(c) != std::string_view::npos;
  });
}

bool equals_ignoring_case(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  return std::ranges::equal(a, b, {}, lower, lower);
}

bool is_mirrorable(JsonValue schema) {
  const std::string_view type = schema.find("type").text();
  return type == "string" || type == "integer" || type == "boolean";
}

/// Collects the annotations of an input schema. Recursion is bounded by the depth that
/// JsonDocument accepts.
class Annotations {
 public:
  /// Reads a schema that only `properties` lead to, so `pointer` identifies its argument.
  bool read(JsonValue schema, const std::string& pointer) {
    if (const JsonValue header = schema.find(kAnnotation)) {
      if (pointer.empty() || !add(header, schema, pointer)) return false;
    }
    for (const JsonValue property : schema.find("properties")) {
      if (!read(property, pointer_below(pointer, property.key()))) return false;
    }
    return std::ranges::none_of(schema.begin(), schema.end(), [](JsonValue keyword) {
      return keyword.key() != "properties" && holds_hidden(keyword);
    });
  }

  std::vector<MirroredArgument> take() { return std::move(mirrored_); }

 private:
  bool add(JsonValue header, JsonValue schema, const std::string& pointer) {
    const std::string_view name = header.text();
    if (!is_token(name) || !is_mirrorable(schema)) return false;
    const bool is_taken = std::ranges::any_of(mirrored_, [name](const MirroredArgument& other) {
      return equals_ignoring_case(other.header, name);
    });
    if (is_taken) return false;
    mirrored_.push_back({std::string(name), pointer});
    return true;
  }

  /// Whether a keyword leads to an annotation that belongs to no certain argument.
  static bool holds_hidden(JsonValue keyword) {
    const std::string_view name = keyword.key();
    if (std::ranges::find(kSchemaKeywords, name) != kSchemaKeywords.end()) {
      return is_annotated(keyword) || (keyword.is(JsonType::array) && any_annotated(keyword));
    }
    const bool is_map =
        name == "properties" || std::ranges::find(kSchemaMaps, name) != kSchemaMaps.end();
    return is_map && any_annotated(keyword);
  }

  static bool any_annotated(JsonValue schemas) {
    return std::ranges::any_of(schemas.begin(), schemas.end(), is_annotated);
  }

  static bool is_annotated(JsonValue schema) {
    if (!schema.is(JsonType::object)) return false;
    return schema.find(kAnnotation) ||
           std::ranges::any_of(schema.begin(), schema.end(), holds_hidden);
  }

  std::vector<MirroredArgument> mirrored_;
};

/// The members that version 1 of the lock file pinned.
constexpr std::array<std::string_view, 6> kFingerprintedV1{
    "annotations", "description", "inputSchema", "name", "outputSchema", "title"};

std::string fingerprinted_text_v1(JsonValue entry) {
  std::string out = "{";
  for (const std::string_view name : kFingerprintedV1) {
    const JsonValue member = entry.find(name);
    if (!member) continue;
    if (out.size() > 1) out.push_back(',');
    append_json_string(out, name);
    out.push_back(':');
    out += canonical_json(member, NumberForm::as_spelled);
  }
  return out + "}";
}

struct MemberType {
  std::string_view pointer;
  JsonType type;
};

constexpr auto kMemberTypes = std::to_array<MemberType>({
    {"/title", JsonType::string},
    {"/description", JsonType::string},
    {"/annotations", JsonType::object},
    {"/annotations/title", JsonType::string},
    {"/annotations/readOnlyHint", JsonType::boolean},
    {"/annotations/destructiveHint", JsonType::boolean},
    {"/annotations/idempotentHint", JsonType::boolean},
    {"/annotations/openWorldHint", JsonType::boolean},
    {"/icons", JsonType::array},
    {"/execution", JsonType::object},
    {"/execution/taskSupport", JsonType::string},
    {"/_meta", JsonType::object},
});

constexpr std::array<std::string_view, 7> kOptionalMembers{
    "title", "description", "annotations", "icons", "execution", "_meta", "outputSchema"};

/// Whether a member is null that clients read as a value or as absent.
bool has_null_members(JsonValue entry) {
  const auto is_null = [entry](std::string_view pointer) {
    return entry.at_pointer(pointer).is(JsonType::null);
  };
  return entry.find("outputSchema").is(JsonType::null) ||
         std::ranges::any_of(kMemberTypes, is_null, &MemberType::pointer);
}

/// Whether the entry's members have the types that clients read.
bool has_known_types(JsonValue entry) {
  const JsonValue icons = entry.find("icons");
  return std::ranges::all_of(kMemberTypes,
                             [entry](const MemberType& known) {
                               const JsonValue member = entry.at_pointer(known.pointer);
                               return !member || member.is(JsonType::null) || member.is(known.type);
                             }) &&
         std::ranges::all_of(icons.begin(), icons.end(),
                             [](JsonValue icon) { return icon.find("src").is(JsonType::string); });
}

std::unexpected<Error> unusable(std::string detail) {
  return fail(ErrorCode::invalid_params, Fault::server, std::move(detail));
}

}  // namespace

bool is_tool_name(std::string_view name) {
  return !name.empty() && name.size() <= limits::tool_name_bytes_max &&
         std::ranges::all_of(name, is_name_character);
}

std::string tool_name(std::string_view own_name) {
  if (own_name.empty() || is_tool_name(own_name)) return std::string(own_name);
  std::string alias;
  for (const char c : own_name.substr(0, kAliasBytesMax)) {
    // A character of several bytes becomes one `_`.
    if ((static_cast<unsigned char>(c) & 0xC0U) == 0x80U) continue;
    alias += is_name_character(c) ? c : '_';
  }
  constexpr std::size_t kMarkDigits = 8;
  return alias + "_" + sha256_hex(own_name).substr(0, kMarkDigits);
}

bool is_optional_member(std::string_view member) {
  return std::ranges::find(kOptionalMembers, member) != kOptionalMembers.end();
}

bool is_fingerprinted_v1(std::string_view member) {
  return std::ranges::find(kFingerprintedV1, member) != kFingerprintedV1.end();
}

std::string fingerprinted_text(JsonValue entry, std::span<const std::string> volatile_members) {
  return canonical_json_without(entry, volatile_members, NumberForm::as_spelled);
}

Result<ToolDefinition> read_tool_definition(JsonValue entry, Era era,
                                            std::span<const std::string> volatile_members) {
  const JsonValue name = entry.find("name");
  if (name.text().empty()) return unusable("tool without a name");
  if (name.text().size() > kOwnNameBytesMax) return unusable("tool with a name that is too long");
  const JsonValue schema = entry.find("inputSchema");
  if (schema.find("type").text() != "object") return unusable("inputSchema is not of type object");
  const JsonValue output = entry.find("outputSchema");
  if (!has_known_types(entry)) return unusable("a member of another type than the protocol's");
  Annotations annotations;
  if (!annotations.read(schema, {})) return unusable("invalid x-mcp-header annotation");

  ToolDefinition tool;
  tool.name = tool_name(name.text());
  tool.own_name = name.text();
  tool.raw = entry.raw();
  const std::size_t origin = entry.range().begin;
  tool.name_range = {name.range().begin - origin, name.range().end - origin};
  tool.mirrored = annotations.take();
  tool.has_nulls = has_null_members(entry);
  tool.says_destructive =
      entry.at_pointer("/annotations/destructiveHint").boolean().value_or(false);
  tool.hints = read_tool_hints(entry.find("annotations"));
  tool.has_odd_output = era == Era::legacy && output && !output.is(JsonType::null) &&
                        output.find("type").text() != "object";
  const std::string text = fingerprinted_text(entry, volatile_members);
  const std::string text_v1 = fingerprinted_text_v1(entry);
  tool.fingerprint = sha256_hex(text);
  tool.fingerprint_v1 = text == text_v1 ? tool.fingerprint : sha256_hex(text_v1);
  if (tool.fingerprint.empty() || tool.fingerprint_v1.empty()) {
    return fail(ErrorCode::overloaded, Fault::gateway, "no SHA-256 from the library");
  }
  return tool;
}

}  // namespace bartizan
