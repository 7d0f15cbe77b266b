#include "gateway/command/format_finding.h"

#include <algorithm>

#include <fmt/format.h>

#include "gateway/review/report_problems.h"
#include "policy/definition/definition_secrets.h"
#include "schemas/json/json.h"
#include "schemas/json/json_text.h"

#include "policy/text/printable.h"

namespace bartizan {
namespace {

/// The place by server, tool and pointer.
std::string place_of(const std::string& server, const std::string& tool,
                     const std::string& pointer) {
  std::string place = tool.empty() ? "server " + server : server + "/" + tool;
  if (!pointer.empty()) place += " " + pointer;
  return printable(without_secrets(place));
}

/// The value at a pointer of a JSON text; empty if there is none.
std::string value_in(std::string_view text, std::string_view pointer) {
  const Bytes bytes{text};
  JsonDocument document;
  const Result<JsonValue> root = document.read(bytes, kResponseLimits);
  return root.has_value() ? std::string(root->at_pointer(pointer).raw()) : std::string();
}

/// A tool's definition in a lock file; for a server, its part of the file. Formatted as in the
/// file, one member per line.
std::string value_at(const LockFile& lock, const LockChange& change) {
  // A change of all tools of a server has no single value.
  if (change.tool.empty() && change.pointer.empty()) return {};
  LockFile part;
  std::string place = pointer_below("/servers", change.server);
  if (change.tool.empty()) {
    if (const auto known = lock.identities.find(change.server); known != lock.identities.end())
      part.identities.insert(*known);
    if (const auto known = lock.executables.find(change.server); known != lock.executables.end())
      part.executables.insert(*known);
  } else {
    const auto server = lock.tools.find(change.server);
    if (server == lock.tools.end()) return {};
    const auto tool = server->second.find(change.tool);
    if (tool == server->second.end()) return {};
    part.tools[change.server].insert(*tool);
    place = pointer_below(place + "/tools", change.tool) + "/definition";
  }
  return without_secrets(value_in(write_lock_file(part), place + change.pointer));
}

/// A value of a lock file after `label`. Further lines are aligned below the first.
std::string labelled(std::string_view label, std::string_view value) {
  // The last line closes the bracket of the first.
  const std::string_view last = value.substr(value.rfind('\n') + 1);
  const std::size_t depth = value.contains('\n') ? last.find_first_not_of(' ') : 0;
  std::string told(label);
  while (true) {
    const std::size_t end = value.find('\n');
    told += printable(value.substr(0, end));
    if (end == std::string_view::npos) return told;
    value.remove_prefix(std::min(end + 1 + depth, value.size()));
    told += '\n';
    told.append(label.size() - 1, ' ');
  }
}

std::string_view level_of(FindingSeverity severity) {
  switch (severity) {
    case FindingSeverity::low:
      return "note";
    case FindingSeverity::medium:
      return "warning";
    case FindingSeverity::high:
      return "error";
  }
  return "error";
}

JsonObject text_object(std::string_view text) {
  JsonObject json;
  json.add("text", text);
  return json;
}

std::vector<JsonObject> sarif_rules() {
  std::vector<JsonObject> rules;
  for (std::size_t i = 0; i < kScanRuleCount; ++i) {
    const auto rule = static_cast<ScanRule>(i);
    JsonObject& json = rules.emplace_back();
    json.add("id", text(rule));
    json.add_json("shortDescription", text_object(explanation(rule)).text());
  }
  return rules;
}

JsonObject sarif_result(const LocatedFinding& found, std::string_view place) {
  JsonObject artifact;
  artifact.add("uri", place);
  JsonObject physical;
  physical.add_json("artifactLocation", artifact.text());
  JsonObject logical;
  logical.add("fullyQualifiedName",
              printable(without_secrets(found.server + "/" + found.tool + found.finding.pointer)));
  logical.add("kind", "member");
  JsonObject location;
  location.add_json("physicalLocation", physical.text());
  location.add("logicalLocations", std::span<const JsonObject>(&logical, 1));
  JsonObject result;
  result.add("ruleId", text(found.finding.rule));
  result.add("level", level_of(found.finding.severity));
  result.add_json("message", text_object(format_finding(found)).text());
  result.add("locations", std::span<const JsonObject>(&location, 1));
  return result;
}

}  // namespace

std::string format_finding(const LockChange& change, const LockFile& older, const LockFile& newer) {
  std::string told = fmt::format("{}: {} {}", text(change.severity),
                                 place_of(change.server, change.tool, change.pointer),
                                 printable(without_secrets(change.what)));
  const std::string was = value_at(older, change);
  const std::string is = value_at(newer, change);
  if (!was.empty()) told += labelled("\n    was: ", was);
  if (!is.empty()) told += labelled("\n    is:  ", is);
  return told;
}

std::string format_finding(const LocatedFinding& found) {
  return fmt::format("{}: {} {} ({})", text(found.finding.severity),
                     place_of(found.server, found.tool, found.finding.pointer),
                     printable(without_secrets(found.finding.what)), text(found.finding.rule));
}

JsonObject finding_json(const LockChange& change, const LockFile& older, const LockFile& newer) {
  JsonObject json;
  json.add("severity", text(change.severity));
  json.add("server", change.server);
  if (!change.tool.empty()) json.add("tool", without_secrets(change.tool));
  json.add("pointer", without_secrets(change.pointer));
  json.add("what", without_secrets(change.what));
  const std::string was = value_at(older, change);
  const std::string is = value_at(newer, change);
  if (!was.empty()) json.add("was", was);
  if (!is.empty()) json.add("is", is);
  return json;
}

JsonObject finding_json(const LocatedFinding& found) {
  JsonObject json;
  json.add("rule", text(found.finding.rule));
  json.add("severity", text(found.finding.severity));
  json.add("server", found.server);
  json.add("tool", without_secrets(found.tool));
  json.add("pointer", without_secrets(found.finding.pointer));
  json.add("what", without_secrets(found.finding.what));
  return json;
}

std::string findings_sarif(const std::vector<LocatedFinding>& findings, std::string_view place) {
  std::vector<JsonObject> results;
  results.reserve(findings.size());
  for (const LocatedFinding& found : findings)
    results.push_back(sarif_result(found, place));
  return sarif_report("bartizan scan", sarif_rules(), results);
}

}  // namespace bartizan
