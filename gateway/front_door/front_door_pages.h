#pragma once

#include <string>
#include <string_view>

#include "config/front_door_config.h"
#include "gateway/front_door/sign_in_request.h"

namespace bartizan {

// The pages of a front door, as HTML without scripts or inline styles. Texts of clients pass
// through `shown_text`.

/// Asks a user whether a client may act for them. `id` is carried by the form.
std::string consent_html(const FrontDoorConfig& door, const SignInRequest& request,
                         std::string_view id);

/// Forwards a browser automatically, with a link as a fallback. Unlike a redirect after a form, no
/// policy of the page blocks it, wherever the next site redirects.
std::string forward_html(const FrontDoorConfig& door, std::string_view title, std::string_view url);

/// Says why nothing was done.
std::string stopped_html(const FrontDoorConfig& door, std::string_view sentence);

/// The host and port of a URL; the scheme for an application's own scheme; a phrase for loopback.
std::string shown_place(std::string_view uri);

std::string_view front_door_style();

}  // namespace bartizan
