#pragma once

#include <string>
#include <string_view>

#include "gateway/front_door/front_door_request.h"
#include "gateway/http/read_form.h"

namespace bartizan {

/// A page for a browser, which no other site can show in a frame or send forms from.
FrontDoorAnswer page(std::string html, int status = 200);

/// Sends a browser on. Source: RFC 9110 §15.4.4; RFC 9700 §4.12.
FrontDoorAnswer see_other(std::string url);

/// The value of a field; empty where there is none.
std::string value_of(const Form& form, std::string_view name);

/// What whoever is told that comes back with something that is not theirs.
inline constexpr std::string_view kNotBegunHere =
    "This sign-in did not begin in this browser, is over, or was used already.";

}  // namespace bartizan
