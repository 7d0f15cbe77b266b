#pragma once

#include <functional>
#include <string>
#include <vector>

#include "gateway/worker.h"

namespace bartizan {

/// Finds out which eras each of these servers speaks, in instances that end afterwards, all at the
/// same time, and returns a directory that replaces the worker's: `before` with what was found.
///
/// The modern era is tried first by its own rule: only a DiscoverResult, or −32022 with a usable
/// list, proves it; a real method never does, since legacy servers answer those too. A server that
/// answers in neither stays as it was before, with the reason.
///
/// `publish` is given what is known while a slow server still has time to answer.
///
/// Threads: the worker's.
/// Source:  MCP 2026-07-28, basic/versioning; DESIGN.md, "Eras".
Task<DirectoryPtr> probe_servers(Worker& worker, std::vector<std::string> servers,
                                 DirectoryPtr before, std::function<void(DirectoryPtr)> publish);

/// The servers that are not up, and so worth another try.
std::vector<std::string> servers_down(const Directory& directory);

}  // namespace bartizan
