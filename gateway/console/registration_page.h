#pragma once

#include <span>
#include <string>
#include <string_view>

#include "gateway/console/console_pages.h"
#include "gateway/store/tool_registrations.h"

namespace bartizan {

/// GET /registrations: the tools that clients registered, each as it was received, with forms that
/// approve and remove it. `notice` is the result of the last action; empty for none.
std::string registrations_html(std::span<const KeptRegistration> registrations,
                               std::string_view notice, const PageReader& reader);

}  // namespace bartizan
