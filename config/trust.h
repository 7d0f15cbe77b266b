#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

namespace bartizan {

/// Order matters: with several roles the lowest counts.
enum class Trust : std::uint8_t { untrusted, community, verified, system };

/// How `trust` is written, of roles and of servers.
inline constexpr std::array<std::pair<std::string_view, Trust>, 4> kTrustNames{
    {{"system", Trust::system},
     {"verified", Trust::verified},
     {"community", Trust::community},
     {"untrusted", Trust::untrusted}}};

}  // namespace bartizan
