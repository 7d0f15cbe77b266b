#include "gateway/catalogue/tool_standings.h"

#include <memory>
#include <set>
#include <string>
#include <utility>

#include "policy/text/name_looks.h"

namespace bartizan {
namespace {

/// Replaces the entry's definition by a copy with another standing.
void set_standing(ListedEntry& entry, ToolStanding standing) {
  ToolDefinition tool = *entry.tool;
  tool.standing = std::make_shared<const ToolStanding>(std::move(standing));
  entry.tool = std::make_shared<const ToolDefinition>(std::move(tool));
}

}  // namespace

void apply_release(ServerList& list, const Catalogue::Release& release) {
  const auto found = list.by_name.find(release.tool);
  if (found == list.by_name.end()) return;
  ListedEntry& entry = list.entries[found->second];
  if (entry.tool == nullptr || entry.tool->fingerprint != release.fingerprint) return;
  ToolStanding standing = entry.tool->standing == nullptr ? ToolStanding() : *entry.tool->standing;
  standing.released_over = release.pinned;
  set_standing(entry, std::move(standing));
}

void drop_own_tools(ServerList& list) {
  std::set<std::string, std::less<>> own;
  for (ListedEntry& entry : list.entries) {
    const bool directs = entry.tool != nullptr && entry.tool->standing != nullptr &&
                         !entry.tool->standing->directed.empty();
    if (!directs) continue;
    if (own.empty()) {
      for (const ListedEntry& one : list.entries)
        own.insert(spoken_name(one.name));
    }
    ToolStanding standing = *entry.tool->standing;
    const auto is_own = [&own](const std::string& word) { return own.contains(word); };
    if (std::erase_if(standing.directed, is_own) == 0) continue;
    set_standing(entry, std::move(standing));
  }
}

}  // namespace bartizan
