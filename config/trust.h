#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

namespace bartizan {

/// Trust in a role or a server. Order matters: the lowest of several roles counts.
enum class Trust : std::uint8_t { untrusted, community, verified, system };

/// The spellings of `trust`.
inline constexpr std::array<std::pair<std::string_view, Trust>, 4> kTrustNames{
    {{"system", Trust::system},
     {"verified", Trust::verified},
     {"community", Trust::community},
     {"untrusted", Trust::untrusted}}};

}  // namespace bartizan
