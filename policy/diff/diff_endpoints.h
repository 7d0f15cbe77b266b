#pragma once

#include <vector>

#include "config/config.h"
#include "policy/diff/diff_settings.h"

namespace bartizan {

/// The differences between the endpoints of two configurations, by name: where clients connect,
/// which credentials are accepted, and what is shown. An endpoint counts as gained if it accepts or
/// shows more than before, or if its change is not surely a restriction.
std::vector<SettingChange> diff_endpoints(const Config& older, const Config& newer);

/// The differences between the token issuers of two configurations, by name. An issuer that is new
/// or changed counts as gained: its tokens may name anybody.
std::vector<SettingChange> diff_issuers(const Config& older, const Config& newer);

}  // namespace bartizan
