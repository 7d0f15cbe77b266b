#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <utility>

#include "gateway/call/call_frame.h"

namespace bartizan {

/// Finds the server of a call, and the server's own name of its target, and puts both into the
/// frame. Tools and prompts are found by their name for clients. Resources are found by the server
/// in their URI, or by the list or template that has it. A completion is found by its `ref`.
///
/// A name with a prefix is split without a request to any server. So a call that no rule permits
/// starts no server. For an unknown name or URI, the frame has no server. Policy then denies the
/// call like any other that no rule permits.
/// Cost: asks servers for lists that are not in the catalogue.
Task<void> resolve_target(CallFrame& frame);

/// `resource_ambiguous` if the caller may use several servers that have the called URI: no server
/// is asked then. `none` otherwise.
Reason ambiguity_of(const CallFrame& frame);

/// Whether policy shows this caller anything of the target. For other callers, no server is asked.
bool may_matter(const CallFrame& frame);

/// Looks up the definition of the called tool, if policy shows the tool to the caller.
Task<void> find_tool(CallFrame& frame);

/// The servers that take part in this era, with the instance of each that serves this caller.
struct Participant {
  const ServerConfig* config = nullptr;
  UpstreamHandle upstream;
};
std::vector<Participant> participants(CallFrame& frame);
/// The names and generations of the servers that take part for a caller now, under another
/// snapshot than its call's.
using Participation = std::set<std::pair<std::string, std::uint64_t>>;
Participation participation(const CallFrame& frame, const Snapshot& snapshot,
                            const Principal& principal);
UpstreamHandle upstream_for(CallFrame& frame, const ServerConfig& server);

}  // namespace bartizan
