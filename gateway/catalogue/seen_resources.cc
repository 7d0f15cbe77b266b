#include "gateway/catalogue/seen_resources.h"

#include <algorithm>
#include <utility>

namespace bartizan {
namespace {

/// Overhead of one URI in the set.
constexpr std::size_t kNodeBytes = 80;

}  // namespace

std::size_t template_match(std::string_view uri_template, std::string_view uri) {
  const std::string_view fixed = uri_template.substr(0, uri_template.find('{'));
  return uri.starts_with(fixed) ? fixed.size() : 0;
}

void SeenResources::note(const std::string& server, ListKind kind, const ServerList& list) {
  if (kind != ListKind::resources && kind != ListKind::resource_templates) return;
  Seen seen;
  std::size_t bytes = 0;
  for (const ListedEntry& entry : list.entries) {
    bytes += entry.name.size() + kNodeBytes;
    seen.uris.insert(entry.name);
  }
  const bool has_room = hold(memory_, seen.memory, bytes);
  const std::lock_guard lock(mutex_);
  auto& known = kind == ListKind::resources ? resources_ : templates_;
  known.erase(server);
  if (has_room) known.emplace(server, std::move(seen));
}

const SeenResources::Seen* SeenResources::find(std::string_view server, ListKind kind) const {
  const auto& known = kind == ListKind::resources ? resources_ : templates_;
  const auto found = known.find(server);
  return found == known.end() ? nullptr : &found->second;
}

bool SeenResources::lists(std::string_view server, ListKind kind, std::string_view uri) const {
  const std::lock_guard lock(mutex_);
  const Seen* seen = find(server, kind);
  return seen != nullptr && seen->uris.contains(uri);
}

std::size_t SeenResources::template_match(std::string_view server, std::string_view uri) const {
  const std::lock_guard lock(mutex_);
  const Seen* seen = find(server, ListKind::resource_templates);
  if (seen == nullptr) return 0;
  std::size_t match = 0;
  for (const std::string& uri_template : seen->uris)
    match = std::max(match, bartizan::template_match(uri_template, uri));
  return match;
}

}  // namespace bartizan
