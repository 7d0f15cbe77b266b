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
/// A form of a client or browser at a front door, and the document of a client that registers.
inline constexpr std::size_t front_door_body_max = std::size_t{16} << 10;
}  // namespace limits

/// What a front door serves, below the path of its issuer.
enum class FrontDoorPlace : std::uint8_t {
  metadata,   ///< GET /.well-known/oauth-authorization-server and the path
  authorize,  ///< GET, for browsers
  consent,    ///< POST, a form of its own page
  callback,   ///< GET, for browsers that come back from the provider
  style,      ///< GET
  token,      ///< POST, for clients, as what follows
  revoke,
  register_client,
};

/// A front door at a path, and what is served there.
struct FoundFrontDoor {
  const FrontDoorConfig* door = nullptr;
  FrontDoorPlace place = FrontDoorPlace::metadata;
};

/// Nothing where the path is nobody's. Lifetime: views the configuration.
/// Source: RFC 8414 §3.1.
std::optional<FoundFrontDoor> find_front_door(const Config& config, std::string_view path);

/// Whether browsers come there, and no pages of other origins.
bool is_for_browsers(FrontDoorPlace place);

/// One request to a front door. Its `Host` was looked at.
struct FrontDoorRequest {
  const FrontDoorConfig& door;  ///< Outlives the answer, as `head` and `config` do.
  FrontDoorPlace place;
  const Config& config;
  const RequestHead& head;
  std::string peer;     ///< For the record.
  std::string network;  ///< What sign-ins are counted by.
  /// Reads the body, once.
  std::function<Task<Result<std::string>>()> read_body;
};

/// What is answered, and what the record says where something is refused.
struct FrontDoorAnswer {
  int status = 200;
  std::string content_type = "application/json";
  std::string body = {};
  std::vector<std::pair<std::string_view, std::string>> headers = {};
  Reason reason = Reason::none;  ///< `none`: nothing was refused.
  std::string detail = {};       ///< For the record. Without any part of a code or token.
  std::string principal = {};    ///< Where one is known.
};

}  // namespace bartizan
