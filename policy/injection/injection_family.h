#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace bartizan {

/// The goal of a text that addresses the model.
enum class InjectionFamily : std::uint8_t {
  overriding,    ///< To make the model forget its instructions.
  role,          ///< To pose as its system, its operator or its user.
  secrecy,       ///< To keep something from its user.
  exfiltration,  ///< To get data that the model knows or can reach.
  tool_use,      ///< To make it use a tool without a request.
  consent,       ///< To claim that somebody has agreed, or that nobody needs to.
};
inline constexpr std::size_t kInjectionFamilyCount = 6;

/// The name in records and metrics: `injection.override`.
std::string_view text(InjectionFamily family);

}  // namespace bartizan
