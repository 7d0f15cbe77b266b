#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "config/load/lock_file.h"
#include "schemas/json/json.h"
#include "schemas/json/json_text.h"
#include "schemas/message/tool_definition.h"

namespace bartizan {
namespace {

/// Writes JSON with one line per member and element, each level indented by two blanks.
class LockWriter {
 public:
  std::string take() { return std::move(text_); }

  void begin(char bracket) {
    text_ += bracket;
    is_empty_.push_back(true);
  }
  void end(char bracket) {
    const bool was_empty = is_empty_.back();
    is_empty_.pop_back();
    if (!was_empty) break_line();
    text_ += bracket;
  }
  void name(std::string_view name) {
    next();
    append_json_string(text_, name);
    text_ += ": ";
  }
  void next() {
    if (!is_empty_.back()) text_ += ',';
    is_empty_.back() = false;
    break_line();
  }
  void plain(std::string_view value) { text_ += value; }
  void text(std::string_view text) { append_json_string(text_, text); }
  void member(std::string_view its_name, std::string_view value) {
    if (value.empty()) return;
    name(its_name);
    text(value);
  }
  void members(std::string_view its_name, const std::map<std::string, std::string>& values) {
    if (values.empty()) return;
    name(its_name);
    begin('{');
    for (const auto& [key, value] : values)
      member(key, value);
    end('}');
  }

  /// Members are sorted by name, as in the fingerprint. Numbers keep their spelling.
  void value(JsonValue value) {
    if (value.is(JsonType::string)) return text(value.text());
    const bool is_object = value.is(JsonType::object);
    if (!is_object && !value.is(JsonType::array)) {
      text_ += value.raw();
      return;
    }
    begin(is_object ? '{' : '[');
    std::vector<JsonValue> parts(value.begin(), value.end());
    if (is_object) std::ranges::sort(parts, {}, &JsonValue::key);
    for (const JsonValue part : parts) {
      is_object ? name(part.key()) : next();
      this->value(part);
    }
    end(is_object ? '}' : ']');
  }

 private:
  void break_line() {
    text_ += '\n';
    text_.append(2 * is_empty_.size(), ' ');
  }

  std::string text_;
  std::vector<bool> is_empty_;
};

void write_tool(LockWriter& writer, const PinnedTool& tool) {
  const bool is_v1 = tool.version == PinVersion::v1;
  writer.begin('{');
  writer.member("approval", tool.is_approved ? "person" : "first_use");
  writer.name("definition");
  writer.begin('{');
  const Bytes bytes{std::string_view(tool.definition)};
  JsonDocument document;
  const JsonValue entry = document.read(bytes, kResponseLimits).value_or(JsonValue());
  std::vector<JsonValue> members(entry.begin(), entry.end());
  std::ranges::sort(members, {}, &JsonValue::key);
  for (const JsonValue member : members) {
    if (is_v1 && !is_fingerprinted_v1(member.key())) continue;
    writer.name(member.key());
    writer.value(member);
  }
  writer.end('}');
  if (is_v1) {
    writer.name("version");
    writer.plain("1");
  }
  writer.end('}');
}

void write_identity(LockWriter& writer, const ServerIdentity& identity) {
  writer.begin('{');
  writer.member("arguments", identity.arguments);
  writer.member("certificate_key", identity.certificate_key);
  writer.members("files", identity.files);
  writer.member("image", identity.image);
  writer.member("origin", identity.origin);
  if (!identity.package.empty()) {
    writer.name("package");
    writer.begin('{');
    writer.member("integrity", identity.integrity);
    writer.member("name", identity.package);
    writer.member("version", identity.version);
    writer.end('}');
  }
  writer.member("program", identity.program);
  writer.member("target", identity.target);
  writer.end('}');
}

}  // namespace

std::string write_lock_file(const LockFile& lock) {
  std::set<std::string, std::less<>> servers;
  for (const auto& [server, tools] : lock.tools)
    servers.insert(server);
  for (const auto& [server, files] : lock.executables)
    servers.insert(server);
  for (const auto& [server, identity] : lock.identities)
    servers.insert(server);
  LockWriter writer;
  writer.begin('{');
  writer.name("servers");
  writer.begin('{');
  for (const std::string& server : servers) {
    writer.name(server);
    writer.begin('{');
    if (const auto files = lock.executables.find(server); files != lock.executables.end()) {
      writer.members("executables", {files->second.begin(), files->second.end()});
    }
    if (const auto known = lock.identities.find(server); known != lock.identities.end()) {
      writer.name("identity");
      write_identity(writer, known->second);
    }
    writer.name("tools");
    writer.begin('{');
    if (const auto tools = lock.tools.find(server); tools != lock.tools.end()) {
      for (const auto& [name, tool] : tools->second) {
        writer.name(name);
        write_tool(writer, tool);
      }
    }
    writer.end('}');
    writer.end('}');
  }
  writer.end('}');
  writer.name("version");
  writer.plain("2");
  writer.end('}');
  return writer.take() + "\n";
}

}  // namespace bartizan
