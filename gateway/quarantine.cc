#include "gateway/quarantine.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace bartizan {
namespace {

/// Whether a profile takes that tool without the patterns that cannot be translated, which only one
/// that names it may.
bool goes_without_patterns(const Config& config, const std::string& name) {
  return std::ranges::any_of(config.tools, [&name](const ToolProfile& profile) {
    return profile.untranslatable_patterns == ToolProfile::UntranslatablePatterns::accept &&
           profile.pattern == name;
  });
}

}  // namespace

std::string shown_name(const ListedEntry& entry) {
  return is_tool_name(entry.name) ? entry.name : "(unnamed)";
}

std::string quarantine_reason(const Config& config, std::string_view server,
                              const ListedEntry& entry) {
  if (entry.quarantined) return entry.flaw;
  if (entry.tool == nullptr) return {};
  const ToolSchemas& schemas = *entry.tool->schemas;
  if (schemas.is_usable(SchemaOptions::Untranslatable::refuse)) return {};
  const bool is_taken = schemas.is_usable(SchemaOptions::Untranslatable::leave_out) &&
                        goes_without_patterns(config, std::string(server) + "/" + entry.name);
  return is_taken ? std::string() : schemas.flaw();
}

void Quarantine::take(std::string name, std::string why) {
  tools.emplace(std::move(name), std::move(why));
  if (tools.size() > shown_max) tools.erase(std::prev(tools.end()));
}

void Quarantine::merge(const Quarantine& other) {
  for (const auto& [name, why] : other.tools)
    take(name, why);
  count = std::max({count, other.count, tools.size()});
}

Quarantines find_quarantines(const Catalogue& catalogue, const Config& config) {
  Quarantines all;
  for (const auto& [server, list] : catalogue.newest(ListKind::tools)) {
    Quarantine found;
    for (const std::size_t place : list->flawed) {
      const ListedEntry& entry = list->entries[place];
      std::string why = quarantine_reason(config, server, entry);
      if (why.empty()) continue;
      ++found.count;
      found.take(shown_name(entry), std::move(why));
    }
    if (found.count > 0) all[server].merge(found);
  }
  return all;
}

}  // namespace bartizan
