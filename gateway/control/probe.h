#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "gateway/worker/worker.h"

namespace bartizan {

/// Finds out which eras servers speak, with instances that end afterwards. It publishes the results
/// in the directories of all workers.
///
/// The modern era is tried first. Only a DiscoverResult, or −32022 with a usable list, proves it.
/// Other methods prove nothing, since legacy servers respond to them too. A server that responds in
/// neither era keeps its earlier state, with the reason.
///
/// Threads: its worker's.
/// Source:  MCP 2026-07-28, basic/versioning; docs/decisions/servers.md.
class Prober {
 public:
  explicit Prober(Worker& worker) : worker_(worker) {}

  /// Asks these servers, all at the same time, and returns when each has responded or timed out.
  /// Servers that are being asked already are left out. Results are published at once, while slower
  /// servers are still asked.
  Task<void> probe(std::vector<ServerDefinitionPtr> servers);
  /// Asks a server whose instances found a change: it is up, or down. It asks at once, but not
  /// again within some seconds.
  void look_again(const std::string& server);

 private:
  struct Findings;
  Task<void> probe_era(ServerDefinitionPtr server, Era era, std::shared_ptr<Findings> findings);
  void publish(const Findings& findings);
  Task<void> look(std::string server);

  Worker& worker_;
  std::set<std::pair<std::string, std::uint64_t>> asked_;  ///< Name and generation.
  /// Servers that are asked again, and whether once more after that. Bounded by the configured
  /// servers.
  std::map<std::string, bool> looks_;
};

/// The servers that are not known to be up.
std::vector<ServerDefinitionPtr> servers_down(const Directory& directory,
                                              const ServerDefinitions& servers);

/// The directory without servers that the configuration no longer has.
DirectoryPtr without_removed(const DirectoryPtr& directory, const ServerDefinitions& servers);

}  // namespace bartizan
