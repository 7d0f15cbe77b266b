#include "gateway/catalogue/quarantine.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "policy/check/check_existence.h"

namespace bartizan {

std::string shown_name(const ListedEntry& entry) {
  return is_tool_name(entry.name) ? entry.name : "(unnamed)";
}

PinFlaw quarantine_reason(const ToolProfiles& profiles, std::string_view server,
                          const ListedEntry& entry, const TellDifference& difference) {
  if (entry.quarantined) return {.what = entry.flaw};
  if (entry.tool == nullptr) return {};
  if (!is_judgeable(profiles, server, *entry.tool)) return {.what = entry.tool->schemas->flaw()};
  return pin_flaw(profiles, server, *entry.tool, difference);
}

bool is_quarantined(const ToolProfiles& profiles, std::string_view server,
                    const ListedEntry& entry) {
  if (entry.quarantined) return true;
  return entry.tool != nullptr &&
         !(is_judgeable(profiles, server, *entry.tool) && keeps_pin(profiles, server, *entry.tool));
}

std::string releasable_fingerprint(const ToolProfiles& profiles, std::string_view server,
                                   const ListedEntry& entry) {
  if (entry.quarantined || entry.tool == nullptr) return {};
  const ToolDefinition& tool = *entry.tool;
  const bool helps = profiles.registration_flaw(server, tool.name).empty() &&
                     is_judgeable(profiles, server, tool) && is_tool_name(tool.name) &&
                     (tool.standing == nullptr || tool.standing->danger_beside.empty());
  return helps ? tool.fingerprint : std::string();
}

bool Quarantine::has_room_for(const QuarantinedTool& tool) const {
  return tools.size() < shown_max || tool < tools.rbegin()->first;
}

void Quarantine::take(QuarantinedTool tool, std::string why) {
  tools.emplace(std::move(tool), std::move(why));
  if (tools.size() > shown_max) tools.erase(std::prev(tools.end()));
}

void Quarantine::merge(const Quarantine& other) {
  for (const auto& [tool, why] : other.tools)
    take(tool, why);
  count = std::max({count, other.count, tools.size()});
}

Quarantines find_quarantines(const Catalogue& catalogue, const ToolProfiles& profiles,
                             const TellDifference& difference) {
  Quarantines all;
  for (const auto& [server, list] : catalogue.newest(ListKind::tools)) {
    Quarantine found;
    for (const ListedEntry& entry : list->entries) {
      if (!is_quarantined(profiles, server, entry)) continue;
      ++found.count;
      QuarantinedTool tool{.name = shown_name(entry),
                           .fingerprint = releasable_fingerprint(profiles, server, entry)};
      if (!found.has_room_for(tool)) continue;
      const PinFlaw why = quarantine_reason(profiles, server, entry, difference);
      found.take(std::move(tool), catalogue.is_suspect(entry) ? why.what : why.text());
    }
    if (found.count > 0) all[server].merge(found);
  }
  return all;
}

const Quarantines& QuarantineView::look(const Catalogue& catalogue,
                                        const std::shared_ptr<const Policy>& policy) {
  if (policy_ == policy && revision_ == catalogue.revision()) return found_;
  found_ = find_quarantines(catalogue, policy->profiles(),
                            [this](const PinnedTool& pinned, const ToolDefinition& tool) {
                              return differences_.find(pinned, tool);
                            });
  policy_ = policy;
  revision_ = catalogue.revision();
  return found_;
}

}  // namespace bartizan
