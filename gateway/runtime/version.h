#pragma once

#include <string_view>

namespace bartizan {

/// The version of this program; a test keeps it equal to the version of the build.
inline constexpr std::string_view kVersion = "0.1.0";

}  // namespace bartizan
