#include "policy/diff/diff_sandboxes.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace bartizan {
namespace {

bool holds_all(const std::vector<std::string>& all, const std::vector<std::string>& some) {
  return std::ranges::all_of(
      some, [&](const std::string& one) { return std::ranges::find(all, one) != all.end(); });
}

/// 0 is no limit.
std::uint64_t as_bound(std::uint64_t limit) {
  return limit == 0 ? UINT64_MAX : limit;
}

}  // namespace

std::vector<SandboxChange> diff_sandboxes(const SandboxConfig& before, const SandboxConfig& after) {
  using Network = SandboxConfig::Network;
  std::vector<SandboxChange> changes;
  const auto tell = [&changes](bool is_wider, std::string how) {
    changes.push_back({.is_wider = is_wider, .how = std::move(how)});
  };
  if (before.network != after.network) {
    const bool has_one = after.network == Network::host;
    tell(has_one, has_one ? "has a network" : "has no network");
  }
  if (after.level < before.level) tell(true, "is confined by a lower level");
  if (after.level > before.level) tell(false, "is confined by a higher level");
  if (after.user != before.user) tell(true, "runs as another account");
  if (before.level != SandboxConfig::Level::none) {
    if (!holds_all(before.read, after.read)) tell(true, "may read other files");
    if (!holds_all(before.write, after.write)) tell(true, "may write to other files");
    if (after.home != before.home) tell(true, "may write to another home");
  }
  const std::pair<std::string_view, std::pair<std::uint64_t, std::uint64_t>> limits[] = {
      {"memory in each process", {before.memory, after.memory}},
      {"open files", {before.open_files, after.open_files}},
      {"memory", {before.total_memory, after.total_memory}},
      {"processes", {before.processes, after.processes}},
      {"processor time", {before.cpu_percent, after.cpu_percent}}};
  for (const auto& [limit, values] : limits) {
    const auto [former, now] = values;
    if (former == now) continue;
    const bool has_more = as_bound(now) > as_bound(former);
    tell(has_more, fmt::format("may have {} {}", has_more ? "more" : "less", limit));
  }
  return changes;
}

}  // namespace bartizan
