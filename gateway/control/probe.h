#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "gateway/worker/worker.h"

namespace bartizan {

/// Finds out which eras servers speak, in instances that end afterwards, and brings what it finds
/// into the directories of all workers.
///
/// The modern era is tried first by its own rule: only a DiscoverResult, or −32022 with a usable
/// list, proves it; a real method never does, since legacy servers answer those too. A server that
/// answers in neither stays as it was before, with the reason.
///
/// Threads: its worker's.
/// Source:  MCP 2026-07-28, basic/versioning; DESIGN.md, "Eras".
class Prober {
 public:
  explicit Prober(Worker& worker) : worker_(worker) {}

  /// Asks these servers, all at the same time, and returns when each has answered or had its time.
  /// One that is being asked already is left out. What is known while a slow server still has time
  /// to answer is brought to the workers at once.
  Task<void> probe(std::vector<ServerDefinitionPtr> servers);
  /// Asks a server whose instances found out that it is not what it was known to be: up, or down.
  /// At once, but not again within some seconds.
  void look_again(const std::string& server);

 private:
  struct Findings;
  Task<void> probe_era(ServerDefinitionPtr server, Era era, std::shared_ptr<Findings> findings);
  void publish(const Findings& findings);
  Task<void> look(std::string server);

  Worker& worker_;
  std::set<std::pair<std::string, std::uint64_t>> asked_;  ///< Name and generation.
  /// Servers that are looked at again, and whether once more after that. Bounded by the configured
  /// servers.
  std::map<std::string, bool> looks_;
};

/// The servers that are not known to be up, and so worth a try.
std::vector<ServerDefinitionPtr> servers_down(const Directory& directory,
                                              const ServerDefinitions& servers);

/// The directory without servers that the configuration no longer has.
DirectoryPtr without_removed(const DirectoryPtr& directory, const ServerDefinitions& servers);

}  // namespace bartizan
