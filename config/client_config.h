#pragma once

#include <cstdint>

#include "config/position.h"

namespace bartizan {

/// `[client]`: what is done for clients that do not keep to the letter of the protocol.
struct ClientConfig {
  /// `null` for an optional member of a request, and `[]` for empty arguments: taken out before
  /// anything looks at the request, or refused.
  enum class NullMembers : std::uint8_t { remove, refuse } null_members = NullMembers::remove;
  /// Over standard input and output: nothing is sent that is no answer, and nothing of that kind is
  /// announced. For clients that take the next line for the answer; a change needs a restart.
  bool answers_only = false;
  /// As `EndpointConfig::implies_handshake`, over standard input and where there is no endpoint.
  bool implies_handshake = false;
  /// Clients see `name`, `title` and `version` of the one server, in place of the gateway's own.
  /// `bartizan wrap` alone sets it; a configuration file has no such key.
  bool shows_server_identity = false;
  Position where = {};
};

}  // namespace bartizan
