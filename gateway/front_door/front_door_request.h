#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/config.h"
#include "gateway/http/http_head.h"
#include "gateway/runtime/task.h"
#include "policy/verdict/reason.h"
#include "schemas/base/result.h"

namespace bartizan {

namespace limits {
/// The most bytes of a client's or browser's form, and of a registration.
inline constexpr std::size_t front_door_body_max = std::size_t{16} << 10;
}  // namespace limits

/// The paths that a front door serves, below the path of its issuer.
enum class FrontDoorPlace : std::uint8_t {
  metadata,   ///< GET /.well-known/oauth-authorization-server and the path
  authorize,  ///< GET, for browsers
  consent,    ///< POST, a form of the gateway's own page
  callback,   ///< GET, for browsers that return from the provider
  style,      ///< GET
  token,      ///< POST, for clients, as are the next two
  revoke,
  register_client,
};

/// A front door at a path, and the place there.
struct FoundFrontDoor {
  const FrontDoorConfig* door = nullptr;
  FrontDoorPlace place = FrontDoorPlace::metadata;
};

/// Finds the front door at a path; nothing if there is none. Lifetime: views the configuration.
/// Source: RFC 8414 §3.1.
std::optional<FoundFrontDoor> find_front_door(const Config& config, std::string_view path);

/// Whether that place is for browsers, but not for pages of other origins.
bool is_for_browsers(FrontDoorPlace place);

/// One request to a front door. Its `Host` was checked.
struct FrontDoorRequest {
  const FrontDoorConfig& door;  ///< Outlives the response, as `head` and `config` do.
  FrontDoorPlace place;
  const Config& config;
  const RequestHead& head;
  std::string peer;     ///< For the record.
  std::string network;  ///< The network that sign-ins are counted by.
  /// Reads the body; may be called once.
  std::function<Task<Result<std::string>>()> read_body;
};

/// The response, and the reason for the record if something is refused.
struct FrontDoorAnswer {
  int status = 200;
  std::string content_type = "application/json";
  std::string body = {};
  std::vector<std::pair<std::string_view, std::string>> headers = {};
  Reason reason = Reason::none;  ///< `none`: nothing was refused.
  std::string detail = {};       ///< For the record. It contains no part of a code or token.
  std::string principal = {};    ///< Empty if unknown.
};

}  // namespace bartizan
