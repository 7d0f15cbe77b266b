#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <utility>

#include "gateway/call/call_frame.h"

namespace bartizan {

/// Finds which server a call is for, and the server's own name of what it calls, and puts both
/// into the frame: tools and prompts by their exposed name, resources by the server that their URI
/// names, or by the list or template that has it, a completion by what its `ref` names.
///
/// A name with a prefix is taken apart without asking any server, so that a call nobody permits
/// wakes nobody. A name or URI that no server has leaves the frame without a server; policy then
/// denies the call as it does any other that no rule permits.
/// Cost: asks servers for lists that are not in the catalogue.
Task<void> resolve_target(CallFrame& frame);

/// `resource_ambiguous` where the caller may use several servers that have the URI which is called:
/// nobody is asked. `none` otherwise.
Reason ambiguity_of(const CallFrame& frame);

/// Whether policy lets this caller see anything of what is called at all: nobody else has servers
/// asked for it.
bool may_matter(const CallFrame& frame);

/// Looks the definition of the called tool up, if policy shows the tool to the caller at all.
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
