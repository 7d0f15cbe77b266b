#include "policy/check/read_registration.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/permission.h"
#include "schemas/base/contains.h"
#include "schemas/base/limits.h"
#include "schemas/json/json_text.h"
#include "schemas/message/tool_definition.h"
#include "schemas/schema/json_schema.h"
#include "schemas/schema/metaschemas.h"

namespace bartizan {
namespace {

constexpr std::size_t kVersionMax = 64;
constexpr std::size_t kTextMax = 4096;
constexpr std::size_t kNamesMax = 64;
constexpr std::size_t kNameMax = 128;
constexpr std::size_t kSchemaMax = std::size_t{32} << 10;
/// A day, in seconds.
constexpr double kExecutionMax = 86'400;

/// Collects what is wrong; the first fault counts.
class Reader {
 public:
  bool has_fault() const { return fault_.has_value(); }
  Decision take_fault() { return *std::move(fault_); }

  void refuse(std::string pointer, std::string_view keyword, std::string expected) {
    if (fault_.has_value()) return;
    fault_ = Decision::deny(Reason::invalid_params);
    fault_->pointer = pointer;
    fault_->violations.push_back({.pointer = std::move(pointer),
                                  .keyword = std::string(keyword),
                                  .expected = std::move(expected)});
  }

  /// An object with no other members than these. Absent where it is not there or not that.
  JsonValue object(JsonValue holder, const std::string& pointer, std::string_view name,
                   std::initializer_list<std::string_view> members) {
    const JsonValue value = holder.find(name);
    const std::string at = pointer_below(pointer, name);
    if (!value.is(JsonType::object)) {
      refuse(at, value ? "type" : "required", "an object");
      return {};
    }
    check_members(value, at, members);
    return value;
  }

  void check_members(JsonValue object, const std::string& pointer,
                     std::initializer_list<std::string_view> members) {
    for (const JsonValue member : object) {
      if (contains(members, member.key())) continue;
      std::string known;
      for (const std::string_view name : members)
        known += (known.empty() ? "" : ", ") + std::string(name);
      return refuse(pointer_below(pointer, member.key()), "additionalProperties", "only " + known);
    }
  }

  /// A text without control characters. Absent is empty.
  std::string text(JsonValue holder, const std::string& pointer, std::string_view name,
                   std::size_t bytes_max) {
    const JsonValue value = holder.find(name);
    if (!value) return {};
    const std::string_view said = value.text();
    const bool is_sound = value.is(JsonType::string) && !said.empty() && said.size() <= bytes_max &&
                          !has_control_character(said);
    if (!is_sound) {
      refuse(
          pointer_below(pointer, name), "type",
          "a text of at most " + std::to_string(bytes_max) + " bytes without control characters");
    }
    return std::string(said);
  }

  std::vector<std::string> names(JsonValue holder, const std::string& pointer,
                                 std::string_view name) {
    const JsonValue value = holder.find(name);
    if (!value) return {};
    const std::string at = pointer_below(pointer, name);
    std::vector<std::string> names;
    if (!value.is(JsonType::array) || value.size() > kNamesMax) {
      refuse(at, "type", "a list of at most " + std::to_string(kNamesMax) + " names");
      return names;
    }
    for (const JsonValue one : value) {
      const std::string_view said = one.text();
      const bool is_sound = one.is(JsonType::string) && !said.empty() && said.size() <= kNameMax &&
                            !has_control_character(said);
      if (!is_sound) refuse(at, "items", "names without control characters");
      names.emplace_back(said);
    }
    std::ranges::sort(names);
    const auto again = std::ranges::unique(names);
    names.erase(again.begin(), again.end());
    return names;
  }

  std::string schema(JsonValue holder, const std::string& pointer, std::string_view name) {
    const JsonValue value = holder.find(name);
    if (!value) return {};
    const std::string at = pointer_below(pointer, name);
    std::string text(value.raw());
    if (!value.is(JsonType::object) || text.size() > kSchemaMax) {
      refuse(at, "type", "a JSON Schema of at most 32 KiB");
      return {};
    }
    const auto compiled = JsonSchema::compile(text, metaschemas());
    if (!compiled.has_value()) {
      refuse(at + compiled.error().pointer, "schema", compiled.error().detail);
    }
    return text;
  }

 private:
  std::optional<Decision> fault_;
};

void read_metadata(Reader& reader, JsonValue params, WantedRegistration& wanted) {
  const std::string at = "/tool_metadata";
  const JsonValue metadata = reader.object(
      params, "", "tool_metadata", {"name", "version", "description", "author", "categories"});
  ToolRegistration& registration = wanted.registration;
  wanted.name = reader.text(metadata, at, "name", limits::name_bytes_max);
  registration.version = reader.text(metadata, at, "version", kVersionMax);
  registration.description = reader.text(metadata, at, "description", kTextMax);
  registration.author = reader.text(metadata, at, "author", kNameMax);
  registration.categories = reader.names(metadata, at, "categories");
  if (wanted.name.empty()) reader.refuse(at + "/name", "required", "the name of a tool");
  if (registration.version.empty()) {
    reader.refuse(at + "/version", "required", "the version that callers name in tool_version");
  }
}

void read_limits(Reader& reader, JsonValue profile, ToolRegistration& registration) {
  if (!profile.find("resource_limits")) return;
  const std::string at = "/security_profile/resource_limits";
  const JsonValue limits = reader.object(profile, "/security_profile", "resource_limits",
                                         {"max_execution_time", "max_memory"});
  if (const JsonValue time = limits.find("max_execution_time")) {
    const double seconds = time.is(JsonType::number) ? time.number().value_or(0) : 0;
    // No less than the millisecond that time is measured in.
    if (!(seconds >= 0.001 && seconds <= kExecutionMax)) {
      reader.refuse(at + "/max_execution_time", "type", "seconds, from 0.001 to 86400");
    } else {
      registration.max_execution_time =
          std::chrono::milliseconds(static_cast<std::int64_t>(std::floor(seconds * 1000)));
    }
  }
  if (const JsonValue memory = limits.find("max_memory")) {
    const std::int64_t bytes = memory.integer().value_or(0);
    if (bytes <= 0) reader.refuse(at + "/max_memory", "type", "bytes, more than 0");
    registration.max_memory = static_cast<std::uint64_t>(std::max<std::int64_t>(bytes, 0));
  }
}

void read_profile(Reader& reader, JsonValue params, ToolRegistration& registration) {
  const std::string at = "/security_profile";
  const JsonValue profile = reader.object(params, "", "security_profile",
                                          {"permissions", "sandbox_level", "resource_limits"});
  registration.permissions = reader.names(profile, at, "permissions");
  if (!std::ranges::all_of(registration.permissions,
                           [](const std::string& one) { return is_permission(one); })) {
    reader.refuse(at + "/permissions", "items", "permissions such as read:filesystem");
  }
  if (const JsonValue level = profile.find("sandbox_level")) {
    const auto* const found = std::ranges::find(
        kSandboxLevels, level.text(), &std::pair<std::string_view, SandboxConfig::Level>::first);
    if (!level.is(JsonType::string) || found == kSandboxLevels.end()) {
      reader.refuse(at + "/sandbox_level", "enum", "\"none\", \"process\" or \"container\"");
    } else {
      registration.sandbox_level = found->second;
    }
  }
  read_limits(reader, profile, registration);
}

}  // namespace

std::expected<WantedRegistration, Decision> read_registration(JsonValue params) {
  Reader reader;
  WantedRegistration wanted;
  if (!params.is(JsonType::object)) reader.refuse("", "type", "an object");
  reader.check_members(params, "",
                       {"tool_metadata", "security_profile", "schema", "security_context"});
  read_metadata(reader, params, wanted);
  read_profile(reader, params, wanted.registration);
  const JsonValue schema = reader.object(params, "", "schema", {"input", "output"});
  wanted.registration.input_schema = reader.schema(schema, "/schema", "input");
  wanted.registration.output_schema = reader.schema(schema, "/schema", "output");
  if (wanted.registration.input_schema.empty()) {
    reader.refuse("/schema/input", "required", "a JSON Schema of the arguments");
  }
  if (reader.has_fault()) return std::unexpected(reader.take_fault());
  return wanted;
}

}  // namespace bartizan
