#pragma once

#include <string>
#include <string_view>

#include "gateway/front_door/front_door_request.h"
#include "gateway/http/read_form.h"

namespace bartizan {

/// A page for a browser. No other site can show it in a frame or send forms from it.
FrontDoorAnswer page(std::string html, int status = 200);

/// Redirects a browser. Source: RFC 9110 §15.4.4; RFC 9700 §4.12.
FrontDoorAnswer see_other(std::string url);

/// The value of a field; empty if there is none.
std::string value_of(const Form& form, std::string_view name);

/// The message for a browser that returns with another's sign-in, or one that is over.
inline constexpr std::string_view kNotBegunHere =
    "This sign-in did not begin in this browser, is over, or was used already.";

}  // namespace bartizan
