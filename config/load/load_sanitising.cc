#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "config/check_name.h"
#include "config/load/load_parts.h"
#include "config/load/load_predicate.h"
#include "config/sanitising_names.h"
#include "config/ui_origin.h"

namespace bartizan {
namespace {

/// All except arguments: messages of clients go to servers unchanged, or not at all.
constexpr std::array<std::pair<std::string_view, Carrier>, 6> kSaid{
    {{"results", Carrier::results},
     {"errors", Carrier::errors},
     {"notifications", Carrier::notifications},
     {"requests", Carrier::requests},
     {"definitions", Carrier::definitions},
     {"records", Carrier::records}}};

constexpr std::array<std::pair<std::string_view, HiddenText>, 4> kHidden{
    {{"keep", HiddenText::keep},
     {"show", HiddenText::show},
     {"remove", HiddenText::remove},
     {"refuse", HiddenText::refuse}}};

constexpr std::array<std::pair<std::string_view, SanitisedText>, 2> kTexts{
    {{"shown", SanitisedText::shown}, {"source", SanitisedText::source}}};

constexpr std::array<std::pair<std::string_view, ActiveMarkup>, 3> kMarkup{
    {{"keep", ActiveMarkup::keep},
     {"defuse", ActiveMarkup::defuse},
     {"refuse", ActiveMarkup::refuse}}};

constexpr std::array<std::pair<std::string_view, InjectionScreen>, 3> kInjection{
    {{"observe", InjectionScreen::observe},
     {"mark", InjectionScreen::mark},
     {"withhold", InjectionScreen::withhold}}};

/// Missing keys have the value of the default that the table replaces. In a table of any other
/// name, they add nothing to the default.
SanitisingConfig load_sanitising(const Text& name, TableReader& table, const Config& config) {
  const SanitisingConfig common = default_sanitising();
  SanitisingConfig rule{.name = name.value, .in = common.in, .where = name.where};
  if (rule.name == common.name) rule.hidden = common.hidden;
  table.refuse_empty("in");
  if (table.has("in")) rule.in = table.choices<Carrier>("in", kSaid);
  rule.hidden = table.choice<HiddenText>("hidden", kHidden).value_or(rule.hidden);
  rule.text = table.choice<SanitisedText>("text", kTexts).value_or(rule.text);
  rule.markup = table.choice<ActiveMarkup>("markup", kMarkup).value_or(rule.markup);
  rule.injection = table.choice<InjectionScreen>("injection", kInjection).value_or(rule.injection);
  table.refuse_empty("hosts");
  rule.hosts = values(table.texts("hosts"));
  rule.hosts_where = table.where("hosts");
  table.refuse_empty("ui_origins");
  const std::vector<Text> origins = table.texts("ui_origins");
  for (const Text& origin : origins) {
    if (parse_ui_origin(origin.value).has_value()) continue;
    table.problems().error(
        origin.where, fmt::format("{} is not an origin that an app may name", quote(origin.value)),
        "write https:// or wss://, a name in lower case, which may begin with \"*.\", and a port "
        "where it is another, such as \"https://api.example.com\"");
  }
  rule.ui_origins = values(origins);
  rule.ui_origins_where = table.where("ui_origins");
  table.refuse_empty("roles");
  for (const Text& role : table.texts("roles")) {
    check_reference(role, "role", config.roles, table.problems());
    rule.roles.push_back(role.value);
  }
  const std::vector<Text> globs = table.texts("tools");
  for (const Text& glob : globs)
    check_pattern(glob, find_tool_pattern_fault(glob.value), config.servers, table.problems());
  table.refuse_empty("tools");
  rule.tools = values(globs);
  table.finish();
  return rule;
}

}  // namespace

std::string_view text(HiddenText hidden) {
  return kHidden[static_cast<std::size_t>(hidden)].first;
}

std::string_view text(ActiveMarkup markup) {
  return kMarkup[static_cast<std::size_t>(markup)].first;
}

std::string_view text(InjectionScreen injection) {
  return kInjection[static_cast<std::size_t>(injection)].first;
}

SanitisingConfig default_sanitising() {
  return {.name = "default",
          .in = {Carrier::results, Carrier::errors, Carrier::notifications, Carrier::requests,
                 Carrier::definitions},
          .hidden = HiddenText::remove};
}

std::map<std::string, SanitisingConfig, std::less<>> load_sanitisings(TableReader& root,
                                                                      const Config& config) {
  std::map<std::string, SanitisingConfig, std::less<>> rules;
  rules.emplace("default", default_sanitising());
  for (auto& [name, table] : root.named_tables("sanitise")) {
    check_name(name, "sanitising", root.problems());
    rules.insert_or_assign(name.value, load_sanitising(name, table, config));
  }
  return rules;
}

}  // namespace bartizan
