#include "config/load/lock_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <utility>

#include "config/check_name.h"
#include "config/text_place.h"
#include "schemas/base/limits.h"
#include "schemas/json/json.h"
#include "schemas/json/json_text.h"
#include "schemas/message/tool_definition.h"

namespace bartizan {
namespace {

/// Definitions are nested deeper here than in a list, and come from servers.
constexpr JsonLimits kLockLimits{.bytes_max = limits::lock_bytes_max,
                                 .values_max = limits::response_values_max,
                                 .depth_max = limits::json_depth_max + 8,
                                 .numbers = JsonLimits::Numbers::keep_as_text};

/// Reads one file and reports its errors.
class LockReader {
 public:
  LockReader(const std::string& path, Position where, Problems& problems,
             std::span<const std::string> volatile_members)
      : path_(path), where_(where), problems_(problems), volatile_members_(volatile_members) {}

  LockFile read(std::string_view text) {
    const Bytes bytes(text);
    JsonDocument document;
    const Result<JsonValue> root = document.read(bytes, kLockLimits);
    if (!root.has_value()) {
      report(describe_place(text, root.error().offset), error_text(root.error().code));
      return {};
    }
    read_root(*root);
    return is_sound_ ? std::move(pinned_) : LockFile();
  }

 private:
  void report(std::string_view place, std::string_view what) {
    is_sound_ = false;
    problems_.error(where_, fmt::format("the lock file {}{}: {}", quote(path_), place, what),
                    "take the last one that was good from version control; or move it away, and "
                    "write it anew with bartizan pin, which approves what servers list by then");
  }
  void report_at(const std::string& pointer, std::string_view what) {
    report(pointer.empty() ? std::string() : fmt::format(", {}", quote(pointer)), what);
  }

  /// Whether an object has these members and no others. Otherwise a misspelt member would be
  /// ignored silently.
  bool has_only(JsonValue object, const std::string& pointer,
                std::initializer_list<std::string_view> names) {
    if (!object.is(JsonType::object)) {
      report_at(pointer, "must be an object");
      return false;
    }
    for (const JsonValue member : object) {
      if (std::ranges::find(names, member.key()) != names.end()) continue;
      report_at(pointer_below(pointer, member.key()), "is not a member of a lock file");
      return false;
    }
    return true;
  }

  void read_root(JsonValue root) {
    if (!has_only(root, "", {"version", "servers"})) return;
    const auto version = root.find("version").integer();
    if (version != 1 && version != 2) return report_at("/version", "must be 2, or 1");
    version_ = version == 1 ? PinVersion::v1 : PinVersion::v2;
    const JsonValue servers = root.find("servers");
    if (!servers.is(JsonType::object)) return report_at("/servers", "must be an object");
    for (const JsonValue server : servers) {
      const std::string pointer = pointer_below("/servers", server.key());
      if (!has_only(server, pointer, {"tools", "executables", "identity"})) return;
      // If only executables of a server are approved, tools are not required.
      const bool has_executables = static_cast<bool>(server.find("executables"));
      if (has_executables) read_executables(server, pointer + "/executables");
      if (!has_executables || server.find("tools")) read_tools(server, pointer + "/tools");
      if (server.find("identity")) read_identity(server, pointer + "/identity");
    }
  }

  void read_executables(JsonValue server, const std::string& pointer) {
    const JsonValue executables = server.find("executables");
    if (!executables.is(JsonType::object)) return report_at(pointer, "must be an object");
    for (const JsonValue digest : executables) {
      const std::string at = pointer_below(pointer, digest.key());
      if (!digest.key().starts_with('/')) report_at(at, "is not under an absolute path");
      if (!digest.is(JsonType::string) || !is_sha256(digest.text())) {
        report_at(at, "must be 64 digits of lower-case hex");
      }
      pinned_.executables[std::string(server.key())].emplace(digest.key(), digest.text());
    }
  }

  std::string read_text(JsonValue object, std::string_view name, const std::string& pointer) {
    const JsonValue text = object.find(name);
    if (text && !text.is(JsonType::string)) {
      report_at(pointer_below(pointer, name), "must be a string");
    }
    return std::string(text.text());
  }

  std::string read_digest(JsonValue object, std::string_view name, const std::string& pointer) {
    std::string digest = read_text(object, name, pointer);
    if (!digest.empty() && !is_sha256(digest)) {
      report_at(pointer_below(pointer, name), "must be 64 digits of lower-case hex");
    }
    return digest;
  }

  void read_identity(JsonValue server, const std::string& pointer) {
    const JsonValue identity = server.find("identity");
    if (!has_only(identity, pointer,
                  {"program", "arguments", "files", "package", "image", "origin", "target",
                   "certificate_key"})) {
      return;
    }
    ServerIdentity& read = pinned_.identities[std::string(server.key())];
    read.program = read_text(identity, "program", pointer);
    read.arguments = read_digest(identity, "arguments", pointer);
    for (const JsonValue digest : identity.find("files")) {
      if (!is_sha256(digest.text())) {
        report_at(pointer_below(pointer + "/files", digest.key()),
                  "must be 64 digits of lower-case hex");
      }
      read.files.emplace(digest.key(), digest.text());
    }
    if (const JsonValue package = identity.find("package")) {
      if (!has_only(package, pointer + "/package", {"name", "version", "integrity"})) return;
      read.package = read_text(package, "name", pointer + "/package");
      read.version = read_text(package, "version", pointer + "/package");
      read.integrity = read_text(package, "integrity", pointer + "/package");
    }
    read.image = read_text(identity, "image", pointer);
    read.origin = read_text(identity, "origin", pointer);
    read.target = read_digest(identity, "target", pointer);
    read.certificate_key = read_digest(identity, "certificate_key", pointer);
  }

  void read_tools(JsonValue server, const std::string& pointer) {
    const JsonValue tools = server.find("tools");
    if (!tools.is(JsonType::object)) return report_at(pointer, "must be an object");
    for (const JsonValue tool : tools)
      read_tool(tool, std::string(server.key()), pointer_below(pointer, tool.key()));
  }

  void read_tool(JsonValue tool, const std::string& server, const std::string& pointer) {
    if (!has_only(tool, pointer, {"approval", "definition", "version"})) return;
    if (tool.find("version") && tool.find("version").integer() != 1) {
      return report_at(pointer + "/version", "must be 1, or be left out");
    }
    const std::string_view approval = tool.find("approval").text();
    if (approval != "person" && approval != "first_use") {
      return report_at(pointer + "/approval", "must be \"person\" or \"first_use\"");
    }
    const JsonValue entry = tool.find("definition");
    const Result<ToolDefinition> definition =
        read_tool_definition(entry, Era::modern, volatile_members_);
    if (!definition.has_value()) {
      return report_at(pointer + "/definition", definition.error().detail);
    }
    if (definition->name != tool.key()) {
      return report_at(pointer + "/definition/name", "is not the name that it stands under");
    }
    const PinVersion version = tool.find("version") ? PinVersion::v1 : version_;
    pinned_.tools[server][definition->name] = {.fingerprint = version == PinVersion::v1
                                                                  ? definition->fingerprint_v1
                                                                  : definition->fingerprint,
                                               .definition = std::string(entry.raw()),
                                               .hints = read_tool_hints(entry.find("annotations")),
                                               .is_approved = approval == "person",
                                               .version = version};
  }

  const std::string& path_;
  Position where_;
  Problems& problems_;
  std::span<const std::string> volatile_members_;
  PinVersion version_ = PinVersion::v2;  ///< Of the file.
  LockFile pinned_;
  bool is_sound_ = true;
};

}  // namespace

LockFile parse_lock_file(std::string_view bytes, const std::string& path, Position where,
                         Problems& problems, std::span<const std::string> volatile_members) {
  return LockReader(path, where, problems, volatile_members).read(bytes);
}

std::string pinned_certificate_key(const PinsConfig& pins, std::string_view server) {
  if (pins.mode == PinsConfig::Mode::off) return {};
  const auto key = pins.certificate_keys.find(server);
  return key == pins.certificate_keys.end() ? std::string() : key->second;
}

std::map<std::string, std::string> pinned_definitions(std::string_view text) {
  const Bytes bytes(text);
  JsonDocument document;
  const JsonValue root = document.read(bytes, kLockLimits).value_or(JsonValue());
  std::map<std::string, std::string> definitions;
  for (const JsonValue server : root.find("servers")) {
    for (const JsonValue tool : server.find("tools")) {
      definitions.emplace(fmt::format("{}/{}", server.key(), tool.key()),
                          tool.find("definition").raw());
    }
  }
  return definitions;
}

}  // namespace bartizan
