#include "policy/learn/write_learned.h"

#include <chrono>
#include <cstdint>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "config/parse_units.h"
#include "config/risk.h"
#include "policy/learn/toml_text.h"
#include "policy/learn/write_predicate.h"

namespace bartizan {
namespace {

std::string write_argument(const LearnedArgument& learned) {
  const ArgumentPredicate& argument = learned.argument;
  std::string line =
      fmt::format("{} = {}", toml_string(argument.pointer), write_predicate(argument));
  if (learned.values > 0) {
    line += fmt::format("  # {}, {} different", format_count(learned.values, "value"),
                        learned.distinct);
  }
  if (!learned.note.empty()) line += "; " + learned.note;
  return line + "\n";
}

// --- Tables -------------------------------------------------------------------------------------

template <class E>
std::vector<std::string> names(const std::vector<E>& values) {
  std::vector<std::string> all;
  all.reserve(values.size());
  for (const E value : values)
    all.emplace_back(text(value));
  return all;
}

/// The settings of a profile beside arguments.
std::string write_settings(const ToolProfile& profile) {
  std::string text;
  const auto add = [&text](std::string_view key, std::string_view value) {
    text += fmt::format("{} = {}\n", key, value);
  };
  if (!profile.permissions.empty()) add("permissions", toml_array(profile.permissions));
  if (!profile.categories.empty()) add("categories", toml_array(profile.categories));
  for (const auto& [name, reversibility] : kReversibilityNames) {
    if (profile.reversibility == reversibility) add("reversibility", toml_string(name));
  }
  for (const auto& [name, risk] : kRiskNames) {
    if (profile.risk == risk) add("risk", toml_string(name));
  }
  if (!profile.listed) add("listed", "false");
  if (profile.timeout) add("timeout", fmt::format("\"{}ms\"", profile.timeout->count()));
  if (profile.max_result) add("max_result", fmt::format("\"{} B\"", *profile.max_result));
  if (profile.max_entries) {
    add("max_entries", std::to_string(*profile.max_entries));
    if (profile.entries == ToolProfile::Entries::lines) add("entries", "\"lines\"");
  }
  if (profile.max_blocks) add("max_blocks", std::to_string(*profile.max_blocks));
  if (profile.max_depth) add("max_depth", std::to_string(*profile.max_depth));
  if (profile.oversize == ToolProfile::Oversize::truncate) add("oversize", "\"truncate\"");
  if (profile.oversize == ToolProfile::Oversize::withhold) add("oversize", "\"withhold\"");
  if (profile.cost) add("cost", std::to_string(*profile.cost));
  if (!profile.labels.empty()) add("labels", toml_array(names(profile.labels)));
  if (!profile.schema.empty()) add("schema", toml_of_json(profile.schema));
  if (profile.additional_properties == ToolProfile::AdditionalProperties::refuse) {
    add("additional_properties", "\"refuse\"");
  }
  if (profile.formats == ToolProfile::Formats::assert_them) add("formats", "\"assert\"");
  if (profile.untranslatable_patterns == ToolProfile::UntranslatablePatterns::accept) {
    add("untranslatable_patterns", "\"accept\"");
  }
  return text;
}

std::string write_tool(const LearnedTool& tool) {
  const std::string name = toml_string(tool.profile.pattern);
  std::string text =
      fmt::format("\n# seen {}, by {}{}\n[tool.{}]\n", format_count(tool.calls, "time"),
                  format_count(tool.principals, "principal"),
                  tool.takes_nothing ? ", without arguments" : "", name);
  text += write_settings(tool.profile);
  if (tool.arguments.empty()) return text;
  text += fmt::format("[tool.{}.arguments]\n", name);
  for (const LearnedArgument& argument : tool.arguments)
    text += write_argument(argument);
  return text;
}

std::string_view selector(RuleTarget target) {
  switch (target) {
    case RuleTarget::tools:
      return "tools";
    case RuleTarget::resources:
      return "resources";
    case RuleTarget::prompts:
      return "prompts";
    case RuleTarget::methods:
      return "methods";
  }
  return "tools";
}

std::string write_date(std::int64_t seconds) {
  const std::chrono::year_month_day day(std::chrono::floor<std::chrono::days>(
      std::chrono::sys_seconds(std::chrono::seconds(seconds))));
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(day.year()),
                     static_cast<unsigned>(day.month()), static_cast<unsigned>(day.day()));
}

std::string write_rule(const LearnedRule& learned) {
  const RuleConfig& rule = learned.rule;
  const std::string conditions =
      learned.permit.empty() ? "" : ", where " + toml_string(learned.permit) + " permitted it";
  std::string text =
      fmt::format("\n# {}{}\n", format_count(learned.principals, "principal"), conditions);
  for (const LearnedArgument& asked : learned.arguments) {
    if (asked.values == 0) continue;
    text += fmt::format("# {}: {}, {} different\n", toml_string(asked.argument.pointer),
                        format_count(asked.values, "value"), asked.distinct);
  }
  text += fmt::format("[rule.{}]\neffect = \"permit\"\n", toml_string(rule.name));
  const bool is_role = !rule.roles.empty();
  text += fmt::format("{} = {}\n", is_role ? "roles" : "principals",
                      toml_array(is_role ? rule.roles : rule.principals));
  if (!rule.when.empty()) text += "when = " + write_conditions(rule.when) + "\n";
  if (!rule.unless.empty()) text += "unless = " + write_conditions(rule.unless) + "\n";
  if (rule.expires.has_value()) text += "expires = " + write_date(*rule.expires) + "\n";
  text += fmt::format("{} = [\n", selector(rule.target));
  for (std::size_t i = 0; i < rule.patterns.size(); ++i) {
    text += fmt::format("  {},  # seen {}\n", toml_string(rule.patterns[i]),
                        format_count(learned.calls[i], "time"));
  }
  return text + "]\n";
}

std::string write_path(const PathConfig& path) {
  std::string text =
      fmt::format("\n[path.{}]\nroot = {}\n", toml_string(path.name), toml_string(path.root));
  if (path.kind == PathConfig::Kind::file) text += "kind = \"file\"\n";
  if (!path.extensions.empty()) text += "extensions = " + toml_array(path.extensions) + "\n";
  if (path.refuse_hidden) text += "hidden = \"refuse\"\n";
  return text;
}

}  // namespace

std::string write_learned(const LearnedPolicy& learned) {
  std::string text = fmt::format(
      "# Learned from {}; {} taught nothing.\n"
      "# It stands in the place of every rule with effect = \"permit\". All else that the\n"
      "# configuration has stays, and holds as well: forbids, approvals, profiles, limits, "
      "flows.\n",
      format_count(learned.calls, "permitted call"), format_count(learned.refused, "refused one"));
  if (!learned.replaced.empty()) {
    text += "# Profiles whose place is taken, with all that they said:\n";
    for (const std::string& pattern : learned.replaced)
      text += fmt::format("#   [tool.{}]\n", toml_string(pattern));
  }
  text += "version = 1\n";
  for (const LearnedRule& rule : learned.rules)
    text += write_rule(rule);
  for (const LearnedTool& tool : learned.tools)
    text += write_tool(tool);
  for (const PathConfig& path : learned.paths)
    text += write_path(path);
  return text;
}

}  // namespace bartizan
