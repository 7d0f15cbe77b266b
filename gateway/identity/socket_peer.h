#pragma once

#include <string>

#include "gateway/identity/verifier.h"

namespace bartizan {

/// How the peer of a Unix socket is called that has this account, by its name or its number:
/// `uid:N`. Empty where this machine has no such account.
std::string socket_peer_of(const std::string& account);

/// `socket`: who connects to a `[socket.NAME]` is who its table says. `principal` names everyone,
/// `users` the accounts of a Unix socket, as the kernel has them. An account that the machine does
/// not have is nobody. Null where no table names anybody.
/// Source: unix(7), SO_PEERCRED.
VerifierPtr make_socket_peer_verifier(const AuthConfig& config, const VerifierParts& parts);

}  // namespace bartizan
