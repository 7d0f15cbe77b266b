#include "tests/bench/schema_shapes.h"

#include <array>
#include <cstddef>

namespace bartizan {
namespace {

constexpr std::string_view kSixProperties = R"({
  "type": "object",
  "properties": {
    "path": {"type": "string", "minLength": 1, "maxLength": 4096},
    "encoding": {"type": "string", "enum": ["utf-8", "utf-16", "latin-1"]},
    "offset": {"type": "integer", "minimum": 0},
    "limit": {"type": "integer", "minimum": 1, "maximum": 1000},
    "follow_links": {"type": "boolean"},
    "tags": {"type": "array", "items": {"type": "string"}, "maxItems": 16}
  },
  "required": ["path", "limit"],
  "additionalProperties": false
})";
constexpr std::string_view kSixMembers =
    R"({"path":"/srv/data/notes/2026/plan.md","encoding":"utf-8","offset":0,"limit":200,)"
    R"("follow_links":true,"tags":["plan","draft"]})";

/// A property's schema and a value of it, in the mixture that tools have.
struct Property {
  std::string_view schema, value;
};
constexpr std::array<Property, 6> kProperties = {{
    {R"({"type":"string","maxLength":200,"description":"Only what has this title."})",
     R"("Minutes of the meeting")"},
    {R"({"type":"integer","minimum":0,"maximum":5000,"description":"How many at most."})", "250"},
    {R"({"type":"boolean","default":false,"description":"Also what was archived."})", "true"},
    {R"({"type":"string","enum":["open","closed","all"],"description":"In which state."})",
     R"("closed")"},
    {R"({"type":"array","items":{"type":"string"},"maxItems":20,"description":"Its labels."})",
     R"(["a","b"])"},
    {R"({"type":["number","null"],"minimum":-180,"maximum":180,"description":"Where."})", "8.25"},
}};

std::string name_of(std::size_t i) {
  constexpr std::array<std::string_view, 5> kWords = {"filter", "page", "sort_by", "author",
                                                      "created_after"};
  return "\"" + std::string(kWords[i % kWords.size()]) + "_" + std::to_string(i) + "\"";
}

std::string properties(std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    text += (i > 0 ? "," : "") + name_of(i) + ":";
    text += kProperties[i % kProperties.size()].schema;
  }
  return text;
}

std::string members(std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    text += (i > 0 ? "," : "") + name_of(i) + ":";
    text += kProperties[i % kProperties.size()].value;
  }
  return "{" + text + "}";
}

SchemaShape with_properties(std::string_view name, std::size_t count) {
  return {.name = name,
          .schema = R"({"type":"object","properties":{)" + properties(count) + R"(},"required":[)" +
                    name_of(0) + "," + name_of(1) + R"(],"additionalProperties":false})",
          .document = members(count)};
}

/// Operations told apart by a constant, the last of which is meant.
SchemaShape one_of(std::size_t count) {
  std::string alternatives;
  for (std::size_t i = 0; i < count; ++i) {
    alternatives += (i > 0 ? "," : "") + std::string(R"({"type":"object","properties":{"op":)") +
                    R"({"const":"operation_)" + std::to_string(i) + R"("},"path":)" +
                    R"({"type":"string"},"count":{"type":"integer"}},"required":["op","path"]})";
  }
  return {.name = "one_of_20",
          .schema = R"({"oneOf":[)" + alternatives + "]}",
          .document = R"({"op":"operation_)" + std::to_string(count - 1) +
                      R"(","path":"/srv/data/plan.md","count":3})"};
}

/// As deep as a schema can be that spells every level out: it nests twice as deep itself.
SchemaShape nested(std::size_t levels) {
  std::string schema = R"({"type":"string"})";
  std::string document = R"("leaf")";
  for (std::size_t i = 0; i < levels; ++i) {
    schema = R"({"type":"object","properties":{"name":{"type":"string"},"child":)" + schema +
             R"(},"required":["child"]})";
    document = R"({"name":"node","child":)" + document + "}";
  }
  return {.name = "nested_30", .schema = std::move(schema), .document = std::move(document)};
}

}  // namespace

std::span<const SchemaShape> schema_shapes() {
  static const std::array<SchemaShape, 5> shapes = {
      SchemaShape{.name = "6prop",
                  .schema = std::string(kSixProperties),
                  .document = std::string(kSixMembers)},
      with_properties("30prop", 30), with_properties("200prop", 200), one_of(20), nested(30)};
  return shapes;
}

std::string schema_of_10_kib() {
  constexpr std::size_t kBytes = std::size_t{10} << 10;
  const auto text = [](std::size_t count) {
    return R"({"type":"object","properties":{)" + properties(count) +
           R"(,"place":{"$ref":"#/$defs/place"},"id":{"type":"string","pattern":"^[a-z0-9_-]+$"}},)"
           R"("additionalProperties":false,"$defs":{"place":{"type":"object","properties":{)" +
           properties(count / 4) + R"(}}}})";
  };
  std::size_t count = 1;
  while (text(count + 1).size() <= kBytes)
    ++count;
  return text(count);
}

}  // namespace bartizan
