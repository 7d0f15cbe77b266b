#pragma once

#include <vector>

#include "config/config.h"
#include "policy/diff/diff_settings.h"

namespace bartizan {

/// What differs between the endpoints of two configurations: where clients come in, what is
/// accepted there, and what is shown; by name. An endpoint that accepts or shows what it did not is
/// gained, and so is what is not surely less.
std::vector<SettingChange> diff_endpoints(const Config& older, const Config& newer);

/// What differs between the issuers whose tokens two configurations take, by name. One that is new,
/// or says anything else than it did, is gained: nobody can tell whom its tokens name.
std::vector<SettingChange> diff_issuers(const Config& older, const Config& newer);

}  // namespace bartizan
