#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "config/check_name.h"
#include "config/load/load_flow.h"
#include "config/load/load_overlay.h"
#include "config/load/load_parts.h"
#include "config/load/load_predicate.h"
#include "config/permission.h"
#include "schemas/base/limits.h"

namespace bartizan {
namespace {

using AdditionalProperties = ToolProfile::AdditionalProperties;
using Entries = ToolProfile::Entries;
using Oversize = ToolProfile::Oversize;
using Formats = ToolProfile::Formats;
using UntranslatablePatterns = ToolProfile::UntranslatablePatterns;

constexpr std::int64_t kCostMax = 1'000'000;

/// A permission of no role makes the tools unusable for everyone, so it is probably a misspelling.
void check_permissions(const std::vector<Text>& permissions, const Config& config,
                       Problems& problems) {
  std::vector<std::string_view> granted;
  for (const auto& [name, role] : config.roles) {
    granted.insert(granted.end(), role.permissions.begin(), role.permissions.end());
  }
  for (const Text& permission : permissions) {
    if (!is_permission(permission.value)) {
      problems.error(permission.where,
                     fmt::format("{} is not a permission", quote(permission.value)),
                     "a profile asks for permissions one by one, such as \"read:filesystem\"");
      continue;
    }
    const bool is_granted = std::ranges::any_of(granted, [&](std::string_view grant) {
      return grants_permission(grant, permission.value);
    });
    if (is_granted) continue;
    problems.warning(permission.where,
                     fmt::format("no role has the permission {}", quote(permission.value)),
                     hint_near(permission.value, granted));
  }
}

/// Accepting an unchecked pattern is a decision about one named tool, not about all future tools of
/// a server.
UntranslatablePatterns load_untranslatable_patterns(const Text& pattern, TableReader& table) {
  static constexpr std::string_view kKey = "untranslatable_patterns";
  static constexpr std::array<std::pair<std::string_view, UntranslatablePatterns>, 2> kChoices{
      {{"quarantine", UntranslatablePatterns::quarantine},
       {"accept", UntranslatablePatterns::accept}}};
  const auto choice = table.choice<UntranslatablePatterns>(kKey, kChoices)
                          .value_or(UntranslatablePatterns::quarantine);
  if (choice == UntranslatablePatterns::accept && !is_literal(pattern.value)) {
    table.problems().error(table.where(kKey),
                           fmt::format("{} can be \"accept\" for one tool only, not for {}",
                                       quote(kKey), quote(pattern.value)),
                           "write it in a profile of that tool, [tool.\"SERVER/TOOL\"]");
  }
  return choice;
}

/// The parent object of a pointer, and the member's name.
std::pair<std::string_view, std::string_view> split_pointer(std::string_view pointer) {
  const std::size_t slash = pointer.rfind('/');
  if (slash == std::string_view::npos) return {};
  return {pointer.substr(0, slash), pointer.substr(slash + 1)};
}

/// The error of a single rename; empty if there is none.
std::string_view flaw_of_rename(std::string_view listed, std::string_view sent) {
  if (!is_json_pointer(listed) || !is_json_pointer(sent))
    return "is not a JSON pointer to an argument";
  if (listed == sent) return "renames nothing";
  if (split_pointer(listed).first != split_pointer(sent).first) return "leads to another object";
  if (listed.contains("/*") || sent.contains("/*")) return "leads into an array";
  return {};
}

/// Arguments that the server lists and reads under different names.
std::vector<RenamedArgument> load_renames(const Text& pattern, TableReader& table,
                                          const ToolProfile& profile) {
  static constexpr std::string_view kKey = "rename";
  std::vector<RenamedArgument> renames;
  Problems& problems = table.problems();
  const Position where = table.where(kKey);
  for (const auto& [listed, sent] : table.text_map(kKey)) {
    const std::string both = quote(listed) + " = " + quote(sent);
    if (const std::string_view flaw = flaw_of_rename(listed, sent); !flaw.empty()) {
      problems.error(where, fmt::format("{} {}", both, flaw),
                     "write the pointer that clients know, and the one that the server reads, such "
                     "as { \"/query\" = \"/sql\" }");
      continue;
    }
    const bool is_taken = std::ranges::any_of(renames, [&](const RenamedArgument& other) {
      return other.sent == sent || other.sent == listed || other.listed == sent;
    });
    if (is_taken) problems.error(where, fmt::format("{} names what another rename has", both));
    for (const ArgumentPredicate& argument : profile.arguments) {
      const bool is_gone = argument.pointer == listed || argument.pointer.starts_with(listed + "/");
      const bool is_forced =
          argument.pointer == sent && std::holds_alternative<FixedPredicate>(argument.predicate);
      if (is_gone) {
        problems.error(argument.where,
                       fmt::format("{} is never sent: it is renamed to {}", quote(argument.pointer),
                                   quote(sent)),
                       "write the predicate of the name that the server reads");
      }
      if (is_forced) {
        problems.error(argument.where, fmt::format("{} is renamed, and forced", quote(sent)));
      }
    }
    renames.push_back({.listed = listed, .sent = sent, .where = where});
  }
  if (!renames.empty() && !is_literal(pattern.value)) {
    problems.error(
        where, fmt::format("{} is of one tool only, not of {}", quote(kKey), quote(pattern.value)),
        "write it in a profile of that tool, [tool.\"SERVER/TOOL\"]");
  }
  return renames;
}

/// The settings about the tools' own schemas.
void load_schema_settings(const Text& pattern, TableReader& table, ToolProfile& profile) {
  static constexpr std::array<std::pair<std::string_view, AdditionalProperties>, 2> kAdditional{
      {{"by_schema", AdditionalProperties::by_schema}, {"refuse", AdditionalProperties::refuse}}};
  static constexpr std::array<std::pair<std::string_view, Formats>, 2> kFormats{
      {{"annotate", Formats::annotate}, {"assert", Formats::assert_them}}};
  profile.additional_properties =
      table.choice<AdditionalProperties>("additional_properties", kAdditional)
          .value_or(profile.additional_properties);
  profile.formats = table.choice<Formats>("formats", kFormats).value_or(profile.formats);
  profile.untranslatable_patterns = load_untranslatable_patterns(pattern, table);
}

/// The settings for lists and records.
void load_description(TableReader& table, ToolProfile& profile) {
  const std::vector<Text> categories = table.texts("categories");
  for (const Text& category : categories)
    check_name(category, "category", table.problems());
  profile.categories = values(categories);
  profile.risk = table.choice<Risk>("risk", kRiskNames);
  profile.reversibility = table.choice<Reversibility>("reversibility", kReversibilityNames);
  profile.listed = table.boolean("listed").value_or(profile.listed);
}

void load_result_limits(TableReader& table, ToolProfile& profile) {
  static constexpr std::array<std::pair<std::string_view, Entries>, 2> kEntries{
      {{"elements", Entries::elements}, {"lines", Entries::lines}}};
  static constexpr std::array<std::pair<std::string_view, Oversize>, 2> kOversizes{
      {{"withhold", Oversize::withhold}, {"truncate", Oversize::truncate}}};
  profile.max_result =
      table.size("max_result", {.min = 1, .max = std::int64_t{limits::response_bytes_max}});
  if (const auto entries = table.integer(
          "max_entries", {.min = 1, .max = std::int64_t{limits::response_values_max}}))
    profile.max_entries = static_cast<std::uint64_t>(*entries);
  const auto count = [&table](std::string_view key, std::int64_t most) {
    const auto read = table.integer(key, {.min = 1, .max = most});
    return read.has_value() ? std::optional(static_cast<std::uint64_t>(*read)) : std::nullopt;
  };
  profile.max_blocks = count("max_blocks", std::int64_t{limits::response_values_max});
  profile.max_depth = count("max_depth", std::int64_t{limits::json_depth_max});
  profile.oversize = table.choice<Oversize>("oversize", kOversizes);
  const bool is_bound =
      profile.max_result || table.has("max_entries") || profile.max_blocks || profile.max_depth;
  if (table.has("oversize") && !is_bound) {
    table.problems().error(
        table.where("oversize"),
        "\"oversize\" says what becomes of results beyond \"max_result\", "
        "\"max_entries\", \"max_blocks\" or \"max_depth\", none of which is there");
  }
  profile.entries = table.choice<Entries>("entries", kEntries).value_or(profile.entries);
  if (table.has("entries") && !table.has("max_entries")) {
    table.problems().error(table.where("entries"),
                           "\"entries\" says how \"max_entries\" is counted, which is not there");
  }
}

/// `record = ["/path", "/sql"]`: arguments whose values are recorded.
std::vector<std::string> load_recorded(TableReader& table) {
  std::vector<Text> pointers = table.texts("record");
  for (const Text& pointer : pointers) {
    if (is_json_pointer(pointer.value)) continue;
    table.problems().error(
        pointer.where, fmt::format("{} is not a JSON pointer to an argument", quote(pointer.value)),
        "write record = [\"/path\"]");
  }
  if (pointers.size() > limits::recorded_arguments_max) {
    table.problems().error(
        table.where("record"),
        fmt::format("\"record\" names more than {} arguments", limits::recorded_arguments_max));
  }
  return values(pointers);
}

ToolProfile load_profile(const Text& pattern, TableReader& table, const Config& config,
                         const SchemaFiles& schemas) {
  ToolProfile profile{.pattern = pattern.value, .where = pattern.where};
  check_pattern(pattern, find_tool_pattern_fault(pattern.value), config.servers, table.problems());
  const std::vector<Text> permissions = table.texts("permissions");
  check_permissions(permissions, config, table.problems());
  profile.permissions = values(permissions);
  load_description(table, profile);
  profile.timeout = table.duration("timeout", {.min = 1, .max = 86'400'000});
  profile.slow = table.duration("slow", {.min = 1, .max = 86'400'000});
  load_result_limits(table, profile);
  if (const auto cost = table.integer("cost", {.min = 0, .max = kCostMax})) {
    profile.cost = static_cast<std::uint32_t>(*cost);
  }
  profile.labels = table.choices<ToolLabel>("labels", kToolLabels);
  for (auto& [pointer, predicate] : table.named_tables("arguments")) {
    profile.arguments.push_back(load_predicate(pointer, predicate, config));
  }
  profile.recorded = load_recorded(table);
  profile.renames = load_renames(pattern, table, profile);
  Overlay overlay = load_overlay(table, schemas);
  profile.schema = std::move(overlay.text);
  profile.schema_where = overlay.where;
  load_schema_settings(pattern, table, profile);
  table.finish();
  return profile;
}

}  // namespace

std::vector<ToolProfile> load_tools(TableReader& root, const Config& config,
                                    const SchemaFiles& schemas) {
  std::vector<ToolProfile> profiles;
  for (auto& [pattern, table] : root.named_tables("tool")) {
    profiles.push_back(load_profile(pattern, table, config, schemas));
  }
  return profiles;
}

}  // namespace bartizan
