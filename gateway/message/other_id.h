#pragma once

#include <string_view>

namespace bartizan {

/// Why a call failed although its server answered: the id of the answer belongs to no call. Every
/// caller gets this fixed sentence. Without it the server would seem to be down.
inline constexpr std::string_view kOtherId = "the server answered under another id";

}  // namespace bartizan
