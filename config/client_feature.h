#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace bartizan {

/// A client feature that a server may use, or a server feature beyond plain responses.
enum class ClientFeature : std::uint8_t {
  sampling,
  elicitation,
  roots,
  logging,
  instructions,
  tasks,  ///< Results as tasks. Source: the extension `io.modelcontextprotocol/tasks`.
};

/// Their names in `client_features`.
inline constexpr std::array<std::pair<std::string_view, ClientFeature>, 6> kClientFeatureNames{
    {{"sampling", ClientFeature::sampling},
     {"elicitation", ClientFeature::elicitation},
     {"roots", ClientFeature::roots},
     {"logging", ClientFeature::logging},
     {"instructions", ClientFeature::instructions},
     {"tasks", ClientFeature::tasks}}};

inline bool allows(const std::vector<ClientFeature>& allowed, ClientFeature feature) {
  return std::ranges::find(allowed, feature) != allowed.end();
}

}  // namespace bartizan
