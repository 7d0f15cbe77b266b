#pragma once

#include <string>
#include <string_view>

#include "config/front_door_config.h"
#include "gateway/front_door/sign_in_request.h"

namespace bartizan {

// The pages of a front door, as HTML without scripts and without styles of their own. What clients
// worded goes through `shown_text`.

/// Asks a user whether a client may act for them. `id` is what the form carries.
std::string consent_html(const FrontDoorConfig& door, const SignInRequest& request,
                         std::string_view id);

/// Sends a browser on by itself, and by a link where it does not go. Unlike a redirect after a
/// form, no policy of the page stands in its way, wherever the next site sends it.
std::string forward_html(const FrontDoorConfig& door, std::string_view title, std::string_view url);

/// Says why nothing was done.
std::string stopped_html(const FrontDoorConfig& door, std::string_view sentence);

/// Host and port of a URL; of an application's own scheme that scheme; what it is in words for a
/// loopback one.
std::string shown_place(std::string_view uri);

std::string_view front_door_style();

}  // namespace bartizan
