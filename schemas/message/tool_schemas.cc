#include "schemas/message/tool_schemas.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "schemas/base/limits.h"
#include "schemas/json/json_pointer.h"
#include "schemas/schema/metaschemas.h"

namespace bartizan {
namespace {

constexpr std::array<std::string_view, 3> kReserved{"__proto__", "constructor", "prototype"};

bool is_reserved(std::string_view name) {
  return std::ranges::find(kReserved, name) != kReserved.end();
}

void collect_reserved(JsonValue value, std::vector<JsonValue>& found) {
  const bool is_object = value.is(JsonType::object);
  if (!is_object && !value.is(JsonType::array)) return;
  for (const JsonValue child : value) {
    if (found.size() > limits::reserved_members_max) return;
    if (is_object && is_reserved(child.key())) found.push_back(child);
    collect_reserved(child, found);
  }
}

std::string flaw_of(std::string_view member, const ToolSchema& schema) {
  if (schema.flaw() == nullptr) return "";
  std::string sentence = std::string(member) + ": " + std::string(text(schema.flaw()->flaw));
  const std::string& pointer = schema.flaw()->pointer;
  if (pointer.empty()) return sentence;
  return sentence + " at " + pointer;
}

void add_notes(std::string_view member, const ToolSchema& schema, std::vector<std::string>& all) {
  if (schema.notes() == nullptr) return;
  for (const SchemaNote& note : *schema.notes())
    all.push_back(fmt::format("{}{}: {}", member, note.pointer, note.meaning));
}

}  // namespace

ToolSchema ToolSchema::read(JsonValue schema) {
  ToolSchema read;
  auto compiled = JsonSchema::compile(schema.raw(), metaschemas(),
                                      {.untranslatable = SchemaOptions::Untranslatable::leave_out});
  if (!compiled.has_value()) {
    read.flaw_ = std::move(compiled).error();
    read.flaw_->pointer = cut_pointer(std::move(read.flaw_->pointer));
    return read;
  }
  read.compiled_ = std::move(*compiled);
  const std::vector<std::string>& ignored = read.compiled_->ignored_patterns();
  if (!ignored.empty()) read.flaw_ = {SchemaFlaw::untranslatable_pattern, ignored.front()};
  return read;
}

const JsonSchema* ToolSchema::usable(SchemaOptions::Untranslatable patterns) const {
  const bool is_whole = !flaw_.has_value();
  const bool is_enough = is_whole || patterns == SchemaOptions::Untranslatable::leave_out;
  return is_enough && compiled_.has_value() ? &*compiled_ : nullptr;
}

std::size_t ToolSchema::memory() const {
  return compiled_ ? compiled_->memory() : 0;
}

ToolSchemas ToolSchemas::read(JsonValue entry) {
  ToolSchemas schemas;
  schemas.input = ToolSchema::read(entry.find("inputSchema"));
  if (const JsonValue output = entry.find("outputSchema"); output && !output.is(JsonType::null)) {
    schemas.output = ToolSchema::read(output);
  }
  return schemas;
}

bool ToolSchemas::is_usable(SchemaOptions::Untranslatable patterns) const {
  return input.usable(patterns) != nullptr;
}

std::string ToolSchemas::flaw() const {
  return flaw_of("inputSchema", input);
}

std::string ToolSchemas::output_flaw() const {
  return output.has_value() ? flaw_of("outputSchema", *output) : "";
}

std::vector<std::string> ToolSchemas::notes() const {
  std::vector<std::string> all;
  add_notes("inputSchema", input, all);
  if (output.has_value()) add_notes("outputSchema", *output, all);
  return all;
}

std::size_t ToolSchemas::memory() const {
  return sizeof *this + input.memory() + (output ? output->memory() : 0);
}

std::vector<JsonValue> find_reserved_members(JsonValue value) {
  std::vector<JsonValue> found;
  collect_reserved(value, found);
  return found;
}

}  // namespace bartizan
