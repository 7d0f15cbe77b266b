#include "gateway/quarantine.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "policy/check_existence.h"

namespace bartizan {

std::string shown_name(const ListedEntry& entry) {
  return is_tool_name(entry.name) ? entry.name : "(unnamed)";
}

std::string quarantine_reason(const ToolProfiles& profiles, std::string_view server,
                              const ListedEntry& entry) {
  if (entry.quarantined) return entry.flaw;
  if (entry.tool == nullptr || is_judgeable(profiles, server, *entry.tool)) return {};
  return entry.tool->schemas->flaw();
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

Quarantines find_quarantines(const Catalogue& catalogue, const ToolProfiles& profiles) {
  Quarantines all;
  for (const auto& [server, list] : catalogue.newest(ListKind::tools)) {
    Quarantine found;
    for (const std::size_t place : list->flawed) {
      const ListedEntry& entry = list->entries[place];
      std::string why = quarantine_reason(profiles, server, entry);
      if (why.empty()) continue;
      ++found.count;
      found.take(shown_name(entry), std::move(why));
    }
    if (found.count > 0) all[server].merge(found);
  }
  return all;
}

const Quarantines& QuarantineView::look(const Catalogue& catalogue,
                                        const std::shared_ptr<const Policy>& policy) {
  if (policy_ == policy && revision_ == catalogue.revision()) return found_;
  found_ = find_quarantines(catalogue, policy->profiles());
  policy_ = policy;
  revision_ = catalogue.revision();
  return found_;
}

}  // namespace bartizan
