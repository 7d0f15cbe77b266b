#pragma once

#include <string>

#include "gateway/identity/verifier.h"

namespace bartizan {

/// The peer text of a Unix socket for an account, given by name or number: `uid:N`. Empty if this
/// machine has no such account.
std::string socket_peer_of(const std::string& account);

/// The verifier of `socket`: the table of a `[socket.NAME]` names the principals of its peers.
/// `principal` is for all peers, `users` for accounts at a Unix socket, which the kernel reports.
/// An account that the machine does not have matches no peer. Null if no table names a principal.
/// Source: unix(7), SO_PEERCRED.
VerifierPtr make_socket_peer_verifier(const AuthConfig& config, const VerifierParts& parts);

}  // namespace bartizan
