#pragma once

#include <cstdint>

#include "config/position.h"

namespace bartizan {

/// `[client]`: tolerance for clients that deviate from the protocol.
struct ClientConfig {
  /// The handling of `null` for an optional member of a request, and of `[]` for empty arguments.
  /// They are removed before any check of the request, or the request is refused.
  enum class NullMembers : std::uint8_t { remove, refuse } null_members = NullMembers::remove;
  /// Over standard input and output: only responses are sent, and capabilities that need more are
  /// not announced. For clients that take the next line for the response. A change needs a restart.
  bool answers_only = false;
  /// As `EndpointConfig::implies_handshake`, for standard input, and if there is no endpoint.
  bool implies_handshake = false;
  /// Clients see `name`, `title` and `version` of the one server instead of the gateway's own. Only
  /// `bartizan wrap` sets it; a configuration file has no such key.
  bool shows_server_identity = false;
  Position where = {};
};

}  // namespace bartizan
