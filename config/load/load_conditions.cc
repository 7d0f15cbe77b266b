#include "config/load/load_conditions.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "config/check_name.h"
#include "config/load/load_predicate.h"
#include "config/transport.h"
#include "config/trust.h"
#include "schemas/message/method.h"

namespace bartizan {
namespace {

using Fact = decltype(FactCondition::fact);

constexpr std::array<std::pair<std::string_view, std::uint8_t>, 7> kDays{{{"mon", 1},
                                                                          {"tue", 1 << 1},
                                                                          {"wed", 1 << 2},
                                                                          {"thu", 1 << 3},
                                                                          {"fri", 1 << 4},
                                                                          {"sat", 1 << 5},
                                                                          {"sun", 1 << 6}}};

/// An empty list would never be true.
void check_filled(TableReader& of, std::string_view key) {
  if (!of.is_empty_array(key)) return;
  of.problems().error(of.where(key), fmt::format("{} is empty", quote(key)));
}

Fact load_methods(TableReader& of, std::string_view key) {
  const std::vector<Text> methods = of.texts(key);
  for (const Text& method : methods) {
    if (find_method(method.value).id != MethodId::unknown) continue;
    of.problems().error(method.where, fmt::format("{} is not an MCP method", quote(method.value)));
  }
  return MethodCondition{values(methods)};
}

Fact load_transports(TableReader& of, std::string_view key) {
  return TransportCondition{of.choices<Transport>(key, kTransportNames)};
}

Fact load_revisions(TableReader& of, std::string_view key) {
  std::vector<std::pair<std::string_view, ProtocolVersion>> names;
  names.reserve(kProtocolVersions.size());
  for (const ProtocolVersion version : kProtocolVersions)
    names.emplace_back(text(version), version);
  return RevisionCondition{of.choices<ProtocolVersion>(key, names)};
}

Fact load_addresses(TableReader& of, std::string_view key) {
  return AddressCondition{values(of.texts(key))};
}

Fact load_endpoint_names(TableReader& of, std::string_view key) {
  return EndpointCondition{values(of.texts(key))};
}

Fact load_server_trust(TableReader& of, std::string_view key) {
  return ServerTrustCondition{of.choices<Trust>(key, kTrustNames)};
}

ClassOf class_of(std::string_view key) {
  return key.starts_with("chain_") ? ClassOf::chain : ClassOf::tool;
}

Fact load_risk(TableReader& of, std::string_view key) {
  return RiskCondition{class_of(key), of.choices<Risk>(key, kRiskNames)};
}

Fact load_reversibility(TableReader& of, std::string_view key) {
  return ReversibilityCondition{class_of(key), of.choices<Reversibility>(key, kReversibilityNames)};
}

/// `HH:MM`, to `24:00`, in minutes.
std::optional<std::uint16_t> parse_time_of_day(std::string_view text) {
  if (text.size() != 5 || text[2] != ':') return std::nullopt;
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (!is_digit(text[0]) || !is_digit(text[1]) || !is_digit(text[3]) || !is_digit(text[4])) {
    return std::nullopt;
  }
  const int hours = (text[0] - '0') * 10 + (text[1] - '0');
  const int minutes = (text[3] - '0') * 10 + (text[4] - '0');
  const int all = hours * 60 + minutes;
  if (minutes > 59 || all > 24 * 60) return std::nullopt;
  return static_cast<std::uint16_t>(all);
}

std::uint16_t load_time_of_day(TableReader& of, std::string_view key, std::uint16_t without) {
  const std::optional<std::string> written = of.text(key);
  if (!written.has_value()) return without;
  const std::optional<std::uint16_t> time = parse_time_of_day(*written);
  if (!time.has_value()) {
    of.problems().error(of.where(key),
                        fmt::format("{} is not a time of day: {}", quote(key), quote(*written)),
                        "write \"09:00\", from \"00:00\" to \"24:00\"");
  }
  return time.value_or(without);
}

std::uint8_t load_days(TableReader& of) {
  if (!of.has("days")) return TimeCondition().days;
  check_filled(of, "days");
  std::uint8_t days = 0;
  for (const std::uint8_t day : of.choices<std::uint8_t>("days", kDays))
    days = static_cast<std::uint8_t>(days | day);
  return days;
}

Fact load_time(TableReader& of, std::string_view key) {
  TimeCondition time;
  std::optional<TableReader> table = of.table(key);
  if (!table.has_value()) return time;
  time.days = load_days(*table);
  time.from = load_time_of_day(*table, "from", time.from);
  time.to = load_time_of_day(*table, "to", time.to);
  time.zone = table->text("zone").value_or("");
  if (!table->has("zone")) {
    of.problems().error(table->where(), "\"time\" needs a \"zone\"", R"(zone = "Europe/Berlin")");
  }
  table->finish();
  return time;
}

Fact load_hint(TableReader& of, std::string_view key) {
  static constexpr std::array<std::pair<std::string_view, ToolHint>, 4> kHints{
      {{"destructive", ToolHint::destructive},
       {"idempotent", ToolHint::idempotent},
       {"open_world", ToolHint::open_world},
       {"read_only", ToolHint::read_only}}};
  const auto* const hint =
      std::ranges::find(kHints, key, &std::pair<std::string_view, ToolHint>::first);
  return HintCondition{hint->second, of.boolean(key).value_or(harmless_value(hint->second))};
}

struct FactKind {
  std::string_view key;
  Fact (*load)(TableReader& of, std::string_view key);
};
constexpr std::array<FactKind, 15> kFactKinds{{{"chain_reversibility", load_reversibility},
                                               {"chain_risk", load_risk},
                                               {"client_address", load_addresses},
                                               {"destructive", load_hint},
                                               {"endpoint", load_endpoint_names},
                                               {"idempotent", load_hint},
                                               {"method", load_methods},
                                               {"open_world", load_hint},
                                               {"read_only", load_hint},
                                               {"reversibility", load_reversibility},
                                               {"revision", load_revisions},
                                               {"risk", load_risk},
                                               {"server_trust", load_server_trust},
                                               {"time", load_time},
                                               {"transport", load_transports}}};

void load_fact(const Text& key, TableReader& table, RuleTarget target, const Config& config,
               RuleConditions& conditions) {
  const auto* const kind =
      std::ranges::find_if(kFactKinds, [&](const FactKind& one) { return one.key == key.value; });
  if (kind != kFactKinds.end()) {
    check_filled(table, key.value);
    conditions.facts.push_back({.fact = kind->load(table, key.value), .where = key.where});
    if (const auto* at = std::get_if<EndpointCondition>(&conditions.facts.back().fact)) {
      for (const std::string& name : at->endpoints)
        check_reference({name, key.where}, "endpoint", config.endpoints, table.problems());
    }
    const bool is_of_tools = std::holds_alternative<HintCondition>(conditions.facts.back().fact);
    if (is_of_tools && target != RuleTarget::tools) {
      table.problems().error(
          key.where, fmt::format("only rules with \"tools\" can ask for {}", quote(key.value)));
    }
    if (key.value == "server_trust" && target == RuleTarget::methods) {
      table.problems().error(key.where, "a rule with \"methods\" is about no server");
    }
    return;
  }
  std::vector<std::string_view> names;
  names.reserve(kFactKinds.size());
  for (const FactKind& one : kFactKinds)
    names.push_back(one.key);
  const std::string nearest = hint_near(key.value, names);
  table.problems().error(
      key.where, fmt::format("{} is neither a fact nor a pointer", quote(key.value)),
      nearest.empty()
          ? "facts are " + listed(names) + "; a pointer into the arguments begins with /"
          : nearest);
}

/// Predicates that rewrite arguments are refused in conditions: the rewriting would depend on the
/// match.
void refuse_rewriting(const Predicate& predicate, const Text& key, Problems& problems) {
  const auto* text = std::get_if<TextPredicate>(&predicate);
  const bool compacts = text != nullptr && text->compact;
  if (!compacts && !std::holds_alternative<FixedPredicate>(predicate)) return;
  problems.error(key.where,
                 fmt::format("a rule changes no arguments, so {} has no place in it",
                             quote(compacts ? "compact" : "fixed")),
                 "write it into a profile, [tool.\"SERVER/TOOL\".arguments]");
}

void load_argument(const Text& key, TableReader& table, RuleTarget target, const Config& config,
                   RuleConditions& conditions) {
  // A predicate has the same keys everywhere.
  auto predicate = table.table_of_kind(key.value, "tool.*.arguments.*");
  if (!predicate.has_value()) return;
  conditions.arguments.push_back(load_predicate(key, *predicate, config));
  refuse_rewriting(conditions.arguments.back().predicate, key, table.problems());
  if (target == RuleTarget::tools) return;
  table.problems().error(key.where, "only rules with \"tools\" can ask for arguments");
}

}  // namespace

RuleConditions load_conditions(TableReader& rule, std::string_view key, RuleTarget target,
                               const Config& config) {
  RuleConditions conditions;
  std::optional<TableReader> table = rule.table(key);
  if (!table.has_value()) return conditions;
  conditions.where = table->where();
  const std::vector<Text> entries = table->keys();
  if (entries.empty()) {
    rule.problems().error(rule.where(key), fmt::format("{} is empty", quote(key)),
                          "leave it out where the rule is to match always");
  }
  for (const Text& entry : entries) {
    if (entry.value.starts_with('/')) {
      load_argument(entry, *table, target, config, conditions);
    } else {
      load_fact(entry, *table, target, config, conditions);
    }
  }
  table->finish();
  return conditions;
}

}  // namespace bartizan
