#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace bartizan {

/// What somebody wants of a model who talks to it from within a text.
enum class InjectionFamily : std::uint8_t {
  overriding,    ///< To forget what it was told.
  role,          ///< To take the text for one of its system, its operator or its user.
  secrecy,       ///< To keep something from its user.
  exfiltration,  ///< To hand over what it knows or reaches.
  tool_use,      ///< To use a tool that nobody asked for.
  consent,       ///< To believe that somebody has agreed, or that nobody needs to.
};
inline constexpr std::size_t kInjectionFamilyCount = 6;

/// As records and metrics have it: `injection.override`.
std::string_view text(InjectionFamily family);

}  // namespace bartizan
