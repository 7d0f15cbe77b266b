#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "gateway/runtime/random.h"
#include "schemas/json/json.h"

namespace bartizan {

namespace limits {
/// The most bytes of a server's `requestState`.
inline constexpr std::size_t request_state_bytes_max = std::size_t{64} << 10;
}  // namespace limits

/// The request that a `requestState` is bound to. Another request with it is refused.
struct StateSubject {
  std::string_view principal;
  std::string_view endpoint;  ///< Empty if there are none.
  std::string_view server;
  std::uint64_t generation =
      0;  ///< Of the server's definition: a new definition is another server.
  std::string_view method;
  std::string_view target;  ///< A tool, a prompt or a URI, as clients see it.
  JsonValue arguments;      ///< As the client sent them.
};

/// The state that a client returns for its server.
struct RequestState {
  std::string text;  ///< The server's own state.
  std::uint32_t rounds =
      0;  ///< The number of rounds in which the server has asked for input, including this one.
};

/// Seals a server's state for the client of that request. Nobody can read it, change it, use it for
/// another request, or use it after an hour.
/// Input:  `key`, 256 random bits; `now`, seconds since 1970 UTC.
/// Source: MCP 2026-07-28, basic/patterns/mrtr, "Security Considerations".
std::string seal_state(const RequestState& state, const StateSubject& subject, std::int64_t now,
                       std::string_view key, Random& random);

/// Opens a state that was sealed for that request; nothing if it was not, or is too old.
std::optional<RequestState> open_state(std::string_view sealed, const StateSubject& subject,
                                       std::int64_t now, std::string_view key);

}  // namespace bartizan
