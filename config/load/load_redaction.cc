#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "config/check_name.h"
#include "config/load/load_parts.h"
#include "config/load/load_predicate.h"

namespace bartizan {
namespace {

constexpr std::array<std::pair<std::string_view, Carrier>, kCarrierCount> kCarriers{
    {{"results", Carrier::results},
     {"errors", Carrier::errors},
     {"notifications", Carrier::notifications},
     {"requests", Carrier::requests},
     {"definitions", Carrier::definitions},
     {"records", Carrier::records},
     {"arguments", Carrier::arguments}}};

constexpr std::array<std::pair<std::string_view, RedactionAction>, 6> kActions{
    {{"observe", RedactionAction::observe},
     {"tokenise", RedactionAction::tokenise},
     {"hash", RedactionAction::hash},
     {"mask", RedactionAction::mask},
     {"drop", RedactionAction::drop},
     {"withhold", RedactionAction::withhold}}};

constexpr std::size_t kBecauseBytesMax = 1024;

template <class E, std::size_t N>
std::string_view name_of(const std::array<std::pair<std::string_view, E>, N>& names, E value) {
  const auto* const found =
      std::ranges::find(names, value, &std::pair<std::string_view, E>::second);
  return found == names.end() ? std::string_view() : found->first;
}

/// The existence of detectors is checked when the policy is compiled.
std::vector<std::string> load_detectors(const Text& name, TableReader& table) {
  if (!table.has("detectors")) {
    table.problems().error(name.where, fmt::format("{} needs \"detectors\"", quote(name.value)),
                           "detectors = [\"secrets\"] is all that find secrets");
  }
  table.refuse_empty("detectors");
  return values(table.texts("detectors"));
}

std::vector<std::string> load_tool_globs(TableReader& table, const Config& config) {
  const std::vector<Text> globs = table.texts("tools");
  for (const Text& glob : globs)
    check_pattern(glob, find_tool_pattern_fault(glob.value), config.servers, table.problems());
  table.refuse_empty("tools");
  return values(globs);
}

std::vector<std::string> load_pointers(TableReader& table) {
  const std::vector<Text> pointers = table.texts("pointers");
  for (const Text& pointer : pointers) {
    if (is_json_pointer(pointer.value)) continue;
    table.problems().error(pointer.where,
                           fmt::format("{} is not a JSON pointer", quote(pointer.value)),
                           "write one such as \"/structuredContent/url\" or \"/content/*/text\"");
  }
  table.refuse_empty("pointers");
  return values(pointers);
}

/// A token stands for a value that its server sent, so arguments of clients cannot become tokens.
void check_action(const RedactionConfig& rule, TableReader& table) {
  const bool has_arguments = std::ranges::find(rule.in, Carrier::arguments) != rule.in.end();
  if (rule.action != RedactionAction::tokenise || !has_arguments) return;
  table.problems().error(
      table.where("action"), "\"tokenise\" cannot be used with \"arguments\"",
      "write a separate redaction with in = [\"arguments\"], and \"mask\" or \"withhold\"");
}

RedactionException load_exception(const Text& name, TableReader& table, const Config& config) {
  RedactionException keep{.name = name.value, .where = name.where};
  keep.tools = load_tool_globs(table, config);
  keep.detectors = load_detectors(name, table);
  keep.detectors_where = table.where("detectors");
  table.refuse_empty("hosts");
  keep.hosts = values(table.texts("hosts"));
  keep.hosts_where = table.where("hosts");
  keep.pointers = load_pointers(table);
  const std::optional<std::int64_t> expires = table.date("expires");
  if (!table.has("expires")) {
    table.problems().error(name.where, fmt::format("{} needs \"expires\"", quote(name.value)),
                           "an exception ends: write the day, such as expires = 2027-03-31");
  }
  keep.expires = expires.value_or(0);
  keep.because = table.text("because").value_or("");
  if (!table.has("because")) {
    table.problems().error(name.where, fmt::format("{} needs \"because\"", quote(name.value)),
                           "say for whom it is and why");
  } else if (keep.because.size() > kBecauseBytesMax) {
    table.problems().error(table.where("because"),
                           fmt::format("\"because\" is longer than {} bytes", kBecauseBytesMax));
  }
  table.finish();
  return keep;
}

RedactionConfig load_redaction(const Text& name, TableReader& table, const Config& config) {
  RedactionConfig rule{.name = name.value, .where = name.where};
  rule.detectors = load_detectors(name, table);
  rule.detectors_where = table.where("detectors");
  table.refuse_empty("in");
  rule.in = table.choices<Carrier>("in", kCarriers);
  if (!table.has("in")) rule.in = default_redaction().in;
  rule.action = table.choice<RedactionAction>("action", kActions).value_or(rule.action);
  check_action(rule, table);
  table.refuse_empty("roles");
  for (const Text& role : table.texts("roles")) {
    check_reference(role, "role", config.roles, table.problems());
    rule.roles.push_back(role.value);
  }
  table.refuse_empty("principals");
  for (const Text& principal : table.texts("principals")) {
    check_reference(principal, "principal", config.principals, table.problems());
    rule.principals.push_back(principal.value);
  }
  rule.tools = load_tool_globs(table, config);
  rule.pointers = load_pointers(table);
  for (auto& [keep_name, keep_table] : table.named_tables("keep")) {
    check_name(keep_name, "exception", table.problems());
    rule.keep.emplace(keep_name.value, load_exception(keep_name, keep_table, config));
  }
  table.finish();
  return rule;
}

}  // namespace

std::string_view text(Carrier carrier) {
  return name_of(kCarriers, carrier);
}

std::string_view text(RedactionAction action) {
  return name_of(kActions, action);
}

RedactionConfig default_redaction() {
  RedactionConfig rule{.name = "secrets", .detectors = {"secrets"}};
  for (const auto& [name, carrier] : kCarriers) {
    if (carrier != Carrier::arguments) rule.in.push_back(carrier);
  }
  return rule;
}

std::map<std::string, RedactionConfig, std::less<>> load_redactions(TableReader& root,
                                                                    const Config& config) {
  std::map<std::string, RedactionConfig, std::less<>> rules;
  rules.emplace("secrets", default_redaction());
  for (auto& [name, table] : root.named_tables("redact")) {
    check_name(name, "redaction", root.problems());
    rules.insert_or_assign(name.value, load_redaction(name, table, config));
  }
  return rules;
}

}  // namespace bartizan
