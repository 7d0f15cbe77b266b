#include <algorithm>
#include <array>

#include "gateway/front_door/front_door_request.h"

namespace bartizan {
namespace {

constexpr std::string_view kWellKnown = "/.well-known/oauth-authorization-server";

struct Served {
  std::string_view path;
  FrontDoorPlace place;
};
constexpr std::array kServed{
    Served{"/authorize", FrontDoorPlace::authorize},
    Served{"/consent", FrontDoorPlace::consent},
    Served{"/callback", FrontDoorPlace::callback},
    Served{"/style.css", FrontDoorPlace::style},
    Served{"/token", FrontDoorPlace::token},
    Served{"/revoke", FrontDoorPlace::revoke},
    Served{"/register", FrontDoorPlace::register_client},
};

}  // namespace

std::optional<FoundFrontDoor> find_front_door(const Config& config, std::string_view path) {
  for (const FrontDoorConfig& door : config.auth.front_doors) {
    if (path.starts_with(kWellKnown) && path.substr(kWellKnown.size()) == door.path) {
      return FoundFrontDoor{&door, FrontDoorPlace::metadata};
    }
    if (!path.starts_with(door.path)) continue;
    const auto* const served =
        std::ranges::find(kServed, path.substr(door.path.size()), &Served::path);
    if (served == kServed.end()) continue;
    if (served->place == FrontDoorPlace::register_client && !door.registration) continue;
    return FoundFrontDoor{&door, served->place};
  }
  return std::nullopt;
}

bool is_for_browsers(FrontDoorPlace place) {
  return place == FrontDoorPlace::authorize || place == FrontDoorPlace::consent ||
         place == FrontDoorPlace::callback || place == FrontDoorPlace::style;
}

}  // namespace bartizan
