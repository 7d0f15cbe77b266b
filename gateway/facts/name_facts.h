#pragma once

#include <string>

#include "policy/verdict/gathered_facts.h"

namespace bartizan {

/// The addresses of a name, by this host's resolver: the hosts file, and name servers.
///
/// Input:   a name in ASCII.
/// Threads: any. Blocks as long as the resolver does: never on a worker.
Finding find_addresses(const std::string& name);

}  // namespace bartizan
